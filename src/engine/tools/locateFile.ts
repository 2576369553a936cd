import { TurnstoneError } from '../../base/errors.ts';
import { baseName, displayPath, parentPath, resolvePath } from '../../base/paths.ts';
import type { ToolContext } from './tool.ts';

/** One file that a call names. */
export interface LocatedFile {
  /** Absolute, as the model and the user know it. */
  readonly path: string;
  /** Links resolved: what is really read or written, and the key of the read-file state. */
  readonly targetPath: string;
  /** The one of the two by which an editor has it open with unsaved text; else `targetPath`. */
  readonly openPath: string;
  /** Short, for messages. */
  readonly shown: string;
}

const maxSuggestions = 5;

export async function locateFile(filePath: string, context: Pick<ToolContext, 'cwd' | 'files' | 'documents'>): Promise<LocatedFile> {
  const path = resolvePath(context.cwd, filePath);
  const targetPath = await context.files.realpath(path);
  const openPath = context.documents.unsavedText(path) === undefined ? targetPath : path;
  return { path, targetPath, openPath, shown: displayPath(context.cwd, path) };
}

/** A `not_found` error that names files of the same folder with a similar name. */
export async function fileNotFound(file: LocatedFile, context: Pick<ToolContext, 'files'>): Promise<TurnstoneError> {
  const folder = parentPath(file.path);
  const entries = await context.files.readFolder(folder).catch(() => undefined);
  if (!entries) return new TurnstoneError('not_found', `${file.shown} does not exist, and neither does its folder.`);
  const similar = similarNames(baseName(file.path), entries.map((entry) => entry.name));
  const hint = similar.length > 0 ? ` Similar names in the same folder: ${similar.join(', ')}.` : ' Use Glob to find it.';
  return new TurnstoneError('not_found', `${file.shown} does not exist.${hint}`);
}

/** Same letters in another case, same name with another ending, one contained in the other, or few letters apart. */
function similarNames(wanted: string, names: readonly string[]): string[] {
  const plain = wanted.toLowerCase();
  const stem = stemOf(plain);
  const rank = (name: string): number => {
    const other = name.toLowerCase();
    if (other === plain) return 0;
    if (stemOf(other) === stem) return 1;
    if (other.includes(stem) || plain.includes(stemOf(other))) return 2;
    return isFewLettersApart(stem, stemOf(other)) ? 2 : 3;
  };
  return names
    .map((name) => ({ name, rank: rank(name) }))
    .filter((candidate) => candidate.rank < 3)
    .sort((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1))
    .slice(0, maxSuggestions)
    .map((candidate) => candidate.name);
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Equal but for one stretch of at most two letters. */
function isFewLettersApart(one: string, other: string): boolean {
  const shortest = Math.min(one.length, other.length);
  if (shortest < 3) return false;
  let start = 0;
  while (start < shortest && one[start] === other[start]) start++;
  let end = 0;
  while (end < shortest - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end <= 2;
}
