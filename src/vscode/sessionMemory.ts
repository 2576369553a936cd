import fs from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import type { QueuedPrompt } from './prompts.ts';

/** Older ones go: a draft is for what somebody was about to say. */
const maxDrafts = 50;

/**
 * What a window remembers across a reload: which session was open, what was typed but not sent, and what was sent while a
 * turn ran and still waits for its end. In a file of its own,
 * because VS Code writes its own storage seconds later, and a reload in a browser does not wait for that.
 */
export class SessionMemory {
  readonly #file: string;
  #lastSession: string | undefined;
  #drafts: (readonly [sessionId: string, text: string])[] = [];
  #queues = new Map<string, readonly QueuedPrompt[]>();
  #loading: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();

  /** `folder` belongs to this workspace; it is made when needed. */
  constructor(folder: string) {
    this.#file = path.join(folder, 'window.json');
  }

  /** Before anything is asked. What cannot be read is as if it had never been written. */
  load(): Promise<void> {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  get lastSession(): string | undefined {
    return this.#lastSession;
  }

  async setLastSession(sessionId: string | undefined): Promise<void> {
    if (sessionId === this.#lastSession) return;
    this.#lastSession = sessionId;
    await this.#save();
  }

  draft(sessionId: string): string {
    return this.#drafts.find(([id]) => id === sessionId)?.[1] ?? '';
  }

  async setDraft(sessionId: string, text: string): Promise<void> {
    if (text === this.draft(sessionId)) return;
    const others = this.#drafts.filter(([id]) => id !== sessionId);
    this.#drafts = (text === '' ? others : [[sessionId, text] as const, ...others]).slice(0, maxDrafts);
    await this.#save();
  }

  /** Prompts of a session that wait to be sent, oldest first. */
  queue(sessionId: string): readonly QueuedPrompt[] {
    return this.#queues.get(sessionId) ?? [];
  }

  async setQueue(sessionId: string, prompts: readonly QueuedPrompt[]): Promise<void> {
    if (idsOf(prompts) === idsOf(this.queue(sessionId))) return;
    if (prompts.length === 0) this.#queues.delete(sessionId);
    else this.#queues.set(sessionId, prompts);
    await this.#save();
  }

  async #read(): Promise<void> {
    const text = await fs.readFile(this.#file, 'utf8').catch(() => '');
    const value = tryParseJson(text);
    if (!isJsonObject(value)) return;
    const { lastSession, drafts, queues } = value;
    if (typeof lastSession === 'string') this.#lastSession = lastSession;
    if (Array.isArray(drafts)) this.#drafts = drafts.filter(isDraft);
    if (Array.isArray(queues)) this.#queues = new Map(queues.filter(isQueue));
  }

  /** One write after the other, each of the state at its time, and whole or not at all. */
  #save(): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(async () => {
      const text = JSON.stringify({ lastSession: this.#lastSession, drafts: this.#drafts, queues: [...this.#queues] });
      await fs.mkdir(path.dirname(this.#file), { recursive: true });
      await fs.writeFile(`${this.#file}.new`, text, { mode: 0o600 });
      await fs.rename(`${this.#file}.new`, this.#file);
    });
    return this.#saving;
  }
}

function isDraft(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
}

function isQueue(value: unknown): value is readonly [string, readonly QueuedPrompt[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1]) && value[1].every(isQueuedPrompt);
}

function isQueuedPrompt(value: unknown): value is QueuedPrompt {
  return isJsonObject(value) && typeof value.id === 'string' && typeof value.text === 'string' && Array.isArray(value.images) && value.images.every(isImage);
}

function isImage(value: unknown): boolean {
  return isJsonObject(value) && typeof value.mediaType === 'string' && typeof value.data === 'string';
}

function idsOf(prompts: readonly QueuedPrompt[]): string {
  return prompts.map(({ id }) => id).join(' ');
}
