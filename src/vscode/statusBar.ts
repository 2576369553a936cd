import * as vscode from 'vscode';
import type { CostSummary } from '../sdk/index.ts';
import { loadSdk } from './loadSdk.ts';
import { contextShare } from './panelStatus.ts';
import type { SessionService } from './sessionService.ts';

/** Cost and context of the open session in the status bar; details on hover, the panel on click. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('turnstone.cost', vscode.StatusBarAlignment.Right, 90);
  readonly #service: SessionService;
  readonly #listener: vscode.Disposable;

  constructor(service: SessionService) {
    this.#service = service;
    this.#item.name = 'Turnstone Cost';
    this.#item.command = 'turnstone.focusChat';
    this.#listener = service.onDidChange(() => void this.#update());
  }

  dispose(): void {
    this.#listener.dispose();
    this.#item.dispose();
  }

  async #update(): Promise<void> {
    const { formatUsd } = await loadSdk();
    const { session } = this.#service;
    if (!session) return this.#item.hide();
    const cost = formatUsd(session.cost.totalCostUsd);
    const percent = Math.round(contextShare(session) * 100);
    this.#item.text = `${cost} · ${percent} %`;
    this.#item.accessibilityInformation = { label: `Turnstone: this session has cost ${cost}, ${percent} percent of the context window is in use` };
    this.#item.tooltip = costTooltip(session.cost, session.contextUse, formatUsd);
    this.#item.show();
  }
}

/** A table with a row per model. Durations and line counts are of the session. */
export function costTooltip(cost: CostSummary, context: { readonly used: number; readonly window: number }, formatUsd: (usd: number | null) => string): vscode.MarkdownString {
  const count = (tokens: number): string => tokens.toLocaleString('en');
  const rows = Object.entries(cost.modelUsage).map(([model, usage]) => {
    const written = usage.cacheCreation5mInputTokens + usage.cacheCreation1hInputTokens;
    return `| ${model} | ${[usage.inputTokens, usage.outputTokens, written, usage.cacheReadInputTokens].map(count).join(' | ')} | ${formatUsd(usage.costUSD)} |`;
  });
  const table = ['| Model | Input | Output | Cache written | Cache read | Cost |', '|:--|--:|--:|--:|--:|--:|', ...rows].join('\n');
  const facts = [
    `Context: ${count(context.used)} of ${count(context.window)} tokens`,
    `Model ${seconds(cost.apiDurationMs)}, tools ${seconds(cost.toolDurationMs)}`,
    `Lines: +${count(cost.linesAdded)} −${count(cost.linesRemoved)}`,
  ];
  return new vscode.MarkdownString(`**Turnstone, this session**\n\n${rows.length > 0 ? table : 'Nothing was sent yet.'}\n\n${facts.join(' · ')}`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
}
