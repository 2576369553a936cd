import path from 'node:path';
import * as vscode from 'vscode';
import { TurnstoneError } from '../../base/errors.ts';
import { byteCount, plural } from '../../base/text.ts';
import type { SessionSummary } from '../../protocol/chatView.ts';
import { loadSdk } from '../loadSdk.ts';
import { sessionPlace } from '../openSession.ts';
import { timeAgo } from '../rewind/rewindPicks.ts';
import type { SessionService } from '../sessionService.ts';
import { exportName } from './exportName.ts';
import type { SessionCatalog } from './sessionCatalog.ts';

export interface SessionCommandParts {
  readonly service: SessionService;
  readonly catalog: SessionCatalog;
}

/** Of a session of the list; without an id, of the open one. */
export async function renameSession(parts: SessionCommandParts, sessionId?: string): Promise<void> {
  const session = await summaryFor(parts, sessionId);
  const title = await vscode.window.showInputBox({ title: 'Rename Session', value: session.title, validateInput: (text) => (text.trim() === '' ? 'A session needs a name.' : undefined) });
  if (title !== undefined) await parts.catalog.rename(session.sessionId, title);
}

export async function togglePin(parts: SessionCommandParts, sessionId?: string): Promise<void> {
  const session = await summaryFor(parts, sessionId);
  await parts.catalog.setPinned(session.sessionId, !session.pinned);
  vscode.window.setStatusBarMessage(session.pinned ? '$(pinned) No longer pinned' : '$(pinned) Pinned: it stands first in the list of sessions', 8_000);
}

export async function exportSession(parts: SessionCommandParts, sessionId?: string): Promise<void> {
  const session = await summaryFor(parts, sessionId);
  const { cwd, dataRoot } = sessionPlace();
  const target = await vscode.window.showSaveDialog({
    title: `Export “${session.title}”`,
    defaultUri: vscode.Uri.file(path.join(cwd, exportName(session.title))),
    filters: { 'Markdown: the conversation, to be read': ['md'], 'JSON Lines: the transcript, byte for byte': ['jsonl'] },
  });
  if (!target) return;
  const sdk = await loadSdk();
  await sdk.exportSession({ session: session.sessionId, dataRoot }, target.fsPath.endsWith('.jsonl') ? 'jsonl' : 'markdown', target.fsPath);
  vscode.window.setStatusBarMessage(`$(export) Exported to ${vscode.workspace.asRelativePath(target)}`, 8_000);
}

/** Says what goes before it goes, and how it comes back. */
export async function deleteSession(parts: SessionCommandParts, sessionId?: string): Promise<void> {
  const session = await summaryFor(parts, sessionId);
  if (session.source) throw new TurnstoneError('session_in_use', 'This session belongs to Claude Code, and its file is never touched. Delete it there.');
  const move = 'Move to Trash';
  const said = session.messageCount === null ? 'The whole conversation' : `The conversation of ${plural(session.messageCount, 'message')}`;
  const detail = `${said} and what its file history needs go to Turnstone’s own trash${await sizeText(session)}. No file of your workspace changes. Nothing is removed for good until you empty that trash; “Turnstone: Restore Deleted Session…” brings it back.`;
  if ((await vscode.window.showWarningMessage(`Delete the session “${session.title}”?`, { modal: true, detail }, move)) !== move) return;
  if (parts.service.session?.sessionId === session.sessionId) {
    await parts.service.switchTo(undefined);
    // A turn that runs was to go on.
    if (parts.service.session?.sessionId === session.sessionId) return;
  }
  const sdk = await loadSdk();
  const { dataRoot } = sessionPlace();
  const trashed = await sdk.deleteSession({ session: session.sessionId, dataRoot }, session.title);
  await parts.catalog.list();
  void vscode.window.showInformationMessage(`“${session.title}” is in Turnstone’s trash.`, 'Undo').then(async (answer) => {
    if (answer === undefined) return;
    await sdk.restoreSession(trashed, dataRoot);
    await parts.catalog.list();
  });
}

export async function restoreSession({ service, catalog }: SessionCommandParts): Promise<void> {
  const sdk = await loadSdk();
  const { dataRoot } = sessionPlace();
  const now = Date.now();
  const rows = (await sdk.deletedSessions(dataRoot)).map(({ id, title, deleted, size, folder, project }) => ({ id, label: title, description: `deleted ${timeAgo(deleted, now)} · ${byteCount(size)}`, detail: folder ?? project }));
  if (rows.length === 0) return void vscode.window.showInformationMessage('Turnstone’s trash is empty.');
  const picked = await vscode.window.showQuickPick(rows, { title: 'Restore Deleted Session', placeHolder: 'It goes back to where it was', matchOnDetail: true });
  if (!picked) return;
  const sessionId = await sdk.restoreSession(picked.id, dataRoot);
  // One of another folder is there again, for that folder.
  if ((await catalog.list()).some((session) => session.sessionId === sessionId)) await service.switchTo(sessionId);
}

export async function emptyTrash(): Promise<void> {
  const sdk = await loadSdk();
  const { dataRoot } = sessionPlace();
  const sessions = await sdk.deletedSessions(dataRoot);
  if (sessions.length === 0) return void vscode.window.showInformationMessage('Turnstone’s trash is empty.');
  const remove = 'Delete for Good';
  const names = sessions.slice(0, 8).map(({ title }) => `“${title}”`).join(', ') + (sessions.length > 8 ? ' and others' : '');
  const detail = `${names}: the conversations go, and the saved file contents that no other session needs. This can not be undone.`;
  if ((await vscode.window.showWarningMessage(`Delete ${plural(sessions.length, 'session')} for good?`, { modal: true, detail }, remove)) !== remove) return;
  const freed = await sdk.emptyTrash(dataRoot);
  vscode.window.setStatusBarMessage(`$(trash) Turnstone’s trash is empty; ${byteCount(freed)} are free again`, 8_000);
}

/** "(0.4 MB, and 2.1 MB of file contents)"; nothing where it can't be told. */
async function sizeText({ sessionId, size }: SessionSummary): Promise<string> {
  const sdk = await loadSdk();
  const counted = await sdk.sessionSize(sessionId, sessionPlace().dataRoot).catch(() => null);
  if (counted) return ` (${byteCount(counted.conversation)}${counted.contents > 0 ? `, and ${byteCount(counted.contents)} of file contents` : ''})`;
  return size === undefined ? '' : ` (${byteCount(size)})`;
}

async function summaryFor({ service, catalog }: SessionCommandParts, sessionId: string | undefined): Promise<SessionSummary> {
  const id = sessionId ?? (await service.ensureOpen())?.sessionId;
  const session = id === undefined ? undefined : await catalog.find(id);
  if (!session) throw new TurnstoneError('not_found', sessionId === undefined ? 'Nothing has been said in this session yet.' : 'That session is not there any more.');
  return session;
}
