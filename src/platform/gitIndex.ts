import { readFileSync } from 'node:fs';
import type { TreeEntry } from '../engine/ports.ts';

/** Bits of an entry's flags, as git documents its index format. */
const assumeValid = 0x8000;
const isExtended = 0x4000;
const stageMask = 0x3000;
/** A name of this length or more is not counted there. */
const lengthMask = 0x0fff;
/** Of the second flags: skip-worktree and intent-to-add. */
const extendedMask = 0x6000;
const headerLength = 12;
/** Times, device, inode, mode, owners and size: before the object's name. */
const statLength = 40;
const fileMode = 0o100000;

/**
 * What git's index holds of how files stood when they were last known to be as the repository has them. Read only; of
 * what is special (conflicts, files that git was told not to look at) nothing is known.
 */
export class GitIndex {
  readonly #view: DataView;
  /** By path from the top of the working folder, where its entry begins. */
  readonly #places: ReadonlyMap<string, number>;

  private constructor(view: DataView, places: ReadonlyMap<string, number>) {
    this.#view = view;
    this.#places = places;
  }

  /** Undefined where there is none, or one in a form that is not read here. `hashLength`: bytes of an object's name. */
  static read(path: string, hashLength: 20 | 32): GitIndex | undefined {
    try {
      const bytes = readFileSync(path);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const places = placesIn(bytes, view, hashLength);
      return places && new GitIndex(view, places);
    } catch {
      return undefined;
    }
  }

  /** Whether it says the same of the file as the entry does. Numbers in it have 32 bits. */
  isAs(name: string, entry: TreeEntry): boolean {
    const at = this.#places.get(name);
    if (at === undefined || entry.kind !== 'file') return false;
    const number = (offset: number): number => this.#view.getUint32(at + offset);
    const time = (offset: number): number => number(offset) * 1_000 + number(offset + 4) / 1_000_000;
    return time(0) === entry.ctimeMs && time(8) === entry.mtimeMs && number(20) === entry.inode % 2 ** 32 && number(36) === entry.size % 2 ** 32;
  }
}

function placesIn(bytes: Buffer, view: DataView, hashLength: number): Map<string, number> | undefined {
  const version = view.getUint32(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const places = new Map<string, number>();
  let at = headerLength;
  /** In bytes: of version 4, where each name goes on from the one before. */
  let earlier: Buffer = Buffer.alloc(0);
  for (let left = view.getUint32(8); left > 0; left--) {
    const flags = view.getUint16(at + statLength + hashLength);
    const hasMore = (flags & isExtended) !== 0;
    const start = at + statLength + hashLength + (hasMore ? 4 : 2);
    const more = hasMore ? view.getUint16(start - 2) : 0;
    const isPlain = (flags & (assumeValid | stageMask)) === 0 && (more & extendedMask) === 0 && (view.getUint32(at + 24) & 0o170000) === fileMode;
    if (version === 4) {
      const cut = varint(bytes, start);
      const end = bytes.indexOf(0, cut.end);
      if (end < 0) return undefined;
      earlier = Buffer.concat([earlier.subarray(0, earlier.length - cut.value), bytes.subarray(cut.end, end)]);
      if (isPlain) places.set(earlier.toString(), at);
      at = end + 1;
    } else {
      const length = flags & lengthMask;
      const end = length < lengthMask ? start + length : bytes.indexOf(0, start);
      if (end < 0 || bytes[end] !== 0) return undefined;
      if (isPlain) places.set(bytes.toString('utf8', start, end), at);
      at += (end - at + 8) & ~7;
    }
  }
  return hasLink(bytes, view, at, hashLength) ? undefined : places;
}

/** With a shared part elsewhere ("link") most entries are not in this file. */
function hasLink(bytes: Buffer, view: DataView, from: number, hashLength: number): boolean {
  for (let at = from; at + 8 <= bytes.length - hashLength; at += 8 + view.getUint32(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}

/** As in git's packs: seven bits a byte, each further one counts from one more. */
function varint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let value = bytes[at]! & 0x7f;
  while ((bytes[at++]! & 0x80) !== 0) value = (value + 1) * 128 + (bytes[at]! & 0x7f);
  return { value, end: at };
}
