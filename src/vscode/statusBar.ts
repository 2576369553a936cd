import * as vscode from 'vscode';
import { billingNote } from '../base/demoModel.ts';
import { costTooltip, sessionCost, trueUntil } from './costTooltip.ts';
import { ModeItem } from './modeItem.ts';
import { contextShare } from './panelStatus.ts';
import type { SessionService } from './sessionService.ts';

/** Cost and context of the open session in the status bar; details on hover, the panel on click. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('turnstone.cost', vscode.StatusBarAlignment.Right, 90);
  readonly #service: SessionService;
  readonly #listeners: vscode.Disposable;
  /** Runs only while the prompt cache counts down and somebody may look. */
  #timer: NodeJS.Timeout | undefined;
  readonly #mode: ModeItem;

  constructor(service: SessionService) {
    this.#service = service;
    this.#mode = new ModeItem(service);
    this.#item.name = 'Turnstone Cost';
    this.#item.command = 'turnstone.focusChat';
    this.#listeners = vscode.Disposable.from(service.onDidChange(() => this.#update()), vscode.window.onDidChangeWindowState(() => this.#update()));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.dispose();
    this.#mode.dispose();
    this.#item.dispose();
  }

  #update(): void {
    clearTimeout(this.#timer);
    const { session } = this.#service;
    if (!session) return this.#item.hide();
    const cost = sessionCost(session.cost) + billingNote(Object.keys(session.cost.modelUsage));
    const percent = Math.round(contextShare(session) * 100);
    const now = Date.now();
    const { nextRequest } = session;
    this.#item.text = `${cost} · ${percent} %`;
    this.#item.accessibilityInformation = { label: `Turnstone: this session has cost ${cost.replace('≥', 'at least')}, ${percent} percent of the context window is in use` };
    this.#item.tooltip = new vscode.MarkdownString(costTooltip({ cost: session.cost, contextUse: session.contextUse, model: session.model, nextRequest }, now));
    this.#item.show();
    const until = vscode.window.state.focused && !this.#service.isRunning ? trueUntil(nextRequest, now) : undefined;
    if (until !== undefined) this.#timer = setTimeout(() => this.#update(), until - now + 1);
  }
}
