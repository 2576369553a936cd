import { diffArrays } from 'diff';
import { shownText } from '../text/byteEscapes.ts';
import { splitLines } from '../text/lineEndings.ts';

/** Milliseconds; beyond it nothing is taken for kept. */
const diffTimeoutMs = 1_000;

/**
 * An editor shows U+FFFD where a byte is no text, so a proposal comes back from the review with that in place of what
 * it holds. Lines that the user left alone get their bytes back; undefined when one that they changed has such a byte.
 */
export function keepByteEscapes(proposed: string, fromReview: string): string | undefined {
  if (fromReview === shownText(proposed)) return proposed;
  const lines = splitLines(proposed).map((line) => line.content + line.ending);
  const reviewed = splitLines(fromReview).map((line) => line.content + line.ending);
  const parts = diffArrays(lines.map(shownText), reviewed, { timeout: diffTimeoutMs });
  if (!parts) return undefined;
  const kept: string[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    if (added && value.some((line) => line.includes('\ufffd'))) return undefined;
    if (added) kept.push(...value);
    else if (removed) at += value.length;
    else for (let count = value.length; count > 0; count--) kept.push(lines[at++]!);
  }
  return kept.join('');
}
