import { errorText } from '../../base/errors.ts';
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
export async function applyRewind(line: RewindLine, states: FileStates, files: FileSystem): Promise<AppliedRewind> {
  const restored: string[] = [];
  const deleted: string[] = [];
  const failed: { path: string; reason: string }[] = [];
  for (const { path, from, to } of line.files) {
    try {
      const present = await states.read(path, false);
      const isDone = sameState(present, to) && !states.hasUnsavedText(path);
      if (!isDone && !sameState(present, from)) {
        failed.push({ path, reason: 'It was changed in the meantime and was left as it is.' });
        continue;
      }
      // An absent file may still lack its folders.
      if (!isDone || to.kind === 'absent') await states.write(path, to);
      if (to.kind !== 'absent') restored.push(path);
      else if (from.kind !== 'absent') deleted.push(path);
    } catch (thrown) {
      failed.push({ path, reason: errorText(thrown) });
    }
  }
  await removeFolders(line, files);
  return { restored, deleted, failed };
}

/** Folders that came into being with the files and are empty now, innermost first. */
async function removeFolders(line: RewindLine, files: FileSystem): Promise<void> {
  const folders = new Set(line.files.flatMap(({ to }) => (to.kind === 'absent' ? (to.missingFolders ?? []) : [])));
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    // A folder that can't be removed is harmless; the files are what counts.
    await files.removeEmptyFolder(folder).catch(() => false);
  }
}
