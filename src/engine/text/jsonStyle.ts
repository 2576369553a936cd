/** How a JSON text is laid out, so that what is put into it looks like the rest. */
export interface JsonStyle {
  /** Of one level; undefined when everything stands in one line. */
  readonly indent: string | undefined;
  readonly lineEnding: string;
  /** Between a key and its value. */
  readonly colon: string;
  /** After a comma, where items stand in one line. */
  readonly commaGap: string;
  /** Letters beyond ASCII are written as escapes. */
  readonly asciiOnly: boolean;
}

export function jsonStyleOf(text: string): JsonStyle {
  const [, lineEnding, indent] = /^\s*[[{](\r?\n)([ \t]*)/.exec(text) ?? [];
  const [, colon] = /^\s*\{\s*"(?:[^"\\\n]|\\.){0,200}"(\s*:\s*)/.exec(text) ?? [];
  const hasEscapes = /\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])[0-9a-f]/i.test(text);
  return {
    indent: lineEnding === undefined ? undefined : indent,
    lineEnding: lineEnding ?? '\n',
    colon: colon ?? (lineEnding === undefined ? ':' : ': '),
    // Writers that put a blank after the colon put one after the comma.
    commaGap: colon?.endsWith(' ') ? ' ' : '',
    // oxlint-disable-next-line no-control-regex -- the range is what is asked
    asciiOnly: hasEscapes && !/[^\u0000-\u007f]/.test(text),
  };
}

/** Writes a value as it would stand `depth` levels deep. */
export function writeJson(value: unknown, style: JsonStyle, depth: number): string {
  if (Array.isArray(value)) return writeList(value.map((item) => writeJson(item, style, depth + 1)), ['[', ']'], { style, depth });
  if (typeof value === 'object' && value !== null) {
    return writeMembers(Object.entries(value).map(([key, item]) => [key, writeJson(item, style, depth + 1)]), style, depth);
  }
  const plain = JSON.stringify(value);
  return style.asciiOnly ? plain.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : plain;
}

/** Writes an object whose values are JSON texts already. */
export function writeMembers(members: readonly (readonly [key: string, json: string])[], style: JsonStyle, depth: number): string {
  return writeList(members.map(([key, json]) => `${writeJson(key, style, 0)}${style.colon}${json}`), ['{', '}'], { style, depth });
}

/** What stands between two items of a list whose brackets are `depth` levels deep, comma included. */
export function itemSeparator(style: JsonStyle, depth: number): string {
  return style.indent === undefined ? `,${style.commaGap}` : `,${lineStart(style, depth + 1)}`;
}

function writeList(parts: readonly string[], [open, close]: readonly [string, string], place: { readonly style: JsonStyle; readonly depth: number }): string {
  const { style, depth } = place;
  if (parts.length === 0) return open + close;
  const body = parts.join(itemSeparator(style, depth));
  return style.indent === undefined ? open + body + close : open + lineStart(style, depth + 1) + body + lineStart(style, depth) + close;
}

function lineStart(style: JsonStyle, depth: number): string {
  return style.lineEnding + (style.indent ?? '').repeat(depth);
}
