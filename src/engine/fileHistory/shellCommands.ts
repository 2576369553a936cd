import { mcpToolParts } from '../../base/mcpToolParts.ts';
import { cutText } from '../../base/text.ts';
import type { RewindFile, RewindPlan } from '../../protocol/rewind.ts';
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
  const elsewhere = snapshots.filter(({ shellRun }) => found.some((line) => line.shellRun === shellRun)).flatMap(({ shellBeside = [] }) => shellBeside);
  return [...new Set([...others.map((line) => line.shellCommand!), ...elsewhere].map(shortened))];
}

/** The plan for taking back what `lines` tell of, with what in it may be the work of others. */
export function withDoubts(plan: RewindPlan, snapshots: readonly SnapshotLine[], lines: readonly SnapshotLine[]): RewindPlan {
  const besideCommands = commandsBeside(snapshots, lines);
  const unwatched = unwatchedChanges(snapshots, lines);
  const files = plan.files.map((file) => (unwatched.has(file.path) ? { ...file, unwatched: unwatched.get(file.path) } : file));
  return { ...plan, files, ...(besideCommands.length > 0 && { besideCommands }) };
}

/** In less time hardly anybody changes a file by hand. Milliseconds. */
const noticeableMs = 1_000;

/** The files that commands in `lines` changed while nothing told what the user did, each with the longest of these commands. */
export function unwatchedChanges(snapshots: readonly SnapshotLine[], lines: readonly SnapshotLine[]): ReadonlyMap<string, NonNullable<RewindFile['unwatched']>> {
  const commands = new Map(snapshots.flatMap(({ shellRun, shellCommand }) => (shellRun !== undefined && shellCommand !== undefined ? [[shellRun, shellCommand] as const] : [])));
  const ranMs = new Map(snapshots.flatMap(({ shellRun, shellUnwatchedMs }) => (shellRun !== undefined && shellUnwatchedMs !== undefined ? [[shellRun, shellUnwatchedMs] as const] : [])));
  const changes = new Map<string, NonNullable<RewindFile['unwatched']>>();
  for (const { shellRun = '', files } of lines) {
    const [command, ms = 0] = [commands.get(shellRun), ranMs.get(shellRun)];
    if (command === undefined || ms < noticeableMs) continue;
    for (const { path } of files) if (ms > (changes.get(path)?.ranMs ?? 0)) changes.set(path, { command: shortened(command), ranMs: ms });
  }
  return changes;
}

/** Tools of MCP servers are looked at like commands, and go by their names. */
function commandName(command: string): string {
  return mcpToolParts(command) ? `MCP tool ${command}` : `Shell command \`${shortened(command)}\``;
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${cutText(line, 79)}…` : line;
}
