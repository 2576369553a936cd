import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/vscode/testApi.ts';

/** The running extension, from the inside. */
export async function extensionApi(): Promise<TestApi> {
  const extension = vscode.extensions.getExtension<TestApi>('turnstone.turnstone');
  assert.ok(extension, 'VS Code does not know the extension');
  return extension.activate();
}

/** A file of the sample workspace, or one beside them. */
export function workspaceFile(name: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'no folder is open');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Waits for what happens soon in another process; the test's own limit ends the waiting. */
export async function until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await sleep(30);
  }
}

/** Puts everything away that a test has opened. */
export async function closeEditors(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
