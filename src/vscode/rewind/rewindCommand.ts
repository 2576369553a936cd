import * as vscode from 'vscode';
import { plural } from '../../base/text.ts';
import type { RewindChoice, RewindFile, RewindOutcome, RewindPlan, RewindTarget } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import type { SessionService } from '../sessionService.ts';
import type { SnapshotDocuments } from '../snapshotDocuments.ts';
import { pickWithPreview } from './pickWithPreview.ts';
import { previewRewind } from './previewRewind.ts';
import { fileChange, scopeRows, targetRow } from './rewindPicks.ts';

export interface RewindParts {
  readonly service: SessionService;
  readonly documents: SnapshotDocuments;
}

/** Goes back to a message: which one, how far, and only then does anything happen. `messageId` skips the first question. */
export async function rewindToMessage({ service, documents }: RewindParts, messageId?: string): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  const preview = async (id: string): Promise<void> => previewRewind(session, await session.planRewind(id), documents);
  const target = messageId ?? (await pickTarget(session, preview));
  if (target === undefined) return;
  const plan = await session.planRewind(target);
  const choice = await pickChoice(plan, () => previewRewind(session, plan, documents));
  if (!choice) return;
  const outcome = await session.rewind(target, choice);
  await service.showAgain(choice.scope === 'files' ? '' : outcome.prompt);
  report('Rewound', outcome);
}

export async function undoRewind({ service }: RewindParts): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  if (!session.canUndoRewind) {
    void vscode.window.showInformationMessage('There is no rewind to undo. One can be undone until the next message is sent.');
    return;
  }
  const overwrite = await pickOverwrites((await session.planUndoRewind()).files);
  if (!overwrite) return;
  const outcome = await session.undoRewind(overwrite);
  await service.showAgain('');
  report('The rewind was undone', outcome);
}

async function idleSession(service: SessionService): Promise<Session | undefined> {
  if (service.isRunning) {
    void vscode.window.showInformationMessage('A turn is running. Stop it first, then rewind.');
    return undefined;
  }
  return service.ensureOpen();
}

async function pickTarget(session: Session, preview: (id: string) => Promise<void>): Promise<string | undefined> {
  const now = Date.now();
  const rows = session.rewindTargets().map((target: RewindTarget) => ({ ...targetRow(target, now), value: target.messageId }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('There is nothing to go back to: no message was sent in this session.');
    return undefined;
  }
  return pickWithPreview({ title: 'Rewind to Message', placeholder: 'The state before this message was sent', rows, preview });
}

async function pickChoice(plan: RewindPlan, preview: () => Promise<void>): Promise<RewindChoice | undefined> {
  const rows = scopeRows(plan, shortName).map(({ scope, label, detail }) => ({ label, detail, value: scope }));
  const scope = await pickWithPreview({ title: 'Rewind What?', placeholder: 'Nothing has been changed yet', rows, preview });
  if (scope === undefined) return undefined;
  const overwrite = await pickOverwrites(scope === 'conversation' ? [] : plan.files);
  return overwrite && { scope, ...overwrite };
}

/** Files that are not as the agent left them are left alone unless the user says otherwise, one by one. */
async function pickOverwrites(files: readonly RewindFile[]): Promise<Pick<RewindChoice, 'overwrite' | 'skip'> | undefined> {
  const changed = files.filter((file) => file.changedSince);
  if (changed.length === 0) return { overwrite: [], skip: [] };
  const rows = changed.map((file) => ({ label: shortName(file.path), description: fileChange(file, () => '').trim(), detail: 'You, or another program, changed it since Turnstone did', path: file.path }));
  const picked = await vscode.window.showQuickPick(rows, {
    canPickMany: true,
    ignoreFocusOut: true,
    title: 'Changed Since: Overwrite?',
    placeHolder: 'Tick the files to overwrite. The others are left as they are.',
  });
  const overwrite = picked?.map(({ path }) => path);
  return overwrite && { overwrite, skip: changed.map(({ path }) => path).filter((path) => !overwrite.includes(path)) };
}

function report(what: string, { restored, deleted, skipped, failed }: RewindOutcome): void {
  const parts = [
    `${plural(restored.length, 'file')} restored`,
    ...(deleted.length > 0 ? [`${deleted.length} deleted`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} left as ${skipped.length === 1 ? 'it is' : 'they are'}`] : []),
  ];
  if (failed.length > 0) {
    const names = failed.map(({ path, reason }) => `${shortName(path)} (${reason})`).join(', ');
    void vscode.window.showWarningMessage(`${what}, but these files could not be written: ${names}. The rest was.`);
  }
  vscode.window.setStatusBarMessage(`$(discard) ${what}: ${parts.join(', ')}`, 8_000);
}

function shortName(path: string): string {
  return vscode.workspace.asRelativePath(path);
}
