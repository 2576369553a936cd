import { diffArrays } from 'diff';

export type LineEnding = '\n' | '\r\n';

/** A line as the model and the user see it, and what ends it in the file ('' = the text ends without a line end). */
export interface TextLine {
  readonly content: string;
  readonly ending: LineEnding | '';
}

/** Milliseconds for one comparison; beyond it lines are paired by position. */
const diffTimeoutMs = 500;

/** The model sees `\n` only. A lone `\r` is no line end but a character. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A final line end makes no further, empty line: "a\n" is one line, "" is none. */
export function splitLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    if (feed < 0) {
      lines.push({ content: text.slice(start), ending: '' });
      break;
    }
    const ending = feed > start && text[feed - 1] === '\r' ? '\r\n' : '\n';
    lines.push({ content: text.slice(start, feed + 1 - ending.length), ending });
    start = feed + 1;
  }
  return lines;
}

/** The commoner line end; undefined in a text of one line. */
export function dominantLineEnding(text: string): LineEnding | undefined {
  const all = countOf(text, '\n');
  if (all === 0) return undefined;
  return countOf(text, '\r\n') * 2 > all ? '\r\n' : '\n';
}

/**
 * Gives `after`, written with `\n`, the line ends of `before`: a kept line keeps its own, a changed line that of the
 * line it replaces, an added line that of the line before it. `\r\n` in `after` was meant and stays, except
 * where the old line ends with one `\r` more (`\r\r\n`), which is shown so. `fallback` is for a `before` without line ends.
 */
export function withLineEndingsOf(before: string, after: string, fallback: LineEnding = '\n'): string {
  if (!after.includes('\n')) return after;
  const all = countOf(before, '\n');
  const windows = countOf(before, '\r\n');
  if (all === 0 || (windows === all && !before.includes('\r\r\n'))) return withOneEnding(after, all === 0 ? fallback : '\r\n');
  if (windows === 0) return after;
  return withMixedEndings(splitLines(before), shownLines(after), dominantLineEnding(before) ?? fallback);
}

function withOneEnding(text: string, ending: LineEnding): string {
  return ending === '\n' ? text : text.replace(/\r?\n/g, '\r\n');
}

/** Lines of a text that knows `\n` only: a `\r` before it belongs to the line until it is known what was meant. */
function shownLines(text: string): TextLine[] {
  return splitLines(text).map(({ content, ending }) => (ending === '\r\n' ? { content: `${content}\r`, ending: '\n' } : { content, ending }));
}

function withMixedEndings(before: readonly TextLine[], after: readonly TextLine[], dominant: LineEnding): string {
  const pairs = pairLines(before, after);
  let previous = before[0]?.ending || dominant;
  return after
    .map(({ content, ending }, index) => {
      const pair = pairs[index];
      if (ending !== '' && content.endsWith('\r') && !pair?.content.endsWith('\r')) return content + ending;
      previous = pair?.ending || previous;
      return ending === '' ? content : content + previous;
    })
    .join('');
}

/** For each new line the old line that it keeps or replaces. */
function pairLines(before: readonly TextLine[], after: readonly TextLine[]): (TextLine | undefined)[] {
  const contents = (lines: readonly TextLine[]): string[] => lines.map((line) => line.content);
  const changes = diffArrays(contents(before), contents(after), { timeout: diffTimeoutMs });
  if (!changes) return after.map((_, index) => before[index]);
  const pairs: (TextLine | undefined)[] = [];
  let old = 0;
  let replaceable: readonly TextLine[] = [];
  for (const change of changes) {
    const length = change.value.length;
    if (change.removed) {
      replaceable = before.slice(old, old + length);
      old += length;
    } else if (change.added) {
      for (let index = 0; index < length; index++) pairs.push(replaceable[index]);
      replaceable = [];
    } else {
      for (let index = 0; index < length; index++) pairs.push(before[old++]);
      replaceable = [];
    }
  }
  return pairs;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
