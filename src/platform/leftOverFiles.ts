import { readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryOwner, temporaryPrefix } from './writeFileWhole.ts';

/**
 * Removes the halves that a killed process left beside the files it was writing: of `paths`, and only where the process
 * that wrote them lives no more. Never rejects; what can't be removed is harmless.
 */
export async function removeLeftOverFiles(paths: Iterable<string>): Promise<void> {
  const prefixes = new Map<string, Set<string>>();
  for (const path of paths) prefixes.set(dirname(path), (prefixes.get(dirname(path)) ?? new Set()).add(temporaryPrefix(path)));
  for (const [folder, wanted] of prefixes) {
    for (const name of await readdir(folder).catch(() => [])) {
      const owner = temporaryOwner(name);
      if (owner && wanted.has(owner.prefix) && !isRunning(owner.pid)) await unlink(join(folder, name)).catch(() => {});
    }
  }
}

/** Another process may have got the number since; then its half stays for another time. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
