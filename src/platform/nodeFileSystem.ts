import { appendFileSync, constants, mkdirSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { access, chmod, lstat, open, readdir, readFile, readlink, realpath, rename, rmdir, stat, symlink, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { FileStat, FileSystem } from '../engine/ports.ts';
import { holdFile } from './holdFile.ts';
import { makeFolder } from './makeFolder.ts';
import { syncFile, writeFileInPlace, writeFileWhole } from './writeFileWhole.ts';

const privateFileMode = 0o600;
const privateFolderMode = 0o700;
/** More links in a row than this are a loop (Linux follows 40). */
const maxLinks = 40;

export const nodeFileSystem: FileSystem = {
  readFile: (path) => readFile(path),

  async writeFile(path, bytes, options = {}) {
    const target = await finalTarget(path);
    await makeFolder(dirname(target));
    const existing = await statOrNothing(target);
    const mode = options.mode ?? (existing ? existing.mode & 0o7777 : undefined);
    const mustStay = existing !== undefined && (isTiedToItsPlace(existing) || !(await isWritable(dirname(target))));
    // A rename needs no right to the file itself, but a read-only file is meant to refuse.
    if (existing && !mustStay) await access(target, constants.W_OK);
    await (mustStay ? writeFileInPlace(target, bytes) : writeFileWhole(target, bytes, { mode, existing, durable: options.durable ?? true }));
    if (mustStay && options.mode !== undefined) await chmod(target, options.mode);
  },

  sync: (path) => syncFile(path),

  async stat(path, options = {}) {
    const found = await statOrNothing(path, options.follow ?? true);
    return found && { kind: kindOf(found), size: found.size, mode: found.mode & 0o7777, mtimeMs: found.mtimeMs, ctimeMs: found.ctimeMs };
  },

  realpath: (path) => realpathOfNearest(resolve(path)),
  readLink: (path) => readlink(path),
  symlink: (target, path) => symlink(target, path),

  async remove(path) {
    await ignoring(['ENOENT', 'ENOTDIR', 'ELOOP'], () => unlink(path));
  },

  rename: (path, to) => rename(path, to),

  async touch(path) {
    const now = new Date();
    return (await ignoring(['ENOENT', 'ENOTDIR'], () => utimes(path, now, now).then(() => true))) ?? false;
  },

  async removeEmptyFolder(path) {
    return (await ignoring(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'], () => rmdir(path).then(() => true))) ?? false;
  },

  chmod: (path, mode) => chmod(path, mode),

  async readFolder(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },

  async makeFolder(path) {
    await makeFolder(path);
  },

  async appendFile(path, text) {
    try {
      await appendOnce(path, text);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      await makeFolder(dirname(path), privateFolderMode);
      await appendOnce(path, text);
    }
  },

  appendFileNow(path, text) {
    try {
      appendFileSync(path, text, { mode: privateFileMode });
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      mkdirSync(dirname(path), { recursive: true, mode: privateFolderMode });
      appendFileSync(path, text, { mode: privateFileMode });
    }
  },

  hold: (path) => holdFile(path),

  async readRange(path, offset, length, into) {
    const handle = await open(path, 'r');
    try {
      const buffer = into ?? new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    } finally {
      await handle.close();
    }
  },
};

/** One write call, so that lines of two writers are not mixed; what the system took only in part is completed. */
async function appendOnce(path: string, text: string): Promise<void> {
  const handle = await open(path, 'a', privateFileMode);
  try {
    let rest = Buffer.from(text, 'utf8');
    while (rest.length > 0) rest = rest.subarray((await handle.write(rest)).bytesWritten);
  } finally {
    await handle.close();
  }
}

/** Where a write through `path` ends, also when the last link points to nothing yet. */
async function finalTarget(path: string): Promise<string> {
  let target = resolve(path);
  for (let links = 0; links < maxLinks; links++) {
    const found = await statOrNothing(target, false);
    if (!found?.isSymbolicLink()) return join(await realpathOfNearest(dirname(target)), basename(target));
    target = resolve(await realpathOfNearest(dirname(target)), await readlink(target));
  }
  throw Object.assign(new Error(`ELOOP: too many symbolic links encountered, open '${path}'`), { code: 'ELOOP' });
}

async function realpathOfNearest(path: string): Promise<string> {
  const real = await ignoring(['ENOENT', 'ENOTDIR'], () => realpath(path));
  if (real !== undefined) return real;
  const link = await ignoring(['ENOENT', 'ENOTDIR', 'EINVAL'], () => readlink(path));
  const parent = dirname(path);
  if (parent === path) return path;
  const realParent = await realpathOfNearest(parent);
  // A link to what does not exist yet: what would be written is its target.
  return link === undefined ? join(realParent, basename(path)) : realpathOfNearest(resolve(realParent, link));
}

async function statOrNothing(path: string, follow = true): Promise<Stats | undefined> {
  return ignoring(['ENOENT', 'ENOTDIR', 'ELOOP'], () => (follow ? stat(path) : lstat(path)));
}

/**
 * Renaming a new file over a hard-linked one would leave its other names with the old content; over another user's,
 * it would change hands; a device is no file at all.
 */
function isTiedToItsPlace(existing: Stats): boolean {
  const user = process.getuid?.() ?? 0;
  return existing.nlink > 1 || !existing.isFile() || (user !== 0 && existing.uid !== user);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(() => true, () => false);
}

function kindOf(entry: Stats | Dirent): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

async function ignoring<T>(codes: readonly string[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (codes.includes(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}
