import { TurnstoneError } from '../../base/errors.ts';
import type { TextEncodings } from '../ports.ts';
import { decodeWithEscapes, encodeWithEscapes, hasByteEscapes } from './byteEscapes.ts';
import { decodeUtf16, encodeUtf16, utf16WithoutMark } from './utf16.ts';

/** How a text file is stored. `bom` = it starts with a byte order mark, which is never part of the text. */
export interface TextEncoding {
  /** "utf-8", "utf-16le", "utf-16be", or a name that {@link TextEncodings} knows. */
  readonly name: string;
  readonly bom: boolean;
  /** Some bytes are no UTF-8; the text carries them as {@link hasByteEscapes byte escapes}. */
  readonly hasEscapes?: true | undefined;
}

export const utf8: TextEncoding = { name: 'utf-8', bom: false };

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

export interface DecodingHelp {
  /** Without it, only Unicode is read. */
  readonly encodings?: TextEncodings | undefined;
  /** What an editor takes the file for; counts where it fits the bytes. */
  readonly hint?: string | undefined;
  /** What the file was read as before: what was found out once stays so, as long as it fits. */
  readonly known?: string | undefined;
}

/** With the `u` flag, whole pairs are one character of another class. */
const loneSurrogate = /\p{Surrogate}/u;

const byteOrderMarks: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** Beyond this share of control characters, bytes are no text. */
const mostControls = 0.02;

/**
 * The text of a file, or undefined when its bytes are no text. What this returns always encodes to the same bytes again:
 * an encoding counts only where it can give all of them back. Never rejects.
 */
export async function decodeText(bytes: Uint8Array, { encodings, hint, known }: DecodingHelp = {}): Promise<DecodedText | undefined> {
  const mark = markOf(bytes);
  for (const name of mark ? [] : [hint, known]) {
    const named = name === undefined || isUnicodeName(name) ? undefined : await exactly(bytes, name, encodings);
    if (named) return named;
  }
  const order = utf16Name(hint) ?? utf16Name(known);
  const unicode = (order && tryDecodeUnicode(bytes, order)) || tryDecodeUnicode(bytes);
  if (unicode) return unicode;
  const isKnown = known === utf8.name;
  if (bytes.includes(0) || (mark && mark.name !== utf8.name) || (!isKnown && hasManyControls(bytes))) return undefined;
  const body = bytes.subarray(mark?.bytes.length ?? 0);
  const { text, escaped, letters } = decodeWithEscapes(body);
  const damaged: DecodedText = { text, encoding: { ...utf8, bom: mark !== undefined, hasEscapes: true } };
  // UTF-8 that was damaged has far more characters that are whole than bytes that are not.
  if (isKnown || mark || letters > escaped || !encodings) return damaged;
  for (const name of await encodings.guess(bytes)) {
    const guessed = await exactly(bytes, name, encodings);
    if (guessed) return guessed;
  }
  return damaged;
}

/** Like {@link decodeText} for UTF-8, and for UTF-16 with or without a mark, at once. */
export function tryDecodeUnicode(bytes: Uint8Array, hint?: string): DecodedText | undefined {
  const mark = markOf(bytes);
  const name = mark?.name ?? utf16Name(hint) ?? (bytes.includes(0) ? utf16WithoutMark(bytes) : 'utf-8');
  const body = bytes.subarray(mark?.bytes.length ?? 0);
  // A NUL is legal, but a file that has one is not meant to be read as lines.
  if (name === undefined || (name === 'utf-8' && body.includes(0))) return undefined;
  if (name !== 'utf-8' && body.length % 2 !== 0) return undefined;
  const encoding: TextEncoding = { name, bom: mark !== undefined };
  try {
    // `ignoreBOM`: a second mark inside the body is a character of the text and must survive.
    if (name === 'utf-8') return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), encoding };
    const decoded = decodeUtf16(body, name === 'utf-16le');
    return !loneSurrogate.test(decoded) && !decoded.includes('\0') ? { text: decoded, encoding } : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of a text. Rejects with a `not_text` error, which names the character, where the encoding cannot hold it. */
export async function encodeText(text: string, encoding: TextEncoding, encodings?: TextEncodings): Promise<Uint8Array> {
  if (loneSurrogate.test(encoding.hasEscapes ? text.replace(/[\uDC80-\uDCFF]/gu, '') : text)) {
    throw new TurnstoneError('not_text', 'The new text contains half a character (a lone surrogate), which no file can hold. Nothing was written.');
  }
  if (isUnicodeName(encoding.name)) return encodeUnicode(text, encoding);
  const bytes = await encodings?.encode(text, encoding.name);
  if (!bytes) throw new TurnstoneError('not_text', `Text can't be stored as ${encoding.name} here. Nothing was written.`);
  if ((await encodings!.decode(bytes, encoding.name)) === text) return bytes;
  throw await notStorable(text, encoding.name, encodings!);
}

export function notTextError(path: string): TurnstoneError {
  const what = 'it is a binary file';
  return new TurnstoneError('not_text', `${path} cannot be handled as text: ${what}. It was left untouched.`, {
    modelMessage: `${path} cannot be read or edited as text: ${what}. It was left untouched. To look at it or change it on purpose, use Bash with a tool made for its format (file, xxd).`,
  });
}

/** As the tools say it: "UTF-8", "Shift_JIS". */
export function encodingLabel({ name, bom }: TextEncoding): string {
  const label = isUnicodeName(name) ? name.toUpperCase() : name;
  return bom ? `${label} with a byte order mark` : label;
}

function encodeUnicode(text: string, encoding: TextEncoding): Uint8Array {
  const { name, bom, hasEscapes } = encoding;
  const body = name !== 'utf-8' ? encodeUtf16(text, name === 'utf-16le') : hasEscapes && hasByteEscapes(text) ? encodeWithEscapes(text) : new TextEncoder().encode(text);
  if (!bom) return body;
  const mark = byteOrderMarks.find((candidate) => candidate.name === name)?.bytes ?? [];
  const bytes = new Uint8Array(mark.length + body.length);
  bytes.set(mark);
  bytes.set(body, mark.length);
  return bytes;
}

async function exactly(bytes: Uint8Array, name: string, encodings: TextEncodings | undefined): Promise<DecodedText | undefined> {
  const text = await encodings?.decode(bytes, name);
  if (text === undefined || text.includes('\0') || loneSurrogate.test(text)) return undefined;
  const again = await encodings!.encode(text, name);
  const isExact = again?.length === bytes.length && again.every((byte, index) => byte === bytes[index]);
  return isExact ? { text, encoding: { name, bom: false } } : undefined;
}

async function notStorable(text: string, name: string, encodings: TextEncodings): Promise<TurnstoneError> {
  let culprit = '';
  for (const character of new Set(text)) {
    const bytes = await encodings.encode(character, name);
    if (bytes && (await encodings.decode(bytes, name)) === character) continue;
    culprit = character;
    break;
  }
  const what = culprit === '' ? 'some of the new text' : `"${culprit}" (U+${culprit.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`;
  return new TurnstoneError('not_text', `The file is stored as ${name}, which has no way to write ${what}. Nothing was written. Use other characters, or ask the user whether the file may be converted to UTF-8 first.`);
}

function markOf(bytes: Uint8Array) {
  return byteOrderMarks.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
}

/** Editors write "utf16le". */
function utf16Name(hint: string | undefined): string | undefined {
  const order = /^utf-?16(le|be)$/i.exec(hint ?? '')?.[1]?.toLowerCase();
  return order && `utf-16${order}`;
}

export function isUnicodeName(name: string): boolean {
  return /^utf-?(8|16)/i.test(name);
}

function hasManyControls(bytes: Uint8Array): boolean {
  let count = 0;
  for (const byte of bytes) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) count++;
  }
  return count > bytes.length * mostControls;
}
