/** Where an answer's bytes are cut into writes: after each event, each byte, every n bytes, or at these offsets. */
export type Chunking = 'event' | 'byte' | number | readonly number[];

/** Cuts the framed events of a stream. The pieces joined are always the whole, whatever the offsets. */
export function cutIntoChunks(frames: readonly Uint8Array[], chunking: Chunking): Uint8Array[] {
  if (chunking === 'event') return [...frames];
  const whole = Buffer.concat(frames);
  const offsets = typeof chunking === 'object' ? chunking : everyBytes(whole.length, chunking === 'byte' ? 1 : chunking);
  return cutAt(whole, offsets);
}

function cutAt(whole: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const inside = offsets.filter(offset => offset > 0 && offset < whole.length);
  const cuts = [0, ...[...new Set(inside)].sort((a, b) => a - b), whole.length];
  return cuts.slice(1).map((end, index) => whole.subarray(cuts[index], end)).filter(chunk => chunk.length > 0);
}

function everyBytes(length: number, size: number): number[] {
  if (!Number.isInteger(size) || size < 1) throw new Error(`a chunk size is a whole number of bytes from 1 on, not ${size}`);
  return Array.from({ length: Math.floor(length / size) }, (_, index) => (index + 1) * size);
}
