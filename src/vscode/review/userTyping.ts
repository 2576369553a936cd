import * as vscode from 'vscode';
import { proposalScheme } from './proposalFileSystem.ts';

/**
 * Knows whether the user is at work in an editor, so that nothing is put before it: whether the last key or click was
 * there and not in the panel. A pause is no sign of having left.
 */
export class UserTyping implements vscode.Disposable {
  #inEditor = 0;
  #inPanel = 0;
  readonly #listener = vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
    const isByHand = kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
    if (isByHand && textEditor.document.uri.scheme !== proposalScheme) this.#inEditor = Date.now();
  });

  get isTyping(): boolean {
    return vscode.window.state.focused && vscode.window.activeTextEditor !== undefined && this.#inEditor > this.#inPanel;
  }

  /** A key or a click has come from the panel. */
  notePanel(): void {
    this.#inPanel = Date.now();
  }

  dispose(): void {
    this.#listener.dispose();
  }
}
