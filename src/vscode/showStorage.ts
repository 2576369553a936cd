import * as vscode from 'vscode';
import { byteCount, plural } from '../base/text.ts';
import { loadSdk } from './loadSdk.ts';
import { sessionPlace } from './openSession.ts';

/** How much is kept of files as they were, so that changes can be taken back, and a way to let go of what nobody needs. */
export async function showStorage(): Promise<void> {
  const sdk = await loadSdk();
  const { dataRoot } = sessionPlace();
  const { kept, removed: unneeded } = await sdk.savedContents(dataRoot);
  if (kept.count + unneeded.count === 0) return void vscode.window.showInformationMessage('Turnstone keeps no file contents: nothing was changed yet, or the file history is switched off.');
  const needed = `Turnstone keeps ${byteCount(kept.bytes)} of file contents (${plural(kept.count, 'version')}), so that changes can be taken back.`;
  if (unneeded.count === 0) return void vscode.window.showInformationMessage(`${needed} All of it belongs to sessions that are there, or is new. Delete sessions to make room.`);
  const clean = 'Remove It';
  const answer = await vscode.window.showInformationMessage(`${needed} Another ${byteCount(unneeded.bytes)} no session needs any more; it goes by itself once a day.`, clean);
  if (answer !== clean) return;
  const { removed } = await sdk.cleanSavedContents(dataRoot);
  vscode.window.setStatusBarMessage(`$(trash) ${byteCount(removed.bytes)} are free again`, 8_000);
}
