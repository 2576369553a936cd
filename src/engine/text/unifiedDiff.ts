import { structuredPatch } from 'diff';
import { cutText, plural } from '../../base/text.ts';

/** The lines of a change, each with its sign, as unified diffs write them. Line numbers from 1. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly oldLines: number;
  readonly newLines: number;
  /** Start with ' ', '-', '+' or '\'; may end in `\r`. */
  readonly lines: readonly string[];
}

export interface UnifiedDiff {
  /** Hunks without file headers, cut to a showable size; '' when nothing differs. */
  readonly text: string;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** Something is left out of `text`. */
  readonly isCut: boolean;
  readonly hunks: readonly DiffHunk[];
}

export interface DiffLimits {
  /** Of the whole text, in UTF-16 units. Default: 20,000, so that it fits into one post to the panel. */
  readonly maxLength?: number | undefined;
  /** Of one line, in UTF-16 units. Default: 1,000. */
  readonly maxLineLength?: number | undefined;
}

/** Milliseconds. A rewritten file of 10,000 lines takes a minimal diff more than 20 s. */
const diffTimeoutMs = 1_000;
const contextLines = 3;

/** Compares two texts by lines. A missing file is an empty text. */
export function unifiedDiff(before: string, after: string, limits: DiffLimits = {}): UnifiedDiff {
  const hunks = before === after ? [] : hunksOf(before, after);
  const count = (sign: string): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  return { ...render(hunks, limits), linesAdded: count('+'), linesRemoved: count('-'), hunks };
}

function hunksOf(before: string, after: string): readonly DiffHunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: contextLines, timeout: diffTimeoutMs });
  return patch ? patch.hunks : [oneHunk(before, after)];
}

/** Everything between the first and the last differing line as one replacement: never minimal, always right. */
function oneHunk(before: string, after: string): DiffHunk {
  const oldLines = linesWithSign(before);
  const newLines = linesWithSign(after);
  const shortest = Math.min(oldLines.length, newLines.length);
  let start = 0;
  while (start < shortest && oldLines[start] === newLines[start]) start++;
  let end = 0;
  while (end < shortest - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++;
  const removed = oldLines.slice(start, oldLines.length - end);
  const added = newLines.slice(start, newLines.length - end);
  return {
    oldStart: start + 1,
    newStart: start + 1,
    oldLines: removed.length,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}

function linesWithSign(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function render(hunks: readonly DiffHunk[], limits: DiffLimits): { readonly text: string; readonly isCut: boolean } {
  const { maxLength = 20_000, maxLineLength = 1_000 } = limits;
  const all = hunks.flatMap((hunk) => [header(hunk), ...shownLines(hunk)]);
  const shown: string[] = [];
  let length = 0;
  let isCut = false;
  for (const line of all) {
    const short = line.length > maxLineLength ? `${cutText(line, maxLineLength)}… (line cut)` : line;
    isCut ||= short !== line;
    length += short.length + 1;
    if (length > maxLength) return { text: [...shown, `… ${plural(all.length - shown.length, 'more line')}`].join('\n'), isCut: true };
    shown.push(short);
  }
  return { text: shown.join('\n'), isCut };
}

function header({ oldStart, oldLines, newStart, newLines }: DiffHunk): string {
  const range = (start: number, lines: number): string => (lines === 1 ? `${start}` : `${start},${lines}`);
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** The `\r` of a line end is left out, except where changed lines have different line ends: there it is what changed. */
function shownLines(hunk: DiffHunk): string[] {
  const changed = hunk.lines.filter((line) => line.startsWith('+') || line.startsWith('-'));
  const windows = changed.filter((line) => line.endsWith('\r')).length;
  const endings = windows > 0 && windows < changed.length;
  return hunk.lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) + (endings ? '␍' : '') : line));
}
