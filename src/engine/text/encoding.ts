import { TurnstoneError } from '../../base/errors.ts';

/** How a text file is stored. `bom` = it starts with a byte order mark, which is never part of the text. */
export interface TextEncoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be';
  readonly bom: boolean;
}

export const utf8: TextEncoding = { name: 'utf-8', bom: false };

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** With the `u` flag, whole pairs are one character of another class. */
const loneSurrogate = /\p{Surrogate}/u;

const byteOrderMarks: readonly { readonly name: TextEncoding['name']; readonly bytes: readonly number[] }[] = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
];

/**
 * The text of a file, or undefined when its bytes are no text that can be written back without loss:
 * then nothing may be guessed. What this returns always encodes to the same bytes again.
 */
export function tryDecodeText(bytes: Uint8Array): DecodedText | undefined {
  const mark = byteOrderMarks.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  const encoding: TextEncoding = mark ? { name: mark.name, bom: true } : utf8;
  const body = mark ? bytes.subarray(mark.bytes.length) : bytes;
  // A NUL is legal UTF-8, but a file that has one is not meant to be read as lines.
  if (encoding.name === 'utf-8' && body.includes(0)) return undefined;
  if (encoding.name !== 'utf-8' && body.length % 2 !== 0) return undefined;
  try {
    // `ignoreBOM`: a second mark inside the body is a character of the text and must survive.
    if (encoding.name === 'utf-8') return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), encoding };
    const decoded = decodeUtf16(body, encoding.name === 'utf-16le');
    return !loneSurrogate.test(decoded) && !decoded.includes('\0') ? { text: decoded, encoding } : undefined;
  } catch {
    return undefined;
  }
}

/** Like {@link tryDecodeText}, but throws a `not_text` error that says what to do. */
export function decodeText(bytes: Uint8Array, path: string): DecodedText {
  const decoded = tryDecodeText(bytes);
  if (decoded) return decoded;
  throw notTextError(path, bytes);
}

/** The bytes of a text. Throws a `not_text` error where the encoding cannot hold it (half a surrogate pair). */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (loneSurrogate.test(text)) {
    throw new TurnstoneError('not_text', 'The new text contains half a character (a lone surrogate), which no file can hold. Nothing was written.');
  }
  const body = encoding.name === 'utf-8' ? new TextEncoder().encode(text) : encodeUtf16(text, encoding.name === 'utf-16le');
  if (!encoding.bom) return body;
  const mark = byteOrderMarks.find((candidate) => candidate.name === encoding.name)?.bytes ?? [];
  const bytes = new Uint8Array(mark.length + body.length);
  bytes.set(mark);
  bytes.set(body, mark.length);
  return bytes;
}

export function notTextError(path: string, bytes: Uint8Array): TurnstoneError {
  const what = bytes.includes(0)
    ? 'it is a binary file'
    : 'its characters are not stored as UTF-8 or as UTF-16 with a byte order mark, so a change could damage them';
  return new TurnstoneError('not_text', `${path} cannot be handled as text: ${what}. It was left untouched.`, {
    modelMessage:
      `${path} cannot be read or edited as text: ${what}. It was left untouched. ` +
      'Tell the user; they can convert the file to UTF-8 first. To look at it or change it on purpose, use Bash with a tool made for its format (file, iconv, xxd).',
  });
}

function decodeUtf16(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  // In blocks: `fromCharCode` takes its units as arguments, of which there is a limit.
  for (let start = 0; start < bytes.length; start += 16_384) {
    const units: number[] = [];
    for (let at = start; at < Math.min(start + 16_384, bytes.length); at += 2) units.push(view.getUint16(at, littleEndian));
    parts.push(String.fromCharCode(...units));
  }
  return parts.join('');
}

function encodeUtf16(text: string, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), littleEndian);
  return bytes;
}
