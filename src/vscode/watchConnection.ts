import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { DisposableLike } from '../base/disposables.ts';
import type { SessionService } from './sessionService.ts';

/** Everything that changes where the model is, or what may be done: also a key that was set in another window. */
export function watchConnection(context: vscode.ExtensionContext, service: SessionService): DisposableLike {
  const disposables = new DisposableStore();
  const changed = (): void => void service.connectionChanged();
  disposables.add(context.secrets.onDidChange(changed));
  disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(changed));
  disposables.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('turnstone.baseUrl')) changed();
    }),
  );
  return disposables;
}
