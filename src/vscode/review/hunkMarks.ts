import * as vscode from 'vscode';
import { debounce } from '../../base/debounce.ts';
import { DisposableStore } from '../../base/disposables.ts';
import { openDocument } from './openDocument.ts';
import { proposalScheme } from './proposalFileSystem.ts';
import type { ReviewService } from './reviewService.ts';
import { shownHunks } from './shownHunks.ts';

/** Milliseconds without news before the marks are drawn anew. */
const redrawMs = 100;

/** What is seen of hunks in the editor: which are accepted, and commands above each where the user has CodeLens on in diffs. */
export class HunkMarks implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #reviews: ReviewService;
  readonly #disposables = new DisposableStore();
  readonly #accepted = this.#disposables.add(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      after: { contentText: '✓ accepted', margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    }),
  );
  readonly #lensesChanged = this.#disposables.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#lensesChanged.event;
  readonly #redrawSoon = this.#disposables.add(debounce(() => void this.#redraw(), redrawMs));

  constructor(reviews: ReviewService) {
    this.#reviews = reviews;
    this.#disposables.add(reviews.onDidReview(() => this.#redrawSoon.call()));
    this.#disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#redrawSoon.call()));
    this.#disposables.add(vscode.languages.registerCodeLensProvider({ scheme: proposalScheme }, this));
  }

  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const reviewed = this.#reviews.find(uri);
    const hunks = reviewed ? await shownHunks(reviewed.file) : [];
    return hunks.flatMap(({ newStart, accepted }) => {
      const range = new vscode.Range(newStart, 0, newStart, 0);
      const command = (title: string, name: string) => new vscode.CodeLens(range, { title, command: `turnstone.${name}`, arguments: [{ uri, lineNumber: newStart + 1 }] });
      return [...(accepted ? [] : [command('$(check) Accept', 'acceptHunk')]), command('$(close) Reject', 'rejectHunk')];
    });
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #redraw(): Promise<void> {
    this.#lensesChanged.fire();
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== proposalScheme) continue;
      const reviewed = this.#reviews.find(editor.document.uri);
      const hunks = reviewed && openDocument(reviewed.file.uri) ? await shownHunks(reviewed.file) : [];
      const lines = hunks.filter(({ accepted }) => accepted).map(({ newStart }) => editor.document.lineAt(Math.min(newStart, editor.document.lineCount - 1)).range);
      editor.setDecorations(this.#accepted, lines);
    }
  }
}
