import type * as vscode from 'vscode';

const lastSessionName = 'turnstone.lastSession';
const draftsName = 'turnstone.drafts';
/** Older ones go: a draft is for what somebody was about to say. */
const maxDrafts = 50;

/** What a window remembers across a reload: which session was open and what was typed but not sent. */
export class SessionMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get lastSession(): string | undefined {
    return this.#state.get<string>(lastSessionName);
  }

  async setLastSession(sessionId: string | undefined): Promise<void> {
    await this.#state.update(lastSessionName, sessionId);
  }

  draft(sessionId: string): string {
    return this.#drafts.find(([id]) => id === sessionId)?.[1] ?? '';
  }

  async setDraft(sessionId: string, text: string): Promise<void> {
    const others = this.#drafts.filter(([id]) => id !== sessionId);
    const drafts = text === '' ? others : [[sessionId, text] as const, ...others];
    await this.#state.update(draftsName, drafts.slice(0, maxDrafts));
  }

  get #drafts(): readonly (readonly [sessionId: string, text: string])[] {
    return this.#state.get(draftsName, []);
  }
}
