import * as vscode from 'vscode';

/** Milliseconds after the last key in which the user is taken to be at work in the editor. */
const typingPause = 4_000;

/** Knows whether the user is typing in an editor, so that nothing is put before it. */
export class UserTyping implements vscode.Disposable {
  #lastKey = 0;
  readonly #listener = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) this.#lastKey = Date.now();
  });

  get isTyping(): boolean {
    return vscode.window.state.focused && vscode.window.activeTextEditor !== undefined && Date.now() - this.#lastKey < typingPause;
  }

  dispose(): void {
    this.#listener.dispose();
  }
}
