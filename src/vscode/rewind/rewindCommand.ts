import * as vscode from 'vscode';
import { plural } from '../../base/text.ts';
import type { RewindOutcome, RewindPlan, RewindTarget } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import type { SessionService } from '../sessionService.ts';
import type { SnapshotDocuments } from '../snapshotDocuments.ts';
import { decideFiles } from './decideFiles.ts';
import { forkAt } from './forkCommand.ts';
import { pickWithPreview } from './pickWithPreview.ts';
import { previewRewind } from './previewRewind.ts';
import type { Preview } from './previewRewind.ts';
import { closePreviews } from './previewTabs.ts';
import { scopeRows, targetRow, undoDetail } from './rewindPicks.ts';
import type { ScopeRow } from './rewindPicks.ts';

export interface RewindParts {
  readonly service: SessionService;
  readonly documents: SnapshotDocuments;
}

export interface RewindWish {
  /** Skips the first question. */
  readonly messageId?: string | undefined;
  /** The message shall be said in other words: the conversation has to go back for that. */
  readonly edit?: boolean | undefined;
}

/** Goes back to a message: which one, how far, and only then does anything happen. */
export async function rewindToMessage({ service, documents }: RewindParts, { messageId, edit }: RewindWish = {}): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  try {
    const target = messageId ?? (await pickTarget(session, documents));
    if (target === undefined) return;
    const plan = await session.planRewind(target);
    const preview: Preview = { session, documents, way: { kind: 'rewind', messageId: target } };
    const scope = await pickScope(plan, preview, edit);
    if (scope === undefined) return;
    if (scope === 'fork') return await forkAt(service, session, target);
    const choice = await decideFiles(preview, scope === 'conversation' ? [] : plan.files);
    if (!choice) return;
    const outcome = await session.rewind(target, { scope, ...choice });
    await service.showAgain(scope === 'files' ? '' : outcome.prompt);
    report('Rewound', outcome);
    if (edit) service.focusComposer();
  } finally {
    await closePreviews();
  }
}

/** Goes back to before the last rewind that was not undone. What was said since is asked about first. */
export async function undoRewind({ service, documents }: RewindParts): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  if (!session.canUndoRewind) {
    void vscode.window.showInformationMessage('There is no rewind to undo: none was made in this session, or all were undone.');
    return;
  }
  try {
    const preview: Preview = { session, documents, way: { kind: 'undoRewind' } };
    const plan = await session.planUndoRewind();
    if (plan.messagesRemoved > 0 && !(await confirmUndo(preview, plan))) return;
    const choice = await decideFiles(preview, plan.files);
    if (!choice) return;
    const outcome = await session.undoRewind(choice);
    await service.showAgain('');
    service.withdrawDraft(outcome.prompt);
    report('The rewind was undone', outcome);
  } finally {
    await closePreviews();
  }
}

export async function redoRewind({ service, documents }: RewindParts): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  if (!session.canRedoRewind) {
    void vscode.window.showInformationMessage('There is nothing to redo: no rewind was undone, or a message was sent since.');
    return;
  }
  try {
    const choice = await decideFiles({ session, documents, way: { kind: 'redoRewind' } }, (await session.planRedoRewind()).files);
    if (!choice) return;
    const outcome = await session.redoRewind(choice);
    await service.showAgain(outcome.prompt);
    report('The rewind was made again', outcome);
  } finally {
    await closePreviews();
  }
}

async function confirmUndo(preview: Preview, plan: RewindPlan): Promise<boolean> {
  const answer = await pickWithPreview({
    title: 'Undo Rewind?',
    placeholder: 'Messages were sent since the rewind. Nothing has been changed yet',
    rows: [{ label: 'Go back to before the rewind', detail: undoDetail(plan, shortName), value: true }],
    preview: () => previewRewind(preview, plan.files),
  });
  return answer === true;
}

/** The open session, while nothing runs in it; else undefined, and the user knows why. */
export async function idleSession(service: SessionService): Promise<Session | undefined> {
  if (service.isRunning) {
    void vscode.window.showInformationMessage('A turn is running. Stop it first, then go back.');
    return undefined;
  }
  return service.ensureOpen();
}

export function report(what: string, { restored, deleted, skipped, merged, withConflicts, failed }: RewindOutcome): void {
  const parts = [
    ...(restored.length + deleted.length === 0 ? ['no file was changed'] : []),
    ...(restored.length > 0 ? [`${plural(restored.length, 'file')} restored`] : []),
    ...(merged.length > 0 ? [`${merged.length} of them merged`] : []),
    ...(deleted.length > 0 ? [`${deleted.length} deleted`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} left as ${skipped.length === 1 ? 'it is' : 'they are'}`] : []),
  ];
  if (failed.length > 0) {
    const names = failed.map(({ path, reason }) => `${shortName(path)} (${reason})`).join(', ');
    void vscode.window.showWarningMessage(`${what}, but these files could not be written: ${names}. The rest was.`);
  }
  if (withConflicts.length > 0) void vscode.window.showWarningMessage(`${what}. Both versions stand between marker lines in ${withConflicts.map(shortName).join(', ')}: decide there.`);
  vscode.window.setStatusBarMessage(`$(discard) ${what}: ${parts.join(', ')}`, 8_000);
}

export function shortName(path: string): string {
  return vscode.workspace.asRelativePath(path);
}

async function pickTarget(session: Session, documents: SnapshotDocuments): Promise<string | undefined> {
  const now = Date.now();
  const rows = session.rewindTargets().map((target: RewindTarget) => ({ ...targetRow(target, now), value: target.messageId }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('There is nothing to go back to: no message was sent in this session.');
    return undefined;
  }
  const preview = async (messageId: string): Promise<void> => previewRewind({ session, documents, way: { kind: 'rewind', messageId } }, (await session.planRewind(messageId)).files);
  return pickWithPreview({ title: 'Rewind to Message', placeholder: 'The state before this message was sent', rows, preview });
}

function pickScope(plan: RewindPlan, preview: Preview, edit = false): Promise<ScopeRow['scope'] | undefined> {
  const offered = scopeRows(plan, shortName).filter(({ scope }) => !edit || scope === 'both' || scope === 'conversation');
  const rows = offered.map(({ scope, label, detail }) => ({ label, detail, value: scope }));
  const touchesFiles = (scope: ScopeRow['scope']): boolean => scope === 'both' || scope === 'files';
  return pickWithPreview({ title: edit ? 'Edit and Send Again: Rewind What?' : 'Rewind What?', placeholder: 'Nothing has been changed yet', rows, preview: (scope) => previewRewind(preview, touchesFiles(scope) ? plan.files : []) });
}
