import * as vscode from 'vscode';
import { loadSdk } from '../loadSdk.ts';
import type { Mirroring } from '../mirroring.ts';
import { sessionPlace } from '../openSession.ts';
import { timeAgo } from '../rewind/rewindPicks.ts';
import type { SessionCommandParts } from './sessionCommands.ts';

export async function setMirrorKeys(mirroring: Mirroring): Promise<void> {
  const ask = (title: string, password: boolean): Thenable<string | undefined> =>
    vscode.window.showInputBox({ title, prompt: 'Kept in the secret storage of VS Code, never in a settings file.', password, ignoreFocusOut: true });
  const accessKeyId = (await ask('Mirror: Access Key Id', false))?.trim();
  const secretAccessKey = accessKeyId && (await ask('Mirror: Secret Access Key', true))?.trim();
  if (!accessKeyId || !secretAccessKey) return;
  await mirroring.setKeys({ accessKeyId, secretAccessKey });
  vscode.window.setStatusBarMessage('$(key) The keys of the mirror are stored', 5_000);
}

/** Fetches a session of another machine. One that worked in another folder goes on here in a copy. */
export async function restoreFromMirror({ service, catalog }: SessionCommandParts, mirroring: Mirroring): Promise<void> {
  const mirror = await mirroring.current();
  if (!mirror) {
    const open = 'Open Settings';
    const answer = await vscode.window.showInformationMessage('No mirror of your sessions is set up. It needs an address in the settings, and keys (“Turnstone: Set Mirror Keys…”).', open);
    if (answer === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'turnstone.mirror');
    return;
  }
  const here = new Set((await catalog.list()).map(({ sessionId }) => sessionId));
  const now = Date.now();
  const list = async () => (await mirror.list()).filter(({ sessionId }) => !here.has(sessionId)).map((session) => ({ label: session.title, description: timeAgo(session.modified, now), detail: session.folder ?? session.project, session }));
  const picked = await vscode.window.showQuickPick(list(), { title: 'Restore Session from Mirror', placeHolder: 'Sessions of the mirror that are not in this folder', matchOnDetail: true });
  if (!picked) return;
  const { sessionId } = picked.session;
  const transcript = await mirror.restore(picked.session);
  if (await catalog.find(sessionId)) return service.switchTo(sessionId);
  const { forkSession } = await loadSdk();
  const { cwd, dataRoot } = sessionPlace();
  const fork = await forkSession({ session: transcript, cwd, dataRoot });
  await service.switchTo(fork.sessionId);
  service.notify('info', 'This session worked in another folder. It is here as it was, and this is a copy of it that works in this folder.');
}
