import { TurnstoneError } from '../../base/errors.ts';
import { isWindowsPath, pathNames } from '../../base/paths.ts';
import type { FileState } from '../../protocol/transcript.ts';
import type { Digest, Documents, FileStat, FileSystem, TextEncodings } from '../ports.ts';
import { decodeText, encodeText, utf8 } from '../text/encoding.ts';
import type { BlobStore } from './blobStore.ts';

/** Larger files are not kept, and named before a rewind. Bytes. */
const largestKeptFile = 50 * 1024 * 1024;
/** For a file that exists only as unsaved text. */
export const newFileMode = 0o644;

export interface FileStatesOptions {
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly documents: Documents;
  readonly encodings?: TextEncodings | undefined;
  readonly blobs: Pick<BlobStore, 'put' | 'get'>;
}

/** Finds out what a path holds and makes it hold something else. What the user sees counts: unsaved text is the content. */
export class FileStates {
  readonly #options: FileStatesOptions;

  constructor(options: FileStatesOptions) {
    this.#options = options;
  }

  /** What `path` holds now, its content kept when `keep` is set; `durable` is as in {@link BlobStore.put}. Links are not followed. */
  async read(path: string, keep: boolean, durable = true): Promise<FileState> {
    const { files, digest, blobs } = this.#options;
    if (pathNames(path).includes('.git')) return uncovered('it is inside .git, which going back never touches');
    const folder = parentFolder(path);
    if (!(await this.#isReal(folder))) {
      // Behind a link in place of its folder there may be a file of that name: it is another one.
      const missingFolders = await this.#missingFolders(folder);
      return missingFolders.length > 0 ? { kind: 'absent', missingFolders } : uncovered('its folder goes by another name now');
    }
    const stat = await files.stat(path, { follow: false });
    if (stat?.kind === 'link') return { kind: 'link', target: await files.readLink(path) };
    if (stat?.kind === 'folder') return { kind: 'folder' };
    if (stat && stat.kind !== 'file') return uncovered('it is no plain file');
    if (stat && stat.size > largestKeptFile) return uncovered('it is larger than 50 MB');
    const bytes = await this.content(path, stat);
    if (!bytes) return { kind: 'absent', missingFolders: await this.#missingFolders(folder) };
    const hash = keep ? await blobs.put(bytes, { durable }) : digest.sha256(bytes);
    return { kind: 'file', hash, mode: stat?.mode ?? newFileMode, size: bytes.length };
  }

  /** Unsaved text in the encoding of the file, else the bytes on disk; undefined when there is neither. */
  async content(path: string, stat: FileStat | undefined): Promise<Uint8Array | undefined> {
    const { files, documents, encodings } = this.#options;
    const onDisk = stat && (await files.readFile(path));
    const text = documents.unsavedText(path);
    if (text === undefined) return onDisk;
    const encoding = onDisk ? (await this.#decode(path, onDisk))?.encoding : utf8;
    // Where the file's encoding can't hold the text, only what is on disk can be kept.
    return encoding ? encodeText(text, encoding, encodings).catch(() => onDisk) : onDisk;
  }

  hasUnsavedText(path: string): boolean {
    return this.#options.documents.unsavedText(path) !== undefined;
  }

  /** Makes `path` be as `state` says, writing nothing else but folders that it needs. Rejects when the file system refuses. */
  async write(path: string, state: FileState): Promise<void> {
    const { files } = this.#options;
    const stat = await files.stat(path, { follow: false });
    switch (state.kind) {
      case 'absent':
        // A folder goes when all that was in it has gone.
        if (stat?.kind !== 'folder') await files.remove(path);
        return files.makeFolder(parentFolder(state.missingFolders?.[0] ?? path));
      case 'folder':
        if (stat && stat.kind !== 'folder') await files.remove(path);
        await files.makeFolder(path);
        return this.#requireRealFolder(path);
      case 'link':
        if (stat?.kind === 'folder') await this.#removeFolder(path);
        else if (stat) await files.remove(path);
        await files.makeFolder(parentFolder(path));
        await this.#requireRealFolder(parentFolder(path));
        return files.symlink(state.target, path);
      case 'file':
        return this.#writeFile(path, state, stat);
      case 'uncovered':
        throw new TurnstoneError('disk', `${path} can't be brought back: ${state.reason}.`);
    }
  }

  async #writeFile(path: string, state: Extract<FileState, { kind: 'file' }>, stat: FileStat | undefined): Promise<void> {
    const { files, documents, blobs } = this.#options;
    const bytes = await blobs.get(state.hash);
    await files.makeFolder(parentFolder(path));
    await this.#requireRealFolder(parentFolder(path));
    // A write follows links; the link itself is what has to go.
    if (stat?.kind === 'link') await files.remove(path);
    if (stat?.kind === 'folder') await this.#removeFolder(path);
    if (stat?.kind === 'file' && (stat.mode & 0o200) === 0) await files.chmod(path, stat.mode | 0o200);
    // Through the editor where it has the file open, so that it can be undone there.
    const text = stat?.kind === 'file' ? (await this.#decode(path, bytes))?.text : undefined;
    if (text !== undefined) await documents.write(path, text, { alsoIfSaved: true });
    // An editor may have saved it in its own way (another encoding, formatting): the bytes decide.
    const now = await files.stat(path, { follow: false });
    const isThere = now?.kind === 'file' && now.size === bytes.length && this.#options.digest.sha256(await files.readFile(path)) === state.hash;
    if (!isThere) await files.writeFile(path, bytes, { mode: state.mode });
    else if (now.mode !== state.mode) await files.chmod(path, state.mode);
  }

  #decode(path: string, bytes: Uint8Array) {
    const { documents, encodings } = this.#options;
    return decodeText(bytes, { encodings, hint: documents.encodingOf?.(path) });
  }

  /** Whether no part of it is a link; one that goes round in a circle leads nowhere. */
  async #isReal(folder: string): Promise<boolean> {
    return (await this.#options.files.realpath(folder).catch(() => undefined)) === folder;
  }

  /** Nothing is ever written through a link that took the place of a folder. */
  async #requireRealFolder(folder: string): Promise<void> {
    if (!(await this.#isReal(folder))) throw new TurnstoneError('disk', `${folder} is a link to somewhere else now, and nothing is written there.`);
  }

  async #removeFolder(path: string): Promise<void> {
    if (!(await this.#options.files.removeEmptyFolder(path))) throw new TurnstoneError('disk', `${path} is a folder now, and there are files in it that the agent did not make.`);
  }

  /** Of the folders above a path, those that do not exist, outermost first. */
  async #missingFolders(folder: string): Promise<string[]> {
    const missing: string[] = [];
    for (let current = folder; (await this.#options.files.stat(current, { follow: false }))?.kind !== 'folder'; current = parentFolder(current)) {
      missing.unshift(current);
      if (parentFolder(current) === current) break;
    }
    return missing;
  }
}

/** `/a/b` → `/a`, `/a` → `/`, `C:\a` → `C:\`: of a path without `.` and `..`. */
export function parentFolder(path: string): string {
  const isWindows = isWindowsPath(path);
  const at = Math.max(path.lastIndexOf('/'), isWindows ? path.lastIndexOf('\\') : -1);
  if (at === -1) return path;
  const isRoot = at === 0 || (isWindows && at === 2);
  return path.slice(0, isRoot ? at + 1 : at);
}

function uncovered(reason: string): FileState {
  return { kind: 'uncovered', reason };
}
