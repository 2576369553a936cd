import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { DisposableLike } from '../base/disposables.ts';
import type { SessionService } from './sessionService.ts';

/** Read when a session is opened; a change must not wait for the next one. */
const settings = ['turnstone.baseUrl', 'turnstone.maxBudgetUsd', 'turnstone.costReminderUsd', 'turnstone.prices'];

/** Everything that changes where the model is, what may be done or spent: also a key that was set in another window. */
export function watchConnection(context: vscode.ExtensionContext, service: SessionService): DisposableLike {
  const disposables = new DisposableStore();
  const changed = (): void => void service.connectionChanged();
  disposables.add(context.secrets.onDidChange(changed));
  disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(changed));
  disposables.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (settings.some((name) => event.affectsConfiguration(name))) changed();
    }),
  );
  return disposables;
}
