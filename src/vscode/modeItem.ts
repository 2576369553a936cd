import * as vscode from 'vscode';
import { modeLabels } from '../base/modeLabels.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { SessionService } from './sessionService.ts';

const icons: Readonly<Record<PermissionMode, string>> = { default: 'shield', acceptEdits: 'edit', plan: 'list-ordered', bypassPermissions: 'warning' };

/** What the agent may do, in the status bar; a click changes it. */
export class ModeItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('turnstone.mode', vscode.StatusBarAlignment.Right, 91);
  readonly #listener: vscode.Disposable;

  constructor(service: SessionService) {
    this.#item.name = 'Turnstone Mode';
    this.#item.command = 'turnstone.chooseMode';
    this.#listener = service.onDidChange(() => this.#show(service.session?.permissionMode));
  }

  dispose(): void {
    this.#listener.dispose();
    this.#item.dispose();
  }

  #show(mode: PermissionMode | undefined): void {
    if (mode === undefined) return this.#item.hide();
    const label = modeLabels[mode];
    this.#item.text = `$(${icons[mode]}) ${label}`;
    this.#item.tooltip = `Turnstone: ${label}. Click to change what the agent may do.`;
    this.#item.accessibilityInformation = { label: `Turnstone: ${label}. Change what the agent may do`, role: 'button' };
    this.#item.backgroundColor = mode === 'bypassPermissions' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.show();
  }
}
