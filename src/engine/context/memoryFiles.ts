import { parentPath, resolvePath } from '../../base/paths.ts';
import { systemErrorCode } from '../../base/errors.ts';
import type { FileSystem } from '../ports.ts';

export interface MemoryFile {
  readonly path: string;
  readonly text: string;
}

const names = ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md'];
/** More than this is not instructions any more. In bytes. */
const sizeLimit = 100_000;

/** Instruction files of the user, then of the folders from the root down to the workspace. What is not there is no error. */
export async function memoryFiles(files: FileSystem, cwd: string, homeFolder: string): Promise<readonly MemoryFile[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = parentPath(folder)) {
    folders.unshift(folder);
    if (parentPath(folder) === folder) break;
  }
  const candidates = [resolvePath(homeFolder, '.claude/CLAUDE.md'), ...folders.flatMap((folder) => names.map((name) => resolvePath(folder, name)))];
  const found = await Promise.all([...new Set(candidates)].map((path) => readIfThere(files, path)));
  return found.filter((file) => file !== undefined);
}

async function readIfThere(files: FileSystem, path: string): Promise<MemoryFile | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat?.kind !== 'file') return undefined;
    if (stat.size > sizeLimit) return { path, text: `(${path} is ${stat.size} bytes long and was left out; at most ${sizeLimit} are taken)` };
    return { path, text: new TextDecoder().decode(await files.readFile(path)) };
  } catch (thrown) {
    if (systemErrorCode(thrown)) return { path, text: `(${path} could not be read: ${systemErrorCode(thrown)})` };
    throw thrown;
  }
}
