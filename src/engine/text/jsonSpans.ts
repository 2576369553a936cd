/** A stretch of a text, in UTF-16 units. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  readonly key: string;
  readonly value: JsonSpan;
}

/**
 * Where the parts of a JSON text stand, so that one of them can be replaced and every other byte stays. The text must
 * have been parsed before: nothing is checked here.
 */
export function rootSpan(text: string): JsonSpan {
  const start = skipBlanks(text, 0);
  return { start, end: endOfValue(text, start) };
}

/** Members of the object at `span`, in order; a key that stands twice is there twice. */
export function memberSpans(text: string, span: JsonSpan): JsonMember[] {
  const members: JsonMember[] = [];
  for (let at = skipBlanks(text, span.start + 1); text[at] !== '}'; at = nextPart(text, at)) {
    const keyEnd = endOfString(text, at);
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const value = { start, end: endOfValue(text, start) };
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, value });
    at = value.end;
  }
  return members;
}

/** Items of the array at `span`, in order. */
export function itemSpans(text: string, span: JsonSpan): JsonSpan[] {
  const items: JsonSpan[] = [];
  for (let at = skipBlanks(text, span.start + 1); text[at] !== ']'; at = nextPart(text, at)) {
    items.push({ start: at, end: endOfValue(text, at) });
    at = items.at(-1)!.end;
  }
  return items;
}

/** From the end of one part to the start of the next, or to the closing bracket. */
function nextPart(text: string, end: number): number {
  const at = skipBlanks(text, end);
  return text[at] === ',' ? skipBlanks(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === '{' || letter === '[') depth++;
    else if ((letter === '}' || letter === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function skipBlanks(text: string, at: number): number {
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}
