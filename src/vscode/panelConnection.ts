import type * as vscode from 'vscode';
import { DisposableStore, toDisposable } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import { panelToHostSchema } from '../protocol/chatView.ts';
import type { ChatEvent, HostToPanel, PanelToHost } from '../protocol/chatView.ts';
import { packChatEvents } from './chatEventBatch.ts';

/** Milliseconds in which events are collected: about two frames, so that the panel renders once for all of them. */
const batchDelay = 25;

export interface PanelConnectionParts {
  readonly webview: Pick<vscode.Webview, 'postMessage' | 'onDidReceiveMessage'>;
  /** Everything so far, for a panel that has just loaded. */
  readonly snapshot: () => readonly ChatEvent[];
  readonly onDidShow: vscode.Event<readonly ChatEvent[]>;
  readonly receive: (message: PanelToHost) => void;
  readonly log: Log;
}

/** The line between the host and one page of the panel. Nothing is posted before the page is ready. */
export class PanelConnection implements vscode.Disposable {
  readonly #parts: PanelConnectionParts;
  readonly #disposables = new DisposableStore();
  #ready = false;
  #pending: ChatEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: PanelConnectionParts) {
    this.#parts = parts;
    this.#disposables.add(parts.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    this.#disposables.add(parts.onDidShow((events) => this.#collect(events)));
    this.#disposables.add(toDisposable(() => clearTimeout(this.#timer)));
  }

  dispose(): void {
    this.#ready = false;
    this.#disposables.dispose();
  }

  #receive(raw: unknown): void {
    const parsed = panelToHostSchema.safeParse(raw);
    if (!parsed.success) {
      this.#parts.log.error(`The panel sent something unknown, which was ignored: ${JSON.stringify(raw)?.slice(0, 500)}`);
      return;
    }
    if (parsed.data.type === 'ready') this.#start();
    this.#parts.receive(parsed.data);
  }

  /** Also when the page was loaded again: it starts from nothing. */
  #start(): void {
    this.#ready = true;
    this.#pending = [];
    this.#post(this.#parts.snapshot());
  }

  #collect(events: readonly ChatEvent[]): void {
    if (!this.#ready) return;
    this.#pending.push(...events);
    this.#timer ??= setTimeout(() => this.#flush(), batchDelay);
  }

  #flush(): void {
    this.#timer = undefined;
    const events = this.#pending;
    this.#pending = [];
    this.#post(events);
  }

  #post(events: readonly ChatEvent[]): void {
    for (const batch of packChatEvents(events)) {
      const message: HostToPanel = { type: 'events', events: batch };
      void this.#parts.webview.postMessage(message);
    }
  }
}
