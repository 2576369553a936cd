import { minimatch } from 'minimatch';
import type { FileSystem } from '../ports.ts';

const maxPaths = 2_000;

/** The paths that a shell would put in place of an absolute path with stars; none when nothing fits. What cannot be listed fits nothing. */
export async function expandGlob(path: string, files: Pick<FileSystem, 'readFolder' | 'stat'>, options: { readonly foldCase: boolean; readonly hidden: boolean }): Promise<string[]> {
  const [root = '', ...segments] = path.split('/');
  let found = [root];
  for (const segment of segments) {
    if (!/[*?[(]/.test(segment)) {
      found = found.map((folder) => `${folder}/${segment}`);
      continue;
    }
    const next: string[] = [];
    for (const folder of found) {
      const entries = await files.readFolder(folder === '' ? '/' : folder).catch(() => []);
      const matching = entries.filter(({ name }) => fits(name, segment, options));
      next.push(...matching.map(({ name }) => `${folder}/${name}`));
      if (next.length >= maxPaths) break;
    }
    found = next.slice(0, maxPaths);
  }
  return found;
}

/** A pattern with too much in it may fit everything. */
function fits(name: string, pattern: string, { foldCase, hidden }: { readonly foldCase: boolean; readonly hidden: boolean }): boolean {
  try {
    return minimatch(name, pattern, { dot: hidden || pattern.startsWith('.') || pattern.startsWith('[.'), nocase: foldCase, nocomment: true, nonegate: true });
  } catch {
    return true;
  }
}
