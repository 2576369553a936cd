import type { FileSystem } from '../ports.ts';

/** Names on common file systems may have 255 bytes; the rest is room for the hash. Claude Code cuts at the same length. */
const longestFolderName = 200;

/** `<root>/projects/<sanitised cwd>/<session uuid>.jsonl`. */
export function transcriptPath(dataRoot: string, cwd: string, sessionId: string): string {
  return joinPath(projectFolder(dataRoot, cwd), `${sessionId}.jsonl`);
}

export function projectFolder(dataRoot: string, cwd: string): string {
  return joinPath(projectsFolder(dataRoot), sanitisedFolderName(cwd));
}

/** Every folder that may hold sessions of `cwd`: of a very long path, each program shortens the end in its own way. */
export async function foldersOf(files: FileSystem, root: string, cwd: string): Promise<string[]> {
  const name = sanitised(cwd);
  if (name.length <= longestFolderName) return [joinPath(projectsFolder(root), name)];
  return (await foldersIn(files, projectsFolder(root))).filter((folder) => baseName(folder).startsWith(name.slice(0, longestFolderName)));
}

/** The transcript of a session, whichever project it belongs to: by uuid, or by the path of its `.jsonl` file. */
export async function findTranscript(files: FileSystem, dataRoot: string, idOrPath: string): Promise<string | undefined> {
  if (idOrPath.endsWith('.jsonl')) return (await isFile(files, idOrPath)) ? idOrPath : undefined;
  // An id is a file name; whatever could leave the folder is none.
  if (!/^[\w-]+$/.test(idOrPath)) return undefined;
  for (const entry of await foldersIn(files, projectsFolder(dataRoot))) {
    const path = joinPath(entry, `${idOrPath}.jsonl`);
    if (await isFile(files, path)) return path;
  }
  return undefined;
}

/** All transcripts of whatever project. */
export async function transcriptsOf(files: FileSystem, dataRoot: string): Promise<string[]> {
  const inFolder = async (folder: string): Promise<string[]> => (await files.readFolder(folder)).flatMap(({ name, kind }) => (kind === 'file' && name.endsWith('.jsonl') ? [joinPath(folder, name)] : []));
  return (await Promise.all((await foldersIn(files, projectsFolder(dataRoot))).map(inFolder))).flat();
}

/** One folder name for a path: different paths may share it, which is why readers also look at the `cwd` of the lines. */
function sanitisedFolderName(cwd: string): string {
  const name = sanitised(cwd);
  return name.length <= longestFolderName ? name : `${name.slice(0, longestFolderName)}-${shortHash(cwd)}`;
}

function sanitised(cwd: string): string {
  return withoutFinalSeparator(cwd).replace(/[^a-zA-Z0-9]/g, '-');
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1)!;
}

/** `/a/b/` is the folder `/a/b`. */
export function withoutFinalSeparator(path: string): string {
  return path.replace(/(?<=.)[\\/]+$/, '');
}

/** Joins with the separator that the folder uses itself. */
export function joinPath(folder: string, name: string): string {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

function projectsFolder(dataRoot: string): string {
  return joinPath(dataRoot, 'projects');
}

async function foldersIn(files: FileSystem, folder: string): Promise<string[]> {
  if ((await files.stat(folder))?.kind !== 'folder') return [];
  const entries = await files.readFolder(folder);
  return entries.filter((entry) => entry.kind === 'folder').map((entry) => joinPath(folder, entry.name));
}

async function isFile(files: FileSystem, path: string): Promise<boolean> {
  return (await files.stat(path))?.kind === 'file';
}

/** FNV-1a over UTF-16 units, twice with different seeds: tells long names apart, protects nothing. */
function shortHash(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    first = Math.imul(first ^ text.charCodeAt(index), 0x01000193);
    second = Math.imul(second ^ text.charCodeAt(index), 0x01000197);
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
