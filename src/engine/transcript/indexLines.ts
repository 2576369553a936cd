import type { JsonObject } from '../../base/json.ts';
import type { FileSystem } from '../ports.ts';
import type { EntryCollector } from './entryCollector.ts';
import { decodeLine, joinBytes } from './readLines.ts';

/** Read at once, and made text of at once: the second stays in the processor's cache while it is looked through. Bytes. */
const bufferSize = 1024 * 1024;
const pieceSize = 64 * 1024;
/** The head of a message's line as we write it: an answer, or results of calls. */
const messageHead =
  /^\{"parentUuid":"([^"\\]+)","isSidechain":false,"userType":"external","sessionId":"[^"\\]*","timestamp":"[^"\\]*","cwd":"[^"\\]*(?:\\.[^"\\]*)*","version":"[^"\\]*","type":"(?:assistant","uuid":"([^"\\]+)","message":\{(?:"model":"[^"\\]*",)?"id":"([^"\\]+)"|user","uuid":"([^"\\]+)","message":\{"role":"user","content":\[\{"type":"tool_result","tool_use_id":")/;
const progressHead = '{"type":"progress","sessionId":"';
const toldHead = '{"type":"told","sessionId":"';
const stateHead = '{"type":"session-state","sessionId":"';
const chargeHead = '{"type":"charge","sessionId":"';
const partialHead = /^\{"type":"partial","sessionId":"[^"\\]*","timestamp":"[^"\\]*","messageId":"([^"\\]+)"/;
/** Of results that are told of although the model does not see them any more; what the model sees of them is short. */
const keptResult = '"toolUseResult":{"kind":"todos"';
const longestKept = 1024;
const latin1 = new TextDecoder('latin1');

/**
 * Reads the lines before `end` (the start of a line, in bytes), whose messages nobody will see. Of these only the place
 * in the tree is kept, many in a row as one; of the states of the session only the newest, with the charges after it. Whatever is something else, or
 * not as we write it, is parsed. Returns how many lines there were.
 */
export async function indexLines(files: FileSystem, path: string, end: number, collector: EntryCollector): Promise<number> {
  const index = new LineIndex(collector);
  // One for all: as much new memory as the file is large would have to be collected.
  let buffer: Uint8Array = new Uint8Array(Math.min(bufferSize, end));
  let kept = 0;
  for (let offset = 0; offset < end; ) {
    if (kept > buffer.length / 2) buffer = joinBytes([buffer, new Uint8Array(buffer.length)]);
    const chunk = await files.readRange(path, offset, Math.min(buffer.length - kept, end - offset), buffer.subarray(kept));
    if (chunk.length === 0) break;
    if (chunk.buffer !== buffer.buffer) buffer.set(chunk, kept);
    offset += chunk.length;
    const filled = kept + chunk.length;
    const rest = takeLines({ bytes: buffer.subarray(0, filled), offset: offset - filled }, index);
    buffer.copyWithin(0, rest, filled);
    kept = filled - rest;
  }
  for (const { number, start, length } of index.states) collector.add(number, decodeLine(await files.readRange(path, start, length)));
  return index.number;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** In the file, in bytes. */
  readonly offset: number;
}

/** Returns where the line begins that has no end yet. */
function takeLines({ bytes, offset }: Piece, index: LineIndex): number {
  let start = 0;
  for (let at = 0; at < bytes.length; at += pieceSize) {
    // One character for each byte: quick, and enough to look for what is ASCII.
    const text = latin1.decode(bytes.subarray(at, at + pieceSize));
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) {
      const end = at + feed;
      const line = start < at ? latin1.decode(bytes.subarray(start, end)) : text.slice(start - at, feed);
      if (!index.take(line)) index.parse({ bytes: bytes.subarray(start, end), offset: offset + start }, line);
      start = end + 1;
    }
  }
  return start;
}

class LineIndex {
  /** Lines until now. */
  number = 0;
  /** The newest state of the session, and what was charged since: where they stand, since most are not the newest for long. Lengths in bytes. */
  states: { readonly number: number; readonly start: number; readonly length: number }[] = [];
  readonly #collector: EntryCollector;
  /** What the last entry says, if more may be put on it. */
  #last: JsonObject | undefined;
  /** Of answers that were noted down while they streamed: whether their own lines came tells whether they were cut off. */
  readonly #partialIds = new Set<string>();

  constructor(collector: EntryCollector) {
    this.#collector = collector;
  }

  /** False for a line that has to be parsed. `line`: one character for each byte. */
  take(line: string): boolean {
    this.number += 1;
    const partial = line.startsWith('{"type":"partial"') ? partialHead.exec(line)?.[1] : undefined;
    if (partial !== undefined) this.#partialIds.add(copied(partial));
    // What is torn ends otherwise, and so does what anything else is glued to.
    if (!line.endsWith('}}')) return false;
    if (line.startsWith(progressHead) || line.startsWith(toldHead)) return true;
    const match = messageHead.exec(line) as unknown as readonly [string, string, string | undefined, string, string] | null;
    if (!match) return false;
    const [head, parentUuid, answer, id, result] = match;
    if (answer !== undefined) return this.#chain('assistant', answer, parentUuid, this.#partialIds.has(id) ? copied(id) : undefined);
    const isKept = line.slice(head.length, head.length + longestKept).includes(keptResult);
    return !isKept && this.#chain('user', result, parentUuid);
  }

  /** The line that was taken last. Of the states of the session only the newest is, and of the charges those after it: they wait for the end. */
  parse({ bytes, offset }: Piece, line: string): void {
    const isState = isStateLine(line);
    if (isState) this.states = [];
    if (isState || line.startsWith(chargeHead)) this.states.push({ number: this.number, start: offset, length: bytes.length });
    else this.#collector.add(this.number, decodeLine(bytes));
  }

  /** What follows the line before stands for both. Anything in between tells them apart: a rewind counts from where it stands. */
  #chain(type: 'assistant' | 'user', uuid: string, parentUuid: string, id?: string): true {
    const last = this.#last;
    if (last && id === undefined && last === this.#collector.entries.at(-1)?.value && last['uuid'] === parentUuid) {
      last['uuid'] = copied(uuid);
      last['type'] = type;
      return true;
    }
    const value = { parentUuid: copied(parentUuid), isSidechain: false, type, uuid: copied(uuid), ...(id !== undefined && { message: { id } }) };
    this.#collector.entries.push({ number: this.number, value, isIndexed: true });
    this.#last = id === undefined ? value : undefined;
    return true;
  }
}

function isStateLine(line: string): boolean {
  return line.startsWith(stateHead) && line.endsWith('}}');
}

/** A text that does not hold on to the much longer one that it is a part of. */
function copied(part: string): string {
  return ` ${part}`.slice(1);
}
