export interface ChangedRange {
  readonly start: number;
  readonly endBefore: number;
  readonly endAfter: number;
}

/**
 * Where two texts differ, as offsets in UTF-16 units; both ends are cut off where they are equal. Never cuts a line end
 * or a surrogate pair in two: an editor has no position inside of them.
 */
export function changedRange(before: string, after: string): ChangedRange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (cutsPair(before, start) || cutsPair(after, start)) start--;
  let tail = 0;
  while (tail < shorter - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++;
  if (cutsPair(before, before.length - tail) || cutsPair(after, after.length - tail)) tail--;
  return { start, endBefore: before.length - tail, endAfter: after.length - tail };
}

function cutsPair(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const left = text.charCodeAt(offset - 1);
  const right = text.charCodeAt(offset);
  return (left === 0x0d && right === 0x0a) || (left >= 0xd800 && left <= 0xdbff && right >= 0xdc00 && right <= 0xdfff);
}
