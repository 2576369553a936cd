/** Cuts a text to at most `limit` UTF-16 units without splitting a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** The last `limit` UTF-16 units of a text at most, without splitting a surrogate pair. */
export function cutTextStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = text.length - limit;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** "12 kB", "3.4 MB" */
export function byteCount(count: number): string {
  return count < 1_000_000 ? `${Math.ceil(count / 1_000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** "1 file", "3 files". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "1.2 s", "42 s" */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return `${seconds < 10 ? seconds.toFixed(1).replace(/\.0$/, '') : Math.round(seconds)} s`;
}
