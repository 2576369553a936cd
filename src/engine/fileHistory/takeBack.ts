import type { MergeConflict } from '../../protocol/rewind.ts';
import type { FileState } from '../../protocol/transcript.ts';
import { mergeFiles } from './mergeFiles.ts';
import type { PathHistory } from './rewindPlan.ts';

export interface TakenBack {
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly conflicts: readonly MergeConflict[];
}

export interface PresentFile {
  readonly state: FileState;
  readonly bytes: Uint8Array | undefined;
}

/**
 * What a file would hold without the agent's changes but with all others: each change is taken back, the newest first,
 * by a three-way merge. Undefined when that can't be: it is no text, it came or went, or how the agent left it is not known.
 */
export async function takeBack(history: PathHistory, present: PresentFile, contentOf: (state: FileState) => Promise<Uint8Array | undefined>): Promise<TakenBack | undefined> {
  if (present.state.kind !== 'file' || !present.bytes) return undefined;
  let { bytes } = present;
  let { mode } = present.state;
  const conflicts: MergeConflict[] = [];
  for (const { before, after } of history.changes.toReversed()) {
    if (before.kind !== 'file' || after?.kind !== 'file') return undefined;
    if (mode === after.mode) mode = before.mode;
    if (before.hash === after.hash) continue;
    const [base, target] = await Promise.all([contentOf(after), contentOf(before)].map((content) => content.catch(() => undefined)));
    const merged = base && target && mergeFiles({ base, present: bytes, target });
    if (!merged) return undefined;
    conflicts.push(...merged.conflicts);
    bytes = merged.bytes;
  }
  return { bytes, mode, conflicts };
}
