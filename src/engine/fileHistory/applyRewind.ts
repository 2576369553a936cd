import { errorText } from '../../base/errors.ts';
import { pathNames } from '../../base/paths.ts';
import type { RewindLine } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import type { FileStates } from './fileStates.ts';
import { sameState } from './rewindPlan.ts';

export interface AppliedRewind {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Writes the files of a committed rewind. May be run again after it was cut short: a file that is there already is
 * left alone, one that is neither as before nor as it shall be was changed by somebody and is left alone too.
 * Never rejects: what went wrong is in `failed`.
 */
export async function applyRewind(line: Pick<RewindLine, 'files'>, states: FileStates, files: FileSystem): Promise<AppliedRewind> {
  const restored: string[] = [];
  const deleted: string[] = [];
  const failed: { path: string; reason: string }[] = [];
  for (const { path, from, to } of inOrder(line.files)) {
    try {
      // What the agent put where something else was has gone by now, but for its folders.
      if (from.kind === 'folder' && to.kind !== 'folder') await removeFolders(line, files, path);
      const present = await states.read(path, false);
      const isDone = sameState(present, to) && !states.hasUnsavedText(path);
      const isFolderGone = from.kind === 'folder' && present.kind === 'absent';
      if (!isDone && !isFolderGone && !sameState(present, from)) {
        failed.push({ path, reason: 'It was changed in the meantime and was left as it is.' });
        continue;
      }
      // An absent file may still lack its folders.
      if (!isDone || to.kind === 'absent') await states.write(path, to);
      if (to.kind !== 'absent') restored.push(path);
      else if (from.kind !== 'absent' && from.kind !== 'folder') deleted.push(path);
    } catch (thrown) {
      failed.push({ path, reason: errorText(thrown) });
    }
  }
  await removeFolders(line, files);
  return { restored, deleted, failed };
}

/** What goes first, the innermost before what it is in; then folders, then what comes back. */
function inOrder(files: RewindLine['files']): RewindLine['files'] {
  // Absent before and after: it is about the folder that it would be in.
  const rank = ({ from, to }: RewindLine['files'][number]): number => (to.kind === 'absent' ? (from.kind === 'absent' ? 1 : 0) : to.kind === 'folder' ? 1 : 2);
  const depth = ({ path }: RewindLine['files'][number]): number => pathNames(path).length;
  return files.toSorted((one, other) => rank(one) - rank(other) || (rank(one) === 0 ? depth(other) - depth(one) : depth(one) - depth(other)));
}

/** Folders that came into being with the files and are empty now, innermost first. */
async function removeFolders(line: Pick<RewindLine, 'files'>, files: FileSystem, within = ''): Promise<void> {
  const gone = line.files.flatMap(({ path, from, to }) => [...(from.kind === 'folder' && to.kind === 'absent' ? [path] : []), ...(to.kind === 'absent' ? (to.missingFolders ?? []) : [])]);
  const folders = new Set(gone.filter((folder) => folder.startsWith(within)));
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    // A folder that can't be removed is harmless; the files are what counts.
    await files.removeEmptyFolder(folder).catch(() => false);
  }
}
