import * as vscode from 'vscode';
import { errorText } from '../../base/errors.ts';
import { pickOne } from '../pickOne.ts';

export type PreviewRow<T> = vscode.QuickPickItem & { readonly value: T };

export interface PreviewPick<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly PreviewRow<T>[];
  /** Shows what choosing this row would change. The list stays open. */
  readonly preview: (value: T) => Promise<void>;
}

const previewButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('diff-multiple'), tooltip: 'Show What Would Change' };
/** A selection that rests for so long is looked at. Milliseconds. */
const restMs = 200;

/**
 * A list in which moving the selection shows what choosing it would change, and so does the button of each row. Which row
 * is selected at first shows nothing by itself: nobody asked yet.
 */
export async function pickWithPreview<T>({ title, placeholder, rows, preview }: PreviewPick<T>): Promise<T | undefined> {
  const chosen = await pickOne<PreviewRow<T>>((pick, disposables) => {
    const previews = disposables.add(new Previews(preview));
    pick.title = title;
    pick.placeholder = placeholder;
    // Looking at a diff takes the focus away from the list.
    pick.ignoreFocusOut = true;
    pick.matchOnDetail = true;
    pick.items = rows.map((row) => (row.kind === vscode.QuickPickItemKind.Separator ? row : { ...row, buttons: [previewButton] }));
    pick.buttons = [previewButton];
    let shown: PreviewRow<T> | undefined;
    disposables.add(
      pick.onDidChangeActive(([row]) => {
        const isFirst = shown === undefined;
        shown = row;
        if (row && !isFirst) previews.show(row.value, restMs);
      }),
    );
    disposables.add(pick.onDidTriggerItemButton(({ item }) => previews.show(item.value, 0)));
    disposables.add(pick.onDidTriggerButton(() => pick.activeItems[0] && previews.show(pick.activeItems[0].value, 0)));
  });
  return chosen?.value;
}

/** One at a time; of those asked for meanwhile only the last. */
class Previews<T> {
  readonly #preview: (value: T) => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(preview: (value: T) => Promise<void>) {
    this.#preview = preview;
  }

  show(value: T, delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const mine = this.#timer;
      this.#running = this.#running.then(() => (mine === this.#timer ? this.#open(value) : undefined));
    }, delayMs);
  }

  dispose(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #open(value: T): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#preview(value);
      // The diff has the focus now; the arrows belong to the list.
      if (!this.#isOver) await vscode.commands.executeCommand('workbench.action.focusQuickOpen');
    } catch (error) {
      void vscode.window.showErrorMessage(`The changes could not be shown: ${errorText(error)}`);
    }
  }
}
