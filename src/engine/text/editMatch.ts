import { plural } from '../../base/text.ts';
import { hasByteEscapes, shownText } from './byteEscapes.ts';
import { dominantLineEnding, withLineEndingsOf, withLineFeeds } from './lineEndings.ts';
import type { LineEnding } from './lineEndings.ts';
import { describeMissingText } from './nearestText.ts';
import { tolerantMatch } from './tolerantMatch.ts';

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export type EditOutcome =
  /** `note`: in what the file differs from what was quoted, for the model. */
  | { readonly ok: true; readonly text: string; readonly replacements: number; readonly note?: string | undefined }
  | { readonly ok: false; readonly reason: 'not-found' | 'ambiguous' | 'no-change' | 'not-empty'; readonly message: string };

/** A stretch of the text, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const maxLineNumbersNamed = 20;

/**
 * Replaces `oldString` in a text by `newString`. The model has seen `\n` only, so a line break in `oldString` stands
 * for either kind, and the new text takes the line ends of what it replaces. Where nothing fits, one place that fits but
 * for the kind of quotation marks or for white space at line ends is taken, and said. Everything outside of the matches
 * stays as it is. Never guesses: two possible places are an error.
 */
export function applyEdit(text: string, edit: TextEdit): EditOutcome {
  const { oldString, newString, replaceAll } = edit;
  if (oldString === newString) {
    return { ok: false, reason: 'no-change', message: 'old_string and new_string are the same, so there is nothing to change.' };
  }
  if (oldString === '') {
    if (text === '') return { ok: true, text: newString, replacements: 1 };
    return { ok: false, reason: 'not-empty', message: 'old_string is empty, which is only possible for a new or empty file. Quote the text to replace, or use Write to replace the whole file.' };
  }
  const matches = findMatches(text, oldString);
  if (matches.length === 0) return applyTolerantly(text, edit) ?? { ok: false, reason: 'not-found', message: describeMissing(text, oldString) };
  if (matches.length > 1 && !replaceAll) return { ok: false, reason: 'ambiguous', message: describeAmbiguity(text, matches) };
  const separate = withoutOverlaps(matches);
  const result = replaceSpans(text, separate, newString);
  if (result === text) {
    return { ok: false, reason: 'no-change', message: 'old_string and new_string differ only in their line ends, which the file decides. There is nothing to change.' };
  }
  return { ok: true, text: result, replacements: separate.length };
}

function applyTolerantly(text: string, edit: TextEdit): EditOutcome | undefined {
  const match = tolerantMatch(text, edit);
  if (!match) return undefined;
  const result = replaceSpans(text, [match], match.newString);
  return result === text ? undefined : { ok: true, text: result, replacements: 1, note: match.note };
}

function describeMissing(text: string, oldString: string): string {
  const escapes = oldString.includes('\ufffd') && hasByteEscapes(text) ? ' \ufffd stands for bytes that are no text: choose old_string so that it has none.' : '';
  return shownText(describeMissingText(text, oldString)) + escapes;
}

/** All places, overlapping ones too: each of them might have been meant. */
function findMatches(text: string, oldString: string): Span[] {
  const exact = oldString.includes('\r') ? occurrences(text, oldString) : [];
  if (exact.length > 0) return exact;
  const wanted = withLineFeeds(oldString);
  if (!text.includes('\r\n')) return occurrences(text, wanted);
  const feeds = windowsFeeds(text);
  const toText = (offset: number): number => offset + countBelow(feeds, offset);
  return occurrences(withLineFeeds(text), wanted).map(({ start, end }) => ({ start: toText(start), end: toText(end) }));
}

function occurrences(text: string, wanted: string): Span[] {
  const found: Span[] = [];
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + 1)) {
    found.push({ start, end: start + wanted.length });
  }
  return found;
}

/** Offsets of the `\n` of each `\r\n`, in the text without those `\r`. */
function windowsFeeds(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) offsets.push(at - offsets.length);
  return offsets;
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withoutOverlaps(matches: readonly Span[]): Span[] {
  const separate: Span[] = [];
  for (const match of matches) {
    if (match.start >= (separate.at(-1)?.end ?? 0)) separate.push(match);
  }
  return separate;
}

function replaceSpans(text: string, spans: readonly Span[], newString: string): string {
  const dominant = dominantLineEnding(text) ?? '\n';
  const parts: string[] = [];
  let kept = 0;
  for (const span of spans) {
    parts.push(text.slice(kept, span.start), replacement(text, span, newString, dominant));
    kept = span.end;
  }
  parts.push(text.slice(kept));
  return parts.join('');
}

function replacement(text: string, span: Span, newString: string, dominant: LineEnding): string {
  return withLineEndingsOf(text.slice(span.start, span.end), newString, lineEndingAround(text, span) ?? dominant);
}

/** What ends the line that the span ends in, else the line before it. */
function lineEndingAround(text: string, span: Span): LineEnding | undefined {
  const next = text.indexOf('\n', span.end);
  if (next >= 0) return text[next - 1] === '\r' ? '\r\n' : '\n';
  const previous = span.start === 0 ? -1 : text.lastIndexOf('\n', span.start - 1);
  if (previous < 0) return undefined;
  return text[previous - 1] === '\r' ? '\r\n' : '\n';
}

function describeAmbiguity(text: string, matches: readonly Span[]): string {
  const lines = lineNumbers(text, matches.map((match) => match.start));
  const named = lines.slice(0, maxLineNumbersNamed).join(', ');
  const more = lines.length > maxLineNumbersNamed ? ` and ${lines.length - maxLineNumbersNamed} more` : '';
  return (
    `old_string was found ${plural(matches.length, 'time')}, beginning at lines ${named}${more}. Nothing was changed. ` +
    'Add enough of the surrounding lines to old_string that it fits one place only, or set replace_all to change every one.'
  );
}

/** Numbers from 1 of the lines that the ascending offsets stand in. */
function lineNumbers(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let at = 0;
  return offsets.map((offset) => {
    for (let feed = text.indexOf('\n', at); feed >= 0 && feed < offset; feed = text.indexOf('\n', at)) {
      line++;
      at = feed + 1;
    }
    return line;
  });
}
