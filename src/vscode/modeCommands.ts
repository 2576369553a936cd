import * as vscode from 'vscode';
import { modeLabels } from '../base/modeLabels.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { SessionService } from './sessionService.ts';
import { readSettings } from './settings.ts';

const details: Readonly<Record<PermissionMode, string>> = {
  default: 'Every edit and every command waits for you, unless a rule allows it.',
  acceptEdits: 'Edits inside the workspace go through; commands and edits elsewhere wait for you.',
  plan: 'Nothing is changed and nothing is run. The agent reads, and shows you a plan.',
  bypassPermissions: 'Nothing waits for you. Only what a rule denies or asks about is held back.',
};

/** The mode in which nothing is asked is offered only where the settings allow it. */
export async function chooseMode(service: SessionService): Promise<void> {
  const session = await service.ensureOpen();
  if (!session) return;
  const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan'];
  if (readSettings().allowBypass || session.permissionMode === 'bypassPermissions') modes.push('bypassPermissions');
  const rows = modes.map((mode) => ({ mode, label: modeLabels[mode], description: mode === session.permissionMode ? 'in use' : '', detail: details[mode] }));
  const picked = await vscode.window.showQuickPick(rows, { title: 'What the Agent May Do in This Session' });
  if (picked) await setPermissionMode(service, picked.mode);
}

export async function setPermissionMode(service: SessionService, mode: PermissionMode): Promise<void> {
  if (mode !== 'bypassPermissions' || readSettings().allowBypass) return service.setPermissionMode(mode);
  service.setPermissionMode(service.session?.permissionMode ?? 'default');
  const open = 'Open Setting';
  const text = 'A session in which nothing is asked has to be allowed in the settings first.';
  if ((await vscode.window.showWarningMessage(text, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'turnstone.allowBypass');
  }
}
