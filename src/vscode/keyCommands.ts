import * as vscode from 'vscode';
import type { Endpoints } from './endpoint.ts';
import type { SessionService } from './sessionService.ts';

export async function setApiKey(endpoints: Endpoints): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: 'Anthropic API Key',
    prompt: 'Kept in the secret storage of VS Code, never in a settings file.',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (/\s/.test(text.trim()) ? 'A key has no spaces in it.' : undefined),
  });
  if (!key?.trim()) return;
  // Storing it tells the open session, in every window.
  await endpoints.setKey(key.trim());
  vscode.window.setStatusBarMessage('$(key) The API key is stored', 5_000);
}

export async function removeApiKey(endpoints: Endpoints): Promise<void> {
  const had = await endpoints.removeKey();
  const rest = process.env['ANTHROPIC_API_KEY'] ? ' The environment variable ANTHROPIC_API_KEY is used now.' : '';
  void vscode.window.showInformationMessage(`${had ? 'The API key was removed.' : 'No API key was stored.'}${rest}`);
}

export async function useDemoModel(endpoints: Endpoints, service: SessionService): Promise<void> {
  await endpoints.useDemo();
  await service.connectionChanged();
  vscode.window.setStatusBarMessage('$(beaker) The demo model answers from now on', 5_000);
}
