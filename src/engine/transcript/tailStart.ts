import type { FileSystem } from '../ports.ts';

/** Files beyond this are not read whole. Bytes. */
const largestWholeRead = 50 * 1024 * 1024;
const chunkSize = 1024 * 1024;
/** What is searched first, because most marks stand near: a line begins not far before its middle. */
const firstChunkSize = 32 * 1024;

/** In a string of a JSON text the quotes would be escaped: where this stands, it is a line's own field. */
const boundaryMark = '"subtype":"compact_boundary"';

/**
 * Where to begin reading a transcript of `size` bytes: at 0, or for a very large one at the line of its last compaction
 * boundary (or of the messages that this one preserved). Found from the end, so that the rest is never read.
 */
export async function findTailStart(files: FileSystem, path: string, size: number, limit = largestWholeRead): Promise<number> {
  return size <= limit ? 0 : findBoundaryStart(files, path, size);
}

/** The same for the last boundary that stands before an offset, in a transcript of any size; 0 where there is none. */
export async function findBoundaryStart(files: FileSystem, path: string, before: number): Promise<number> {
  const boundary = await findLast(files, path, { mark: boundaryMark, before });
  if (boundary === undefined) return 0;
  const start = await lineStart(files, path, boundary);
  const line = new TextDecoder().decode(await files.readRange(path, start, boundary - start + 4096));
  const head = await findMessage(files, path, /"preservedSegment":\{"headUuid":"([\w-]+)"/.exec(line)?.[1], start);
  const request = await findMessage(files, path, /"preservedSegment":\{[^}]*"requestUuid":"([\w-]+)"/.exec(line)?.[1], start);
  const first = Math.min(head ?? start, request ?? start);
  return first < start ? lineStart(files, path, first) : start;
}

/** Where to begin reading instead of at `start`, so that the message `uuid` is among what is read; undefined when it stands nowhere before. */
export async function findStartFor(files: FileSystem, path: string, uuid: string, start: number): Promise<number | undefined> {
  const message = await findMessage(files, path, uuid, start);
  return message === undefined ? undefined : findBoundaryStart(files, path, message);
}

function findMessage(files: FileSystem, path: string, uuid: string | undefined, before: number): Promise<number | undefined> {
  return uuid === undefined ? Promise.resolve(undefined) : findLast(files, path, { mark: `"uuid":"${uuid}"`, before });
}

async function lineStart(files: FileSystem, path: string, offset: number): Promise<number> {
  const lineFeed = await findLast(files, path, { mark: '\n', before: offset });
  return lineFeed === undefined ? 0 : lineFeed + 1;
}

/** Offset of the last `mark` (ASCII) that ends at or before `before`. */
async function findLast(files: FileSystem, path: string, search: { readonly mark: string; readonly before: number }): Promise<number | undefined> {
  const { mark, before } = search;
  const buffer = new Uint8Array(Math.min(chunkSize + mark.length, before));
  for (let end = before, size = firstChunkSize; end > 0; end -= size, size = Math.min(size * 4, chunkSize)) {
    const start = Math.max(0, end - size);
    // Reaches into the chunk read before, so that a mark cut by the border is seen.
    const length = Math.min(end + mark.length - 1, before) - start;
    const text = new TextDecoder('latin1').decode(await files.readRange(path, start, length, buffer));
    const at = text.lastIndexOf(mark);
    if (at !== -1) return start + at;
  }
  return undefined;
}
