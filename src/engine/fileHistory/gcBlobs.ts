import { systemErrorCode } from '../../base/errors.ts';
import type { FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { goingSuffix, graceMs, heldFolder, heldForMs } from './blobStore.ts';

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

const chunkBytes = 1024 * 1024;
/** In hex, and the quotes around it: what a content is called in a transcript. */
const hashLength = 64;

/**
 * Removes the saved contents that no transcript names any more, because its session was deleted, and tells what is left.
 * A transcript that can't be read stops it: nothing is removed then. Safe beside running sessions: a content goes by being
 * given another name first, and comes back where somebody has touched it before that.
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
      const own = rest.endsWith(goingSuffix) ? rest.slice(0, -goingSuffix.length) : rest;
      const isOurs = /^[0-9a-f]{62}$/.test(own) || rest.endsWith('.tmp');
      const isOld = isOurs && !named.has(start + own) && now - stat.mtimeMs > graceMs;
      const goes = isOld && (options.isTrial === true || (await takeAway(path, options)));
      // Left behind by a cleaning that did not come to its end.
      if (!isOld && own !== rest && !options.isTrial) await bringBack(path, files);
      const count = goes ? removed : kept;
      count.count++;
      count.bytes += stat.size;
    }
  }
  return { kept, removed };
}

/** False when somebody needs it after all. Once it has the other name, whoever wants to keep the same content writes it anew. */
async function takeAway(path: string, { files, now }: GcOptions): Promise<boolean> {
  const going = path.endsWith(goingSuffix) ? path : `${path}${goingSuffix}`;
  if (going !== path && !(await renamed(path, going, files))) return true;
  const touched = (await files.stat(going))?.mtimeMs;
  if (touched !== undefined && now - touched <= graceMs) {
    await bringBack(going, files);
    return false;
  }
  await files.remove(going);
  return true;
}

async function bringBack(going: string, files: FileSystem): Promise<void> {
  const path = going.slice(0, -goingSuffix.length);
  if (await files.stat(path)) await files.remove(going);
  else await renamed(going, path, files);
}

/** False when it is not there any more: another process cleans up, too. */
async function renamed(from: string, to: string, files: FileSystem): Promise<boolean> {
  try {
    await files.rename(from, to);
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
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

/** Every SHA-256 that stands in a file. */
export async function addNamedIn(files: FileSystem, path: string, named: Set<string>): Promise<void> {
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
