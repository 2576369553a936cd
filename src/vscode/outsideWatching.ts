import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { DisposableLike } from '../base/disposables.ts';

/** Folders watched at a time: each takes a handle of the system. The files there that were used last. */
const mostFolders = 100;

/** Watches the folders in which the agent has read files outside of the workspace. What is in them and was not read is told of, too. */
export class OutsideWatching implements DisposableLike {
  readonly #onChange: (path: string) => void;
  readonly #folders = new Map<string, DisposableStore>();

  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  /** `paths`: all that was read, the least recently used first. */
  follow(paths: readonly string[]): void {
    const outside = paths.filter((path) => !vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)));
    const wanted = new Set([...new Set(outside.toReversed().map((path) => dirname(path)))].slice(0, mostFolders));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.dispose();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#folders.set(folder, this.#watch(folder));
  }

  dispose(): void {
    this.follow([]);
  }

  #watch(folder: string): DisposableStore {
    const disposables = new DisposableStore();
    const watcher = disposables.add(vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), '*')));
    const tell = (uri: vscode.Uri): void => this.#onChange(uri.fsPath);
    disposables.add(watcher.onDidChange(tell));
    disposables.add(watcher.onDidCreate(tell));
    disposables.add(watcher.onDidDelete(tell));
    return disposables;
  }
}
