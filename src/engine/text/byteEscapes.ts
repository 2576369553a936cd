/**
 * UTF-8 text in which some bytes are none: each of those is carried as half a surrogate pair, U+DC80 to U+DCFF, so that
 * everything can be written back as it was. Such a text never leaves the engine: see {@link shownText}.
 */
const escapes = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/;
const escapeRuns = /((?:(?<![\uD800-\uDBFF])[\uDC80-\uDCFF])+)/;

export function hasByteEscapes(text: string): boolean {
  return escapes.test(text);
}

/** For people and models: U+FFFD where a byte is no text. */
export function shownText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

export interface EscapedText {
  readonly text: string;
  /** Bytes that are no text, and characters beyond ASCII that are. */
  readonly escaped: number;
  readonly letters: number;
}

/** Takes any bytes; {@link encodeWithEscapes} gives them back. */
export function decodeWithEscapes(bytes: Uint8Array): EscapedText {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parts: string[] = [];
  let [start, escaped, letters] = [0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 1) letters++;
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(decoder.decode(bytes.subarray(start, at)), String.fromCharCode(0xdc00 + bytes[at]!));
    escaped++;
    start = ++at;
  }
  parts.push(decoder.decode(bytes.subarray(start)));
  return { text: parts.join(''), escaped, letters };
}

/** The text is well formed but for the escapes. */
export function encodeWithEscapes(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = text.split(escapeRuns).map((part, index) => (index % 2 === 1 ? Uint8Array.from(part, (unit) => unit.charCodeAt(0) - 0xdc00) : encoder.encode(part)));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Bytes of the UTF-8 character that begins at `at`; 0 when none does (RFC 3629, table 3-7 of Unicode). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let offset = 2; offset < length; offset++) {
    if (((bytes[at + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
