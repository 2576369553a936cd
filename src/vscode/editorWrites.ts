import { lstatSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { EngineOptions } from '../sdk/options.ts';

type UserWrites = NonNullable<EngineOptions['userWrites']>;
type UserWrite = ReturnType<ReturnType<UserWrites['follow']>['take']>[number];
type ContentThen = UserWrite['before'];

/** Bytes. The content of larger files is not looked at: it is unknown. */
const largestLookedAt = 5 * 1024 * 1024;

/**
 * What the user does to files in the editor: saves, of text and notebooks, and in the explorer. The content before a save is
 * read when the editor announces it, which is before it writes; nothing is read while nobody follows.
 */
export const editorWrites: UserWrites = {
  follow() {
    const notes = new SaveNotes();
    const disposables = new DisposableStore();
    const { workspace } = vscode;
    disposables.add(workspace.onWillSaveTextDocument(({ document }) => notes.willSave(document.uri)));
    disposables.add(workspace.onWillSaveNotebookDocument(({ notebook }) => notes.willSave(notebook.uri)));
    disposables.add(workspace.onDidSaveTextDocument((document) => notes.didSave(document.uri, document)));
    disposables.add(workspace.onDidSaveNotebookDocument(({ uri }) => notes.didSave(uri)));
    disposables.add(workspace.onDidCreateFiles(({ files }) => files.forEach((uri) => notes.touched(uri))));
    disposables.add(workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => notes.touched(uri))));
    disposables.add(workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri, newUri }) => [oldUri, newUri].forEach((uri) => notes.touched(uri)))));
    return { take: () => notes.take(), stop: () => disposables.dispose() };
  },
};

class SaveNotes {
  #writes: UserWrite[] = [];
  /** Announced and not done yet; `isTold`: what it leaves was said to be unknown. */
  readonly #going = new Map<string, { readonly before: ContentThen; readonly at: number; isTold: boolean }>();

  willSave(uri: vscode.Uri): void {
    if (uri.scheme === 'file') this.#going.set(uri.fsPath, { before: contentOf(uri.fsPath), at: Date.now(), isTold: false });
  }

  /** `document`: where what was saved is known. What is on the disk may have been changed again by now. */
  didSave(uri: vscode.Uri, document?: vscode.TextDocument): void {
    if (uri.scheme !== 'file') return;
    const path = uri.fsPath;
    const going = this.#going.get(path);
    this.#going.delete(path);
    const content = contentOf(path);
    const isSaved = document === undefined || (content instanceof Uint8Array && holds(content, document));
    this.#writes.push({ path, at: going?.at ?? Date.now(), before: !going || going.isTold ? 'unknown' : going.before, after: isSaved ? content : 'unknown' });
  }

  touched({ scheme, fsPath }: vscode.Uri): void {
    if (scheme === 'file') this.#writes.push({ path: fsPath, at: Date.now(), before: 'unknown', after: 'unknown' });
  }

  take(): UserWrite[] {
    const writes = this.#writes;
    this.#writes = [];
    for (const [path, going] of this.#going) {
      going.isTold = true;
      writes.push({ path, at: going.at, before: 'unknown', after: 'unknown' });
    }
    return writes;
  }
}

/** Whether the bytes are the document's text. Another encoding than UTF-8 is not read here: then nobody can say. */
function holds(content: Uint8Array, document: vscode.TextDocument): boolean {
  return new TextDecoder().decode(content) === document.getText();
}

function contentOf(path: string): ContentThen {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return 'absent';
    return stats.isFile() && stats.size <= largestLookedAt ? readFileSync(path) : 'unknown';
  } catch {
    return 'unknown';
  }
}
