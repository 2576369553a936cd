import { baseName, isAbsolutePath, parentPath, resolvePath } from '../../base/paths.ts';
import type { FileSystem } from '../ports.ts';

/**
 * A text that changes when the repository's HEAD or index does: a checkout, a commit, an add. Made of sizes and times
 * alone, so that asking costs a few stats and no process. Undefined outside a repository.
 */
export async function gitMarks(files: FileSystem, cwd: string): Promise<string | undefined> {
  const folder = await gitFolder(files, cwd);
  if (folder === undefined) return undefined;
  const stats = await Promise.all(['HEAD', 'index', 'logs/HEAD'].map((name) => files.stat(resolvePath(folder, name))));
  return [folder, ...stats.map((stat) => (stat ? `${stat.size} ${stat.mtimeMs}` : '-'))].join('\n');
}

/** True for a path inside a repository's own folder that says that branch, commit or index have changed. */
export function isGitState(path: string): boolean {
  return /[\\/]\.git[\\/]/.test(path) && (['HEAD', 'index'].includes(baseName(path)) || /[\\/]\.git[\\/](.*[\\/])?refs[\\/]heads[\\/]/.test(path));
}

/** `.git` itself, or what the file of that name points to (worktrees, submodules). */
async function gitFolder(files: FileSystem, cwd: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = parentPath(folder)) {
    const path = resolvePath(folder, '.git');
    const stat = await files.stat(path);
    if (stat?.kind === 'folder') return path;
    if (stat?.kind === 'file') {
      const target = /^gitdir:\s*(.+?)\s*$/m.exec(new TextDecoder().decode(await files.readFile(path)))?.[1];
      return target === undefined ? undefined : isAbsolutePath(target) ? target : resolvePath(folder, target);
    }
    if (parentPath(folder) === folder) return undefined;
  }
}
