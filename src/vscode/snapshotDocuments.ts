import * as vscode from 'vscode';

export const snapshotScheme = 'turnstone-snapshot';

/** Read-only documents made of text that is on no disk: files as they were, and the left side of a new file. */
export class SnapshotDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** A document with this text. `moment` tells apart documents of one path. */
  put(path: string, moment: string, text: string): vscode.Uri {
    const uri = vscode.Uri.file(path).with({ scheme: snapshotScheme, query: moment });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  clear(): void {
    this.#texts.clear();
  }
}

/** Stands where there is no file. */
export function emptyDocument(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: snapshotScheme, query: 'none' });
}
