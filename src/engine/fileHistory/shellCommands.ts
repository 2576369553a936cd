import { mcpToolParts } from '../../base/mcpToolParts.ts';
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
    return [{ name: commandName(line.shellCommand), reason: gap ?? "may have changed files that can't be brought back" }];
  });
}

/**
 * Other commands that ran when the changes of the commands in `lines` were found. Which of them made a change is not known:
 * it counts for the one that was started last.
 */
export function commandsBeside(snapshots: readonly SnapshotLine[], lines: readonly SnapshotLine[]): string[] {
  const found = lines.filter((line) => line.shellRun !== undefined && line.files.length > 0);
  if (found.length === 0) return [];
  const own = new Set(lines.map((line) => line.shellRun));
  const ends = new Map(snapshots.flatMap((line) => (line.shellRun !== undefined && line.shellGap !== undefined ? [[line.shellRun, line.sequence ?? 0] as const] : [])));
  const others = snapshots.filter(({ shellRun, shellCommand, sequence = 0 }) => {
    if (shellRun === undefined || shellCommand === undefined || own.has(shellRun)) return false;
    const end = ends.get(shellRun) ?? Number.POSITIVE_INFINITY;
    return found.some((line) => sequence < (line.sequence ?? 0) && (line.sequence ?? 0) < end);
  });
  return others.map((line) => shortened(line.shellCommand!));
}

/** Tools of MCP servers are looked at like commands, and go by their names. */
function commandName(command: string): string {
  return mcpToolParts(command) ? `MCP tool ${command}` : `Shell command \`${shortened(command)}\``;
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${cutText(line, 79)}…` : line;
}
