import type { FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { addNamedIn } from './gcBlobs.ts';

/** What a session takes on disk. Bytes. */
export interface SessionStorage {
  /** Its transcript, large results and the transcripts of its sub-agents. */
  readonly conversation: number;
  /** Of files as they were, so that changes can be taken back; other sessions may need the same ones. */
  readonly contents: number;
}

export async function sessionStorage(files: FileSystem, dataRoot: string, transcript: string): Promise<SessionStorage> {
  const named = new Set<string>();
  await addNamedIn(files, transcript, named);
  let contents = 0;
  for (const hash of named) contents += (await files.stat(joinPath(joinPath(dataRoot, 'blobs'), `${hash.slice(0, 2)}/${hash.slice(2)}`)))?.size ?? 0;
  const own = (await files.stat(transcript))?.size ?? 0;
  return { conversation: own + (await sizeUnder(files, transcript.replace(/\.jsonl$/, ''))), contents };
}

async function sizeUnder(files: FileSystem, folder: string): Promise<number> {
  if ((await files.stat(folder))?.kind !== 'folder') return 0;
  let size = 0;
  for (const { name, kind } of await files.readFolder(folder)) {
    const path = joinPath(folder, name);
    size += kind === 'folder' ? await sizeUnder(files, path) : ((await files.stat(path))?.size ?? 0);
  }
  return size;
}
