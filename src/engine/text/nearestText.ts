import { cutText } from '../../base/text.ts';
import { withLineFeeds } from './lineEndings.ts';

const shownLinesAround = 2;
const maxShownLines = 12;
const maxShownLineLength = 300;
/** Below this share of common letter pairs two lines have nothing to do with each other. */
const leastSimilarity = 0.35;
/** Lines longer than this are compared by their start only. */
const comparedLength = 400;

/** Why a text was not found, with the nearest place there is, for the model to correct itself in one step. */
export function describeMissingText(text: string, wanted: string): string {
  const start = 'old_string was not found in the file. Nothing was changed.';
  if (text === '') return `${start} The file is empty.`;
  if (/^ *\d+\t/.test(wanted)) {
    return `${start} It begins with a line number and a tab, as Read prints them: leave these out.`;
  }
  const lines = withLineFeeds(text).split('\n');
  const wantedLines = withLineFeeds(wanted).split('\n');
  const nearest = nearestLine(lines, wantedLines);
  if (!nearest) return `${start} No line in it is similar. Read the file again and quote it exactly.`;
  return [
    `${start} ${differenceHint(lines, wantedLines, nearest.first)}The nearest text is this (each line follows its number and a tab):`,
    ...showLines(lines, nearest.first - shownLinesAround, nearest.first + wantedLines.length + shownLinesAround),
  ].join('\n');
}

/** Finds the line most like the most telling line of `wanted`; gives where `wanted` would begin. */
function nearestLine(lines: readonly string[], wanted: readonly string[]): { readonly first: number } | undefined {
  const anchor = wanted.reduce((best, line, index) => (line.trim().length > wanted[best]!.trim().length ? index : best), 0);
  const anchorPairs = letterPairs(wanted[anchor]!);
  if (anchorPairs.size === 0) return undefined;
  let best = { index: -1, score: leastSimilarity };
  const compared = new Set<string>();
  for (const [index, line] of lines.entries()) {
    // A line too short to be more alike than the best one, or seen before, is not worth the comparing.
    if ((2 * line.length) / (anchorPairs.size + line.length) <= best.score || compared.has(line)) continue;
    compared.add(line);
    const score = similarity(anchorPairs, letterPairs(line));
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? undefined : { first: Math.max(0, best.index - anchor) };
}

function letterPairs(line: string): Set<string> {
  const plain = simplify(line).slice(0, comparedLength);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < plain.length; index++) pairs.add(plain.slice(index, index + 2));
  return pairs;
}

/** Share of common pairs, 0..1 (Dice). */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common++;
  return (2 * common) / (one.size + other.size);
}

function differenceHint(lines: readonly string[], wanted: readonly string[], first: number): string {
  const there = lines.slice(first, first + wanted.length).join('\n');
  const asked = wanted.join('\n');
  const equalBy = (change: (text: string) => string): boolean => change(there) === change(asked);
  if (equalBy(withoutWhiteSpace)) return 'There is a place that differs only in white space (spaces, tabs, no-break spaces, blank ends of lines). ';
  if (equalBy((text) => text.normalize('NFC'))) return 'There is a place that differs only in how accents are composed. ';
  if (equalBy(plainQuotes)) return 'There is a place that differs only in the kind of quotes or dashes. ';
  if (equalBy((text) => text.toLowerCase())) return 'There is a place that differs only in upper and lower case. ';
  return '';
}

function simplify(text: string): string {
  return plainQuotes(withoutWhiteSpace(text.normalize('NFC'))).toLowerCase();
}

function withoutWhiteSpace(text: string): string {
  return text.replace(/\s+/gu, '');
}

function plainQuotes(text: string): string {
  return text.replace(/[\u2018\u2019\u201a\u201b]/g, "'").replace(/[\u201c\u201d\u201e\u201f]/g, '"').replace(/[\u2010-\u2015]/g, '-');
}

function showLines(lines: readonly string[], from: number, to: number): string[] {
  const start = Math.max(0, from);
  return lines.slice(start, Math.min(to, start + maxShownLines)).map((line, index) => {
    const shown = line.length > maxShownLineLength ? `${cutText(line, maxShownLineLength)}…` : line;
    return `${start + index + 1}\t${shown}`;
  });
}
