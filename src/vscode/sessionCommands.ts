import * as vscode from 'vscode';
import { loadSdk } from './loadSdk.ts';
import type { SessionCatalog } from './sessions/sessionCatalog.ts';
import { pickSession } from './sessions/sessionPicker.ts';
import type { SessionService } from './sessionService.ts';

export async function focusChat(service: SessionService): Promise<void> {
  await vscode.commands.executeCommand('turnstone.chat.focus');
  service.focusComposer();
}

export async function newSession(service: SessionService): Promise<void> {
  await service.switchTo(undefined);
  await focusChat(service);
}

export async function openSessionFromList(service: SessionService, catalog: SessionCatalog): Promise<void> {
  const sessions = await catalog.list();
  if (sessions.length === 0) {
    void vscode.window.showInformationMessage('There is no earlier session of this folder yet.');
    return;
  }
  const picked = await pickSession(catalog, sessions, service.session?.sessionId);
  if (picked === undefined) return;
  await service.switchTo(picked);
  await focusChat(service);
}

/** The choice belongs to the session and counts from its next request on. */
export async function chooseModel(service: SessionService): Promise<void> {
  const session = await service.ensureOpen();
  if (!session) return;
  const { MODELS, DEMO_MODEL, resolveModel } = await loadSdk();
  if (session.model === DEMO_MODEL) {
    const set = 'Set API Key…';
    const answer = await vscode.window.showInformationMessage('The demo model is answering. Set an API key to choose a model.', set);
    if (answer === set) await vscode.commands.executeCommand('turnstone.setApiKey');
    return;
  }
  const other = { label: 'Other…', description: 'type a model id', id: undefined };
  const rows = MODELS.map(({ id, label, contextWindow }) => ({
    label, id, description: `${id}${id === session.model ? ' · in use' : ''}`, detail: `${contextWindow.toLocaleString('en')} tokens of context`,
  }));
  const picked = await vscode.window.showQuickPick([...rows, other], { title: 'Model for This Session', matchOnDescription: true });
  if (!picked) return;
  const model = picked.id ?? (await vscode.window.showInputBox({ title: 'Model Id', prompt: 'As the server knows it' }));
  if (model?.trim()) service.setModel(resolveModel(model));
}
