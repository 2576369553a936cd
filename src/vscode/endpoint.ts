import type * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { Endpoint } from '../sdk/options.ts';
import { loadSdk } from './loadSdk.ts';
import { readSettings } from './settings.ts';

const secretName = 'turnstone.apiKey';
const useDemoName = 'turnstone.useDemo';

export interface ChosenEndpoint extends Endpoint {
  readonly demo: boolean;
}

/**
 * Decides where the model is. A key of the user's own goes before the environment's; without any key, and without a
 * server of the user's own, the built-in demo model answers and says so.
 */
export class Endpoints {
  readonly #context: vscode.ExtensionContext;
  readonly #disposables = new DisposableStore();
  #demo: Promise<Endpoint> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  async choose(): Promise<ChosenEndpoint> {
    const baseUrl = readSettings().baseUrl || process.env['ANTHROPIC_BASE_URL'] || undefined;
    const { key, source } = await this.#key();
    if (this.#context.globalState.get<boolean>(useDemoName) || (!key && !baseUrl)) {
      this.#demo ??= this.#startDemo();
      return { ...(await this.#demo), demo: true };
    }
    return { baseUrl, apiKey: async () => (await this.#key()).key, apiKeySource: source, demo: false };
  }

  /** A key that is set by hand means that the demo is over. */
  async setKey(key: string): Promise<void> {
    await this.#context.secrets.store(secretName, key);
    await this.#context.globalState.update(useDemoName, undefined);
  }

  /** True when there was one. What the environment has is not ours to remove. */
  async removeKey(): Promise<boolean> {
    const had = (await this.#context.secrets.get(secretName)) !== undefined;
    await this.#context.secrets.delete(secretName);
    return had;
  }

  async useDemo(): Promise<void> {
    await this.#context.globalState.update(useDemoName, true);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #key(): Promise<{ readonly key: string | undefined; readonly source: string }> {
    const stored = await this.#context.secrets.get(secretName);
    if (stored) return { key: stored, source: 'secret storage' };
    return { key: process.env['ANTHROPIC_API_KEY'] || undefined, source: 'ANTHROPIC_API_KEY' };
  }

  async #startDemo(): Promise<Endpoint> {
    const { startDemoModel } = await loadSdk();
    const demo = await startDemoModel();
    this.#disposables.add({ dispose: () => void demo.close() });
    return { baseUrl: demo.url, apiKey: async () => demo.apiKey, apiKeySource: 'demo' };
  }
}
