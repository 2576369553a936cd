import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * Kind, bytes, mode, time (ms) and inode of everything below a folder, `.git` included. Folders inside `.git` have their
 * time too: it tells of every file that was ever made, renamed or removed there, even if all is as before.
 */
export async function everyFile(folder: string, prefix = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = join(prefix, entry.name);
    const path = join(folder, name);
    const stat = await lstat(path);
    if (entry.isDirectory()) {
      found[`${name}/`] = name.split(sep).includes('.git') ? `folder ${stat.mtimeMs}` : 'folder';
      Object.assign(found, await everyFile(folder, name));
      continue;
    }
    const content = entry.isSymbolicLink() ? await readlink(path) : stat.size > 1e8 ? `${stat.size} bytes` : createHash('sha256').update(await readFile(path)).digest('hex');
    found[name] = `${content} ${(stat.mode & 0o777).toString(8)} ${stat.mtimeMs} ${stat.ino}`;
  }
  return found;
}

/** The same without times and inodes. */
export function contents(all: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, text.startsWith('folder') ? 'folder' : text.split(' ').slice(0, 2).join(' ')]));
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'protocol.file.allow=always', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
