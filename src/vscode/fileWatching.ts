import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { DisposableLike } from '../base/disposables.ts';

/**
 * Tells of every file that changed outside the agent's own tools: on disk, in an editor, by a rename in the explorer.
 * A folder that comes or goes is told by its own path only.
 */
export function watchFiles(onChange: (path: string) => void): DisposableLike {
  const disposables = new DisposableStore();
  const tell = (uri: vscode.Uri): void => {
    if (uri.scheme === 'file') onChange(uri.fsPath);
  };
  // A pattern by extension would miss what comes and goes with its folder.
  const watcher = disposables.add(vscode.workspace.createFileSystemWatcher('**/*'));
  disposables.add(watcher.onDidChange(tell));
  disposables.add(watcher.onDidCreate(tell));
  disposables.add(watcher.onDidDelete(tell));
  disposables.add(vscode.workspace.onDidChangeTextDocument(({ document }) => tell(document.uri)));
  disposables.add(vscode.workspace.onDidSaveTextDocument(({ uri }) => tell(uri)));
  disposables.add(
    vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const { oldUri, newUri } of files) [oldUri, newUri].forEach(tell);
    }),
  );
  return disposables;
}
