import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface WholeWrite {
  /** Permission bits; undefined = what the process gives to new files. */
  readonly mode: number | undefined;
  /** What is there now, whose owner is kept where that is allowed. */
  readonly existing: Stats | undefined;
  /** Whether it outlives a loss of power. */
  readonly durable: boolean;
}

/**
 * Puts `bytes` at `path` whole or not at all, durably: a reader and a crash see the old content or the new one,
 * never a part. `path` must be no link. The folder must be writable.
 */
export async function writeFileWhole(path: string, bytes: Uint8Array, write: WholeWrite): Promise<void> {
  const temporary = temporaryPath(path);
  const handle = await open(temporary, 'wx', write.existing ? 0o600 : 0o666);
  try {
    try {
      await handle.writeFile(bytes);
      await keepOwner(handle, write.existing);
      if (write.mode !== undefined) await handle.chmod(write.mode);
      if (write.durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // The first error is the one to tell; a temporary file that cannot be removed is harmless.
    await unlink(temporary).catch(() => {});
    throw error;
  }
  if (write.durable) await syncFolder(dirname(path));
}

/** Where the new content of a file stands until it is whole. The name says whose it is and which process writes it. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `${temporaryPrefix(path)}${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}

/** What the names of all {@link temporaryPath}s of a file begin with. */
export function temporaryPrefix(path: string): string {
  return `.${basename(path).slice(0, 60)}.`;
}

/** Of the name of a {@link temporaryPath}: its prefix and the process that writes it. */
export function temporaryOwner(name: string): { readonly prefix: string; readonly pid: number } | undefined {
  const match = /^(\..+\.)(\d+)-[0-9a-f]{12}\.tmp$/s.exec(name);
  return match ? { prefix: match[1]!, pid: Number(match[2]) } : undefined;
}

/** For hard links and for folders where no file can be made: keeps the file itself, but is not atomic. */
export async function writeFileInPlace(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    let written = 0;
    while (written < bytes.length) written += (await handle.write(bytes, written, bytes.length - written, written)).bytesWritten;
    // Shortened last, so that a crash before leaves too much rather than too little.
    await handle.truncate(bytes.length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, existing: Stats | undefined): Promise<void> {
  if (!existing) return;
  const made = await handle.stat();
  if (made.uid === existing.uid && made.gid === existing.gid) return;
  // Only root may give files away; others keep their own name on the file, as editors do.
  await handle.chown(existing.uid, existing.gid).catch(() => {});
}

/** At once, so that the system can write both in one go. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await Promise.all([handle.datasync(), syncFolder(dirname(path))]);
  } finally {
    await handle.close();
  }
}

/** Makes the rename itself durable. Not all systems can open a folder; there the file is durable all the same. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.sync().catch(() => {});
  await handle.close();
}
