import { inSeconds, plural } from '../../base/text.ts';
import type { RewindFile, RewindPlan, RewindTarget } from '../../protocol/rewind.ts';
import type { RewindScope } from '../../protocol/transcript.ts';

const mostRangesNamed = 4;

/** A message to go back to, as a row: what was said, when, and what was done since then in its turn. */
export function targetRow(target: RewindTarget, now: number): { readonly label: string; readonly description: string; readonly detail: string } {
  const did = [
    target.fileCount > 0 ? [`${plural(target.fileCount, 'file')} written`, lineChange(target.linesAdded, target.linesRemoved)].filter(Boolean).join(' ') : '',
    target.shellCommandCount > 0 ? `$(terminal) ${plural(target.shellCommandCount, 'shell command')}` : '',
  ].filter((part) => part !== '');
  return {
    label: oneLine(target.text) || '(empty message)',
    description: timeAgo(target.timestamp, now),
    detail: did.join(' · ') || 'no file written',
  };
}

export interface ScopeRow {
  readonly scope: RewindScope | 'fork';
  readonly label: string;
  readonly detail: string;
}

/** What can be gone back to, with what each would change. `name` shortens a path. */
export function scopeRows(plan: RewindPlan, name: (path: string) => string): ScopeRow[] {
  const files = fileChanges(plan, name);
  const uncovered = reservations(plan, name);
  const messages = 'the conversation ends before this message; what follows is kept';
  return [
    { scope: 'both', label: 'Files and conversation', detail: `${files}; ${messages}${uncovered}` },
    { scope: 'files', label: 'Files only', detail: `${files}${uncovered}` },
    { scope: 'conversation', label: 'Conversation only', detail: messages[0]!.toUpperCase() + messages.slice(1) },
    { scope: 'fork', label: 'Fork: go on in a copy', detail: 'A new session up to this message; this one and all files stay as they are' },
  ];
}

/** What undoing a rewind would do after more was said. */
export function undoDetail(plan: RewindPlan, name: (path: string) => string): string {
  return `${fileChanges(plan, name)}; ${plural(plan.messagesRemoved, 'message')} since the rewind leave the conversation and stay in the transcript${reservations(plan, name)}`;
}

function fileChanges({ files }: RewindPlan, name: (path: string) => string): string {
  return files.length > 0 ? files.map((file) => fileChange(file, name)).join(', ') : 'no file differs';
}

/** What going back leaves as it is, and why, and whose changes it may take along; '' when there is nothing of that kind. */
export function reservations({ notCovered, besideCommands = [], files }: Pick<RewindPlan, 'notCovered' | 'besideCommands' | 'files'>, name: (path: string) => string): string {
  const gaps = notCovered.length > 0 ? ` — not brought back: ${notCovered.map((gap) => `${gap.name} (${gap.reason})`).join(', ')}` : '';
  const beside = besideCommands.length > 0 ? ` — some of it may be the work of ${besideCommands.map((command) => `\`${command}\``).join(', ')}, which ran at the same time` : '';
  const mixed = files.flatMap(({ path, unwatched }) => (unwatched ? [`${name(path)} (\`${unwatched.command}\` ran ${inSeconds(unwatched.ranMs)})`] : []));
  return gaps + beside + (mixed.length > 0 ? ` — may also hold changes of yours: ${mixed.join(', ')}` : '');
}

/** What to do with a file that others changed since the agent did. */
export type Decision = 'merge' | 'overwrite' | 'skip';

export interface DecisionRow {
  readonly decision: Decision;
  readonly label: string;
  readonly detail: string;
}

/** The safest first. */
export function decisionRows(file: RewindFile): DecisionRow[] {
  const { merge } = file;
  const then = file.action === 'delete' ? 'The file is deleted, with what was changed since; undoing this brings it back' : 'The file becomes what it was; undoing this brings the later changes back';
  return [
    ...(merge ? [mergeRow(merge.conflicts)] : []),
    { decision: 'skip', label: 'Leave as it is', detail: 'Nothing is written to this file' },
    { decision: 'overwrite', label: file.action === 'delete' ? 'Delete' : 'Overwrite', detail: then },
  ];
}

/** "2 conflicts, at lines 3–5 and 9" */
export function conflictText(conflicts: NonNullable<RewindFile['merge']>['conflicts']): string {
  const ranges = conflicts.slice(0, mostRangesNamed).map(({ firstLine, lineCount }) => (lineCount > 1 ? `${firstLine}–${firstLine + lineCount - 1}` : String(firstLine)));
  const more = conflicts.length > ranges.length ? ' …' : '';
  return `${plural(conflicts.length, 'conflict')}, at ${ranges.length === 1 && !ranges[0]!.includes('–') ? 'line' : 'lines'} ${ranges.join(', ')}${more}`;
}

function mergeRow(conflicts: NonNullable<RewindFile['merge']>['conflicts']): DecisionRow {
  if (conflicts.length === 0) return { decision: 'merge', label: 'Merge', detail: 'Keeps the later changes; nothing is in conflict' };
  return { decision: 'merge', label: 'Merge, and mark the conflicts in the file', detail: `Keeps the later changes. ${conflictText(conflicts)}: both versions are written between marker lines` };
}

/** "src/cart.ts +3 −1", "test/new.ts is deleted" */
export function fileChange(file: RewindFile, name: (path: string) => string): string {
  switch (file.action) {
    case 'restore':
      return `${name(file.path)} ${lineChange(file.linesAdded, file.linesRemoved)}`.trim();
    case 'recreate':
      return `${name(file.path)} comes back`;
    case 'delete':
      return `${name(file.path)} is deleted`;
  }
}

export function timeAgo(timestamp: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(timestamp)) / 60_000);
  if (!Number.isFinite(minutes)) return '';
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(timestamp).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function lineChange(added = 0, removed = 0): string {
  return [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter((part) => part !== '').join(' ');
}
