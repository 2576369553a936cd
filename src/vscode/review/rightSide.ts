import * as vscode from 'vscode';
import { TurnstoneError } from '../../base/errors.ts';
import { changedRange } from '../changedRange.ts';
import { keepLineEndings } from './keepLineEndings.ts';
import { openDocument, openNotebook } from './openDocument.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';

/** The editable side of a review: what it says is what is accepted. */
export class RightSide {
  readonly uri: vscode.Uri;
  readonly #files: ProposalFileSystem;
  /** What was put here last, and what the file held then, line ends and all. */
  #put = '';
  #before = '';

  constructor(uri: vscode.Uri, files: ProposalFileSystem) {
    this.uri = uri;
    this.#files = files;
  }

  get isNotebook(): boolean {
    return this.uri.path.endsWith('.ipynb');
  }

  /** Exactly what is shown, saved or not; the text that was put here, where nobody has changed it. */
  async text(): Promise<string> {
    const notebook = openNotebook(this.uri);
    if (notebook?.isDirty) await notebook.save();
    const document = openDocument(this.uri);
    // A clean document of a tab that was closed may have gone back to what was saved; what was typed is kept beside it.
    const shown = document?.isDirty ? document.getText() : await this.#files.text(this.uri);
    return keepLineEndings(this.#put, shown, this.#before);
  }

  /** Rejects when the user is typing at this very moment; then nothing has changed. */
  async put(text: string, before: string | undefined): Promise<void> {
    const document = openDocument(this.uri);
    if (document?.isDirty && !openNotebook(this.uri)) await this.#replace(document, text);
    else {
      await this.#files.create(this.uri, text);
      if (document) await followed(document, text);
    }
    this.#put = text;
    this.#before = before ?? '';
  }

  /** An edit of the user's own, which can be undone in the editor. `text` has line feeds only. */
  async edit(text: string): Promise<void> {
    const document = openDocument(this.uri);
    if (document) await this.#replace(document, text);
    else await this.#files.create(this.uri, /\r\n/.test(this.#put) ? text.replaceAll('\n', '\r\n') : text);
  }

  /** What was typed in a tab that is closed now is what its next opening shows. */
  async keepDraft(): Promise<void> {
    if (!openDocument(this.uri)?.isDirty) await this.#files.keepDraftAsText(this.uri);
  }

  forget(): Promise<void> {
    return this.#files.forget(this.uri);
  }

  /** Only what differs, so that the cursor stays where it is. */
  async #replace(document: vscode.TextDocument, text: string): Promise<void> {
    const now = document.getText();
    // A document has one kind of line end, whatever is put into it.
    const wanted = now.includes('\r\n') ? text.replace(/\r\n|\r|\n/g, '\r\n') : text.replace(/\r\n|\r/g, '\n');
    const { start, endBefore, endAfter } = changedRange(now, wanted);
    if (start === endBefore && start === endAfter) return;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(this.uri, new vscode.Range(document.positionAt(start), document.positionAt(endBefore)), wanted.slice(start, endAfter));
    if (!(await vscode.workspace.applyEdit(edit))) throw new TurnstoneError('disk', 'The editor did not take the change to the proposal.');
  }
}

/** Milliseconds; a document that is still another by then is not shown anywhere. */
const followMs = 3_000;

/** A clean document goes after its file, a moment later: until then it shows what is no longer proposed. */
function followed(document: vscode.TextDocument, text: string): Promise<void> {
  const plain = (each: string): string => each.replace(/\r\n|\r/g, '\n');
  const isThere = (): boolean => document.isClosed || plain(document.getText()) === plain(text);
  return new Promise((resolve) => {
    if (isThere()) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, followMs);
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && isThere()) done();
    });
  });
}
