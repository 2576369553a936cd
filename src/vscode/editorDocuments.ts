import * as vscode from 'vscode';
import { TurnstoneError } from '../base/errors.ts';
import type { EngineOptions } from '../sdk/options.ts';
import { changedRange } from './changedRange.ts';

type Documents = NonNullable<EngineOptions['documents']>;

/** The open editors as the engine sees them: unsaved text is the truth. Files only; untitled documents have no path. */
export const editorDocuments: Documents = {
  unsavedText: (path) => openDocument(path, true)?.getText(),

  async write(path, text, { alsoIfSaved = false } = {}) {
    const document = openDocument(path, true) ?? (alsoIfSaved ? savedDocumentFor(path, text) : undefined);
    if (!document) return false;
    await putText(document, text);
    if (document.isDirty && !(await document.save())) {
      throw new TurnstoneError('disk', `${vscode.workspace.asRelativePath(document.uri)} could not be saved. The new text is in its editor, not saved yet: save it there, or undo it.`);
    }
    // Saving may have run a formatter, and an editor has one kind of line end only. Now that nothing is unsaved,
    // the caller can write the exact bytes itself, and the editor follows the file.
    return document.getText() === text;
  },

  encodingOf(path) {
    const uri = vscode.Uri.file(path);
    return openDocument(path)?.encoding ?? vscode.workspace.getConfiguration('files', uri).get<string>('encoding');
  },
};

function openDocument(path: string, isDirty?: boolean): vscode.TextDocument | undefined {
  const wanted = comparable(path);
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.scheme === 'file' && (isDirty === undefined || document.isDirty === isDirty) && comparable(document.uri.fsPath) === wanted,
  );
}

/** Where an editor can hold the text as it is: it has one kind of line end only, and keeps the one it has. */
function savedDocumentFor(path: string, text: string): vscode.TextDocument | undefined {
  const document = openDocument(path, false);
  const feeds = text.split('\n').length;
  const windows = text.split('\r\n').length;
  return document && windows === (document.eol === vscode.EndOfLine.CRLF ? feeds : 1) ? document : undefined;
}

function comparable(path: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? path.toLowerCase() : path;
}

/** Only what differs is replaced, so that cursors, folds and the undo history stay where they are. */
async function putText(document: vscode.TextDocument, text: string): Promise<void> {
  const before = document.getText();
  const { start, endBefore, endAfter } = changedRange(before, text);
  if (start === endBefore && start === endAfter) return;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(endBefore)), text.slice(start, endAfter));
  if (!(await vscode.workspace.applyEdit(edit)) || document.isClosed) {
    throw new TurnstoneError('disk', `The editor did not take the change to ${vscode.workspace.asRelativePath(document.uri)}. Nothing was written.`);
  }
}
