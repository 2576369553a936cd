import { isJsonObject, tryParseJson, type JsonObject } from '../../base/json.ts';
import type { FileSystem } from '../ports.ts';

const chunkSize = 256 * 1024;
const lineFeed = 0x0a;

/** One line of a transcript, without its line feed. */
export interface RawLine {
  /** From 1, counted from where reading began. */
  readonly number: number;
  readonly text: string;
  /** Some bytes were no UTF-8 and stand as U+FFFD in `text`. */
  readonly hasBadBytes: boolean;
}

const strict = new TextDecoder('utf-8', { fatal: true });
const lenient = new TextDecoder('utf-8');

/** Reads a file in chunks, split on LF alone; a character may be cut by a chunk border. Returns how the file ended. */
export async function* readLines(files: FileSystem, path: string, from = 0): AsyncGenerator<RawLine, { endsWithNewline: boolean }, void> {
  let parts: Uint8Array[] = [];
  let offset = from;
  let number = 0;
  let lastByte: number = lineFeed;
  for (;;) {
    const chunk = await files.readRange(path, offset, chunkSize);
    if (chunk.length === 0) break;
    offset += chunk.length;
    lastByte = chunk.at(-1)!;
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      parts.push(chunk.subarray(start, end));
      yield { number: ++number, ...decodeLine(joinBytes(parts)) };
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.slice(start));
  }
  if (parts.length > 0) yield { number: ++number, ...decodeLine(joinBytes(parts)) };
  return { endsWithNewline: lastByte === lineFeed };
}

/** The JSON objects of a line: usually one; several when a program appended to a line without an end. */
export function parseObjects(text: string): { readonly objects: readonly JsonObject[]; readonly isDamaged: boolean } {
  const whole = tryParseJson(text);
  if (isJsonObject(whole)) return { objects: [whole], isDamaged: false };
  const objects: JsonObject[] = [];
  let isDamaged = false;
  for (const piece of topLevelPieces(text)) {
    const value = tryParseJson(piece);
    if (isJsonObject(value)) objects.push(value);
    else if (piece.trim() !== '') {
      isDamaged = true;
      const glued = objectAtEnd(piece);
      if (glued) objects.push(glued);
    }
  }
  return { objects, isDamaged };
}

/** Where a program appended a whole line to a torn one. An object inside another can't be taken for it: more would follow. */
function objectAtEnd(text: string): JsonObject | undefined {
  let attempts = 0;
  for (const match of text.matchAll(/\{"(?:type|parentUuid)":/g)) {
    const value = match.index === 0 ? undefined : tryParseJson(text.slice(match.index));
    if (isJsonObject(value)) return value;
    if (++attempts === 50) return undefined;
  }
  return undefined;
}

/** Whole objects among some bytes; lines that are cut at either end fall out. */
export function objectsIn(bytes: Uint8Array): JsonObject[] {
  return new TextDecoder().decode(bytes).split('\n').flatMap((line) => parseObjects(line).objects);
}

export function decodeLine(bytes: Uint8Array): { readonly text: string; readonly hasBadBytes: boolean } {
  try {
    return { text: strict.decode(bytes), hasBadBytes: false };
  } catch {
    return { text: lenient.decode(bytes), hasBadBytes: true };
  }
}

/** Before decoding, so that a character cut by the border of two parts is whole again. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Cuts `{…}{…}` after each closing brace of the outermost level; what is left over is the last piece. */
function topLevelPieces(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let inString = false;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '{') {
      depth++;
    } else if (character === '}' && --depth === 0) {
      pieces.push(text.slice(start, index + 1));
      start = index + 1;
    }
  }
  return [...pieces, text.slice(start)];
}
