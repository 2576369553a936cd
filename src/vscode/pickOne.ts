import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';

/**
 * Shows a list and resolves with the row that was chosen; undefined when the list was left without one. What `setUp` puts
 * into `disposables` is disposed with it.
 */
export function pickOne<Row extends vscode.QuickPickItem>(setUp: (pick: vscode.QuickPick<Row>, disposables: DisposableStore) => void): Promise<Row | undefined> {
  return new Promise((resolve) => {
    const disposables = new DisposableStore();
    const pick = disposables.add(vscode.window.createQuickPick<Row>());
    setUp(pick, disposables);
    disposables.add(
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]);
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
