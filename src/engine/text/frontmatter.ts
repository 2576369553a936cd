/** The fields in front of a Markdown file and the text behind them. */
export interface Frontmatter {
  readonly fields: ReadonlyMap<string, string | readonly string[]>;
  readonly body: string;
}

/**
 * Reads the part between two `---` lines at the start of a file: `key: value`, quoted values, lists in brackets or in
 * lines with a dash, texts folded over several lines. That is what command, rule and skill files use; a line that is
 * something else is passed over, since such files are written by hand and one odd line must not hide the others.
 */
export function splitFrontmatter(text: string): Frontmatter {
  const lines = text.replace(/^\uFEFF/, '').split('\n').map((line) => line.replace(/\r$/, ''));
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---') : -1;
  if (end < 0) return { fields: new Map(), body: text.replace(/^\uFEFF/, '') };
  return { fields: readFields(lines.slice(1, end)), body: lines.slice(end + 1).join('\n').replace(/^\n+/, '') };
}

/** The value as one text; undefined for a list and for what is not there. */
export function textField({ fields }: Frontmatter, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as a list; a text is split at commas outside of brackets, quotes and braces. */
export function listField({ fields }: Frontmatter, name: string): readonly string[] {
  const value = fields.get(name);
  if (value === undefined || value === '') return [];
  return typeof value === 'string' ? splitList(value) : value;
}

function readFields(lines: readonly string[]): Map<string, string | readonly string[]> {
  const fields = new Map<string, string | readonly string[]>();
  for (let i = 0; i < lines.length; i++) {
    const match = /^([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$/.exec(lines[i]!);
    if (!match) continue;
    const more: string[] = [];
    while (i + 1 < lines.length && (/^\s+\S/.test(lines[i + 1]!) || /^-\s/.test(lines[i + 1]!) || lines[i + 1]!.trim() === '')) more.push(lines[++i]!.trim());
    fields.set(match[1]!, valueOf((match[2] ?? '').trim(), more));
  }
  return fields;
}

function valueOf(first: string, more: readonly string[]): string | readonly string[] {
  const rest = more.filter((line) => line !== '');
  if (/^[>|][+-]?$/.test(first)) return first.startsWith('>') ? rest.join(' ') : more.join('\n').trim();
  if (first === '' && rest.length > 0 && rest.every((line) => line.startsWith('-'))) return rest.map((line) => unquote(line.slice(1).trim()));
  const whole = [first, ...rest].filter(Boolean).join(' ');
  if (/^\[[^[\]]*\]$/.test(whole)) return splitList(whole.slice(1, -1));
  return unquote(whole.replace(/\s+#.*$/, (comment) => (/^["']/.test(whole) ? comment : '')));
}

function splitList(text: string): string[] {
  const items: string[] = [];
  let item = '';
  let quote = '';
  let depth = 0;
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (character !== ',' || quote !== '' || depth > 0) item += character;
    else {
      items.push(item);
      item = '';
    }
  }
  return [...items, item].map((each) => unquote(each.trim())).filter(Boolean);
}

function unquote(text: string): string {
  const match = /^"((?:[^"\\]|\\.)*)"$|^'((?:[^']|'')*)'$/.exec(text);
  if (!match) return text;
  return match[1] !== undefined ? match[1].replace(/\\(["\\])/g, '$1') : match[2]!.replaceAll("''", "'");
}
