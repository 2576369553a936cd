import * as vscode from 'vscode';
import type { Log } from '../base/log.ts';
import type { PanelToHost } from '../protocol/chatView.ts';
import { newNonce, panelHtml } from './panelHtml.ts';
import type { SessionService } from './sessionService.ts';

export const chatViewId = 'turnstone.chat';

export interface ChatViewParts {
  readonly extensionUri: vscode.Uri;
  readonly service: SessionService;
  readonly receive: (message: PanelToHost) => void;
  readonly log: Log;
}

/** Puts the chat panel into its view. The page is kept while it is hidden, so that a running turn goes on in it. */
export class ChatViewProvider implements vscode.WebviewViewProvider {
  static readonly options = { webviewOptions: { retainContextWhenHidden: true } };
  readonly #parts: ChatViewParts;
  #view: vscode.WebviewView | undefined;

  constructor(parts: ChatViewParts) {
    this.#parts = parts;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    this.#view = view;
    const resources = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist', 'webview');
    view.webview.options = { enableScripts: true, localResourceRoots: [resources] };
    // Late: the message schemas need a library that activation can do without.
    const { PanelConnection } = await import('./panelConnection.ts');
    const { service, receive, log } = this.#parts;
    const connection = new PanelConnection({ webview: view.webview, snapshot: () => service.snapshot(), onDidShow: service.onDidShow, receive, log });
    view.onDidDispose(() => {
      connection.dispose();
      this.#view = undefined;
    });
    this.reload();
  }

  /** Loads the page afresh; it gets everything again when it is ready. */
  reload(): void {
    const view = this.#view;
    if (!view) return;
    const file = (name: string): string => view.webview.asWebviewUri(vscode.Uri.joinPath(this.#parts.extensionUri, 'dist', 'webview', name)).toString();
    view.webview.html = panelHtml({
      cspSource: view.webview.cspSource,
      nonce: newNonce(),
      scriptUri: file('main.js'),
      styleUri: file('main.css'),
      iconStyleUri: file('codicon.css'),
    });
  }
}
