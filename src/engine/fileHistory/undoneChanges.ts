import type { RewindLine } from '../../protocol/transcript.ts';
import { sameState } from './rewindPlan.ts';
import type { FileEvent } from './rewindPlan.ts';

/** Those of the agent's changes that were taken back, and stayed so. `startOf`: the number of a message's first line. Pure. */
export function undoneChanges(events: readonly FileEvent[], rewinds: readonly RewindLine[], startOf: (messageId: string) => number): ReadonlySet<FileEvent> {
  const undone = new Set<FileEvent>();
  for (const rewind of standing(rewinds)) {
    const paths = new Set(rewind.files.map(({ path }) => path));
    const earlier = events.filter((event) => !event.isRewind && paths.has(event.path) && event.sequence < (rewind.sequence ?? 0));
    for (const event of earlier) if (takesBack(rewind, event, earlier, startOf)) undone.add(event);
  }
  return undone;
}

/** Without those that were undone and not redone, and without the undoing and redoing. */
function standing(rewinds: readonly RewindLine[]): RewindLine[] {
  const cancelled = new Set<string>();
  return rewinds.toReversed().filter(({ uuid, undoes, redoes }) => {
    if (cancelled.has(uuid)) return false;
    const takenBack = undoes ?? redoes;
    if (takenBack !== undefined) cancelled.add(takenBack);
    return takenBack === undefined;
  });
}

function takesBack({ selection, isRollback, messageId, files }: RewindLine, event: FileEvent, earlier: readonly FileEvent[], startOf: (messageId: string) => number): boolean {
  if (isRollback) {
    // Back to how it was before the first of the writes that belong together.
    const to = files.find(({ path }) => path === event.path)!.to;
    const first = earlier.findLast(({ path, before }) => path === event.path && sameState(before, to));
    return first !== undefined && event.sequence >= first.sequence;
  }
  if (!selection) return event.sequence >= startOf(messageId);
  return (selection.messageId === undefined || selection.messageId === event.owner) && (selection.toolUseId === undefined || selection.toolUseId === event.toolUseId) && (selection.path === undefined || selection.path === event.path);
}
