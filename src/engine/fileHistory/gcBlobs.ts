import type { FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { heldFolder, heldForMs } from './blobStore.ts';

export interface GcOptions {
  readonly files: FileSystem;
  /** Turnstone's own folder, with `projects` and `blobs`. */
  readonly dataRoot: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Only tells what would be removed. Default: false. */
  readonly isTrial?: boolean | undefined;
}

export interface GcOutcome {
  /** Contents that a transcript names, or that are new. Bytes. */
  readonly kept: { readonly count: number; readonly bytes: number };
  readonly removed: { readonly count: number; readonly bytes: number };
}

/** A content is written before the transcript line that names it. Milliseconds. */
const graceMs = 60 * 60 * 1000;
const chunkBytes = 1024 * 1024;
/** In hex, and the quotes around it: what a content is called in a transcript. */
const hashLength = 64;

/**
 * Removes the saved contents that no transcript names any more, because its session was deleted, and tells what is left.
 * A transcript that can't be read stops it: nothing is removed then. Safe beside running sessions.
 */
export async function gcBlobs(options: GcOptions): Promise<GcOutcome> {
  const { files, dataRoot, now } = options;
  const named = await namedContents(options);
  const kept = { count: 0, bytes: 0 };
  const removed = { count: 0, bytes: 0 };
  const folder = joinPath(dataRoot, 'blobs');
  for (const { name: start, kind } of await entriesOf(files, folder)) {
    if (kind !== 'folder' || !/^[0-9a-f]{2}$/.test(start)) continue;
    for (const { name: rest } of await files.readFolder(joinPath(folder, start))) {
      const path = joinPath(joinPath(folder, start), rest);
      const stat = await files.stat(path, { follow: false });
      if (stat?.kind !== 'file') continue;
      const isOurs = /^[0-9a-f]{62}$/.test(rest) || rest.endsWith('.tmp');
      const goes = isOurs && !named.has(start + rest) && now - stat.mtimeMs > graceMs;
      if (goes && !options.isTrial) await files.remove(path);
      const count = goes ? removed : kept;
      count.count++;
      count.bytes += stat.size;
    }
  }
  return { kept, removed };
}

/** Every SHA-256 that stands in a transcript, wherever in it: better one content too many than one too few. */
async function namedContents({ files, dataRoot, now, isTrial }: GcOptions): Promise<Set<string>> {
  const named = new Set<string>();
  const held = joinPath(joinPath(dataRoot, 'blobs'), heldFolder);
  for (const { name } of await entriesOf(files, held)) {
    const path = joinPath(held, name);
    const isOver = now - ((await files.stat(path))?.mtimeMs ?? 0) > heldForMs;
    if (!isOver) await addNamedIn(files, path, named);
    else if (!isTrial) await files.remove(path);
  }
  // A deleted session can come back from the trash, and must find what it needs.
  for (const folder of ['projects', 'trash'].map((name) => joinPath(dataRoot, name))) {
    for (const { name, kind } of await entriesOf(files, folder)) {
      if (kind === 'folder') await addNamed(files, joinPath(folder, name), named);
    }
  }
  return named;
}

async function addNamed(files: FileSystem, folder: string, named: Set<string>): Promise<void> {
  for (const { name, kind } of await files.readFolder(folder)) {
    const path = joinPath(folder, name);
    if (kind === 'folder') await addNamed(files, path, named);
    else if (name.endsWith('.jsonl')) await addNamedIn(files, path, named);
  }
}

async function addNamedIn(files: FileSystem, path: string, named: Set<string>): Promise<void> {
  const decoder = new TextDecoder('latin1');
  let carried = '';
  for (let offset = 0; ; offset += chunkBytes) {
    const bytes = await files.readRange(path, offset, chunkBytes);
    const text = carried + decoder.decode(bytes);
    for (const [hash] of text.matchAll(/\b[0-9a-f]{64}\b/g)) named.add(hash);
    if (bytes.length < chunkBytes) return;
    carried = text.slice(-hashLength - 1);
  }
}

async function entriesOf(files: FileSystem, folder: string) {
  return (await files.stat(folder))?.kind === 'folder' ? files.readFolder(folder) : [];
}
