import { cutText } from '../../base/text.ts';
import type { SnapshotLine } from '../../protocol/transcript.ts';

/**
 * The commands since `sequence` that did, or may have done, what going back can't undo. One whose end was written down
 * without a gap has its changes in the snapshots, and is none of them.
 */
export function commandsNotCovered(snapshots: readonly SnapshotLine[], sequence: number): { name: string; reason: string }[] {
  const ends = new Map(snapshots.flatMap((line) => (line.shellRun !== undefined && line.shellGap !== undefined ? [[line.shellRun, line.shellGap] as const] : [])));
  return snapshots.flatMap((line) => {
    if (line.shellCommand === undefined || (line.sequence ?? 0) < sequence) return [];
    const gap = line.shellRun === undefined ? undefined : ends.get(line.shellRun);
    if (gap === null) return [];
    return [{ name: `Shell command \`${shortened(line.shellCommand)}\``, reason: gap ?? "may have changed files that can't be brought back" }];
  });
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${cutText(line, 79)}…` : line;
}
