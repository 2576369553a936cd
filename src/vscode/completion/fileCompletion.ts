import * as vscode from 'vscode';
import type { Completion } from '../../protocol/chatView.ts';
import { fileGlob, fileRows } from './completionRows.ts';

/** Of these the best are shown. */
const maxFound = 500;

/** Files of the workspace for what is typed behind an `@`. A new search ends the one before. */
export class FileCompletion implements vscode.Disposable {
  #search: vscode.CancellationTokenSource | undefined;

  /** undefined when another search has begun meanwhile. */
  async complete(prefix: string): Promise<readonly Completion[] | undefined> {
    this.dispose();
    const search = new vscode.CancellationTokenSource();
    this.#search = search;
    const found = await vscode.workspace.findFiles(fileGlob(prefix), undefined, maxFound, search.token);
    if (search.token.isCancellationRequested) return undefined;
    const open = prefix === '' ? openFiles() : [];
    return fileRows([...open, ...found].map((uri) => vscode.workspace.asRelativePath(uri).replaceAll('\\', '/')), prefix);
  }

  dispose(): void {
    this.#search?.cancel();
    this.#search?.dispose();
    this.#search = undefined;
  }
}

/** In tabs now: most likely meant. */
function openFiles(): vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  return inputs.flatMap((input) => (input instanceof vscode.TabInputText && input.uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(input.uri) ? [input.uri] : []));
}
