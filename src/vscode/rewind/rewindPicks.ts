import { plural } from '../../base/text.ts';
import type { RewindFile, RewindPlan, RewindTarget } from '../../protocol/rewind.ts';
import type { RewindScope } from '../../protocol/transcript.ts';

/** A message to go back to, as a row: what was said, when, and what was done since then in its turn. */
export function targetRow(target: RewindTarget, now: number): { readonly label: string; readonly description: string; readonly detail: string } {
  const did = [
    target.fileCount > 0 ? `${plural(target.fileCount, 'file')} written` : '',
    target.shellCommandCount > 0 ? `$(terminal) ${plural(target.shellCommandCount, 'shell command')}` : '',
  ].filter((part) => part !== '');
  return {
    label: target.text.replace(/\s+/g, ' ').trim() || '(empty message)',
    description: timeAgo(target.timestamp, now),
    detail: did.join(' · ') || 'no file written',
  };
}

export interface ScopeRow {
  readonly scope: RewindScope;
  readonly label: string;
  readonly detail: string;
}

/** What can be gone back to, with what each would change. `name` shortens a path. */
export function scopeRows(plan: RewindPlan, name: (path: string) => string): ScopeRow[] {
  const files = plan.files.length > 0 ? plan.files.map((file) => fileChange(file, name)).join(', ') : 'no file differs';
  const uncovered = plan.notCovered.length > 0 ? ` — not brought back: ${plan.notCovered.map((gap) => `${gap.name} (${gap.reason})`).join(', ')}` : '';
  const messages = 'the conversation ends before this message; what is cut off stays in the transcript';
  return [
    { scope: 'both', label: 'Files and conversation', detail: `${files}; ${messages}${uncovered}` },
    { scope: 'files', label: 'Files only', detail: `${files}${uncovered}` },
    { scope: 'conversation', label: 'Conversation only', detail: messages[0]!.toUpperCase() + messages.slice(1) },
  ];
}

/** "src/cart.ts +3 −1", "test/new.ts is deleted" */
export function fileChange(file: RewindFile, name: (path: string) => string): string {
  const lines = [file.linesAdded > 0 ? `+${file.linesAdded}` : '', file.linesRemoved > 0 ? `−${file.linesRemoved}` : ''].filter((part) => part !== '').join(' ');
  switch (file.action) {
    case 'restore':
      return `${name(file.path)} ${lines}`.trim();
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
