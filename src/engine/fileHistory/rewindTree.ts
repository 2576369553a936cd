import type { RewindLine, RewindScope } from '../../protocol/transcript.ts';
import { historiesOf, historiesSince, type FileEvent, type PathHistory } from './rewindPlan.ts';

/**
 * Rewinds form a tree: each leads away from where the session stood, and nothing is lost behind it. Undoing one goes
 * back to before it, whatever was said since; redoing goes back to before an undoing. All of it is pure.
 */

/** The newest rewind that was not undone. */
export function undoableRewind(rewinds: readonly RewindLine[]): RewindLine | undefined {
  const undone = new Set<string>();
  return rewinds.findLast((line) => {
    if (line.undoes !== undefined) undone.add(line.undoes);
    return line.undoes === undefined && !line.isRollback && !undone.has(line.uuid);
  });
}

/** The newest undoing that was not redone; undefined when something was said or gone back to since. */
export function redoableUndo(rewinds: readonly RewindLine[], leafUuid: string | null): RewindLine | undefined {
  const asked = rewinds.filter((line) => !line.isRollback);
  if (asked.at(-1)?.leafUuid !== leafUuid) return undefined;
  const redone = new Set<string>();
  const newest = asked.findLast((line) => {
    if (line.redoes !== undefined) redone.add(line.redoes);
    return line.redoes === undefined && !redone.has(line.uuid);
  });
  return newest?.undoes === undefined ? undefined : newest;
}

/** Where the conversation goes back too, the files become what they were there; else only what the rewind did is taken back. */
export function historiesToUndo(events: readonly FileEvent[], line: RewindLine): PathHistory[] {
  return line.scope === 'both' ? historiesSince(events, line.sequence ?? 0) : historiesOf(events.filter((event) => event.owner === line.uuid));
}

/**
 * As {@link historiesToUndo} for the undoing. `isUndone`: which of the agent's changes the undone rewind took back. Where
 * it went over changes of others, its question is asked again, and their changes can be kept.
 */
export function historiesToRedo(events: readonly FileEvent[], { undoing, undone, isUndone }: { readonly undoing: RewindLine; readonly undone: RewindLine; readonly isUndone: (event: FileEvent) => boolean }): PathHistory[] {
  const at = undone.sequence ?? 0;
  const own = events.filter((event) => event.owner === undone.uuid || (event.sequence < at && isUndone(event)));
  const wentOver = new Set(historiesOf(own).flatMap(({ path, changedBetween }) => (changedBetween ? [path] : [])));
  const whole = new Map(historiesOf([...own, ...events.filter(({ sequence }) => sequence > at)]).map(({ path, changes }) => [path, changes]));
  return historiesToUndo(events, undoing).map((history) => (wentOver.has(history.path) ? { ...history, changedBetween: true, changes: whole.get(history.path)! } : history));
}

/** Where the line of going back to before a rewind leads: as far as that went, and no further than wanted. */
export function placeBefore(line: RewindLine, wanted: RewindScope, currentLeafUuid: string | null): Pick<RewindLine, 'messageId' | 'scope' | 'leafUuid' | 'previousLeafUuid'> {
  const scope = wanted === 'both' ? line.scope : line.scope === 'both' ? wanted : line.scope;
  return { messageId: line.messageId, scope, leafUuid: scope === 'files' ? currentLeafUuid : line.previousLeafUuid, previousLeafUuid: currentLeafUuid };
}
