import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposables.ts';
import { errorText } from '../../base/errors.ts';

export interface PreviewPick<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly (vscode.QuickPickItem & { readonly value: T })[];
  /** Shows what choosing this row would change. The list stays open. */
  readonly preview: (value: T) => Promise<void>;
}

const previewButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('diff-multiple'), tooltip: 'Show What Would Change' };

/** A list in which every row, and the title for the selected one, has a button for a look before the choice. */
export function pickWithPreview<T>({ title, placeholder, rows, preview }: PreviewPick<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const disposables = new DisposableStore();
    const pick = disposables.add(vscode.window.createQuickPick<vscode.QuickPickItem & { readonly value: T }>());
    const show = (value: T | undefined): void => {
      if (value === undefined) return;
      preview(value).catch((error: unknown) => void vscode.window.showErrorMessage(`The changes could not be shown: ${errorText(error)}`));
    };
    pick.title = title;
    pick.placeholder = placeholder;
    // Looking at a diff takes the focus away from the list.
    pick.ignoreFocusOut = true;
    pick.matchOnDetail = true;
    pick.items = rows.map((row) => ({ ...row, buttons: [previewButton] }));
    pick.buttons = [previewButton];
    disposables.add(pick.onDidTriggerItemButton(({ item }) => show(item.value)));
    disposables.add(pick.onDidTriggerButton(() => show(pick.activeItems[0]?.value)));
    disposables.add(
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.value);
        pick.hide();
      }),
    );
    disposables.add(
      pick.onDidHide(() => {
        resolve(undefined);
        disposables.dispose();
      }),
    );
    pick.show();
  });
}
