import type { AgentChange, RewindTarget, UndoSelection } from '../../protocol/rewind.ts';
import type { SnapshotLine } from '../../protocol/transcript.ts';
import type { FileEvent } from './rewindPlan.ts';

/** `messages`: the prompts on the active branch, oldest first. Returns newest first, with what was done in each turn. */
export function rewindTargets(snapshots: readonly SnapshotLine[], messages: readonly { readonly uuid: string; readonly text: string; readonly timestamp: string }[]): RewindTarget[] {
  return messages.toReversed().map(({ uuid, text, timestamp }) => {
    const own = snapshots.filter((line) => line.messageId === uuid && !line.rewindId);
    return {
      messageId: uuid,
      text,
      timestamp,
      fileCount: new Set(own.flatMap((line) => line.files.map((file) => file.path))).size,
      shellCommandCount: own.filter((line) => line.shellCommand !== undefined).length,
    };
  });
}

/** What the agent did to files, by call, newest first. `undone`: those of the events that were taken back. */
export function agentChanges(events: readonly FileEvent[], undone: ReadonlySet<FileEvent>): AgentChange[] {
  const changes = new Map<string, AgentChange>();
  for (const event of events) {
    const { owner: messageId, toolUseId, path, isRewind } = event;
    if (isRewind) continue;
    const key = `${messageId} ${toolUseId}`;
    const known = changes.get(key);
    changes.set(key, { messageId, toolUseId, paths: [...new Set([...(known?.paths ?? []), path])], isUndone: (known?.isUndone ?? true) && undone.has(event) });
  }
  return [...changes.values()].reverse();
}

/** Whether a change is one of those that are to be taken back. `paths`: all names of the file that is wanted; undefined for any. */
export function isSelected(event: FileEvent, { messageId, toolUseId }: UndoSelection, paths: readonly string[] | undefined): boolean {
  return (
    !event.isRewind &&
    (messageId === undefined || event.owner === messageId) &&
    (toolUseId === undefined || event.toolUseId === toolUseId) &&
    (paths === undefined || paths.includes(event.path))
  );
}
