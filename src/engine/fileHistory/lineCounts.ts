import { diffLines } from 'diff';
import { textFromBytes } from '../text/byteText.ts';
import { tryDecodeUnicode } from '../text/encoding.ts';

/** A diff of very different texts may take for ever; beyond this, all lines in between count as changed. Milliseconds. */
const diffTimeoutMs = 1000;

/** Lines that come and lines that go when `from` becomes `to`; nothing counts for what is no text. Absent is empty. */
export function lineCounts(from: Uint8Array | undefined, to: Uint8Array | undefined): { readonly added: number; readonly removed: number } {
  const before = from ? lineText(from) : '';
  const after = to ? lineText(to) : '';
  if (before === undefined || after === undefined) return { added: 0, removed: 0 };
  const changes = diffLines(before, after, { timeout: diffTimeoutMs });
  if (!changes) return countBetweenCommonEnds(before.split('\n'), after.split('\n'));
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    if (change.added) added += change.count;
    if (change.removed) removed += change.count;
  }
  return { added, removed };
}

/** Other encodings end their lines like ASCII. */
function lineText(bytes: Uint8Array): string | undefined {
  return tryDecodeUnicode(bytes)?.text ?? (bytes.includes(0) ? undefined : textFromBytes(bytes));
}

function countBetweenCommonEnds(before: readonly string[], after: readonly string[]): { added: number; removed: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { added: after.length - start - end, removed: before.length - start - end };
}
