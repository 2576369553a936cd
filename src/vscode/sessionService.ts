import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChatEvent, ChatItem, SessionSummary } from '../protocol/chatView.ts';
import type { SDKMessage } from '../protocol/messages.ts';
import type { CanUseTool, PermissionMode } from '../protocol/permissions.ts';
import type { Session } from '../sdk/index.ts';
import { ChatLog } from './chatLog.ts';
import type { ChosenEndpoint, Endpoints } from './endpoint.ts';
import { loadSdk } from './loadSdk.ts';
import { openSession, sessionPlace } from './openSession.ts';
import { panelStatus } from './panelStatus.ts';
import type { ReviewService } from './review/reviewService.ts';
import type { SessionMemory } from './sessionMemory.ts';
import { historyToChatEvents, newChatState } from './toChatEvents.ts';
import type { ChatState } from './toChatEvents.ts';
import { setToolStatus } from './toolItems.ts';
import { shortTitles } from './shortTitles.ts';
import { runTurn } from './turnRunner.ts';
import type { QueuedPrompt } from './turnRunner.ts';

export interface SessionServiceParts {
  readonly endpoints: Endpoints;
  readonly memory: SessionMemory;
  readonly reviews: ReviewService;
  readonly log: Log;
}

interface OpenSession {
  readonly session: Session;
  readonly endpoint: ChosenEndpoint;
  readonly chat: ChatState;
}

/** A prompt that was never sent has no session to keep its draft under. */
const newSessionDraft = 'new';

/**
 * Owns the one session of this window: opens and closes it, runs its turns to their end whether or not the panel is
 * visible, keeps prompts that are typed meanwhile, and tells what the panel has to show.
 */
export class SessionService implements vscode.Disposable {
  readonly #parts: SessionServiceParts;
  readonly #log = new ChatLog();
  readonly #disposables = new DisposableStore();
  readonly #shown = this.#disposables.add(new vscode.EventEmitter<readonly ChatEvent[]>());
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** What the panel has to show, as it happens. */
  readonly onDidShow = this.#shown.event;
  /** The session, its cost, its model or whether it runs. */
  readonly onDidChange = this.#changed.event;
  #open: OpenSession | undefined;
  #opening: Promise<unknown> = Promise.resolve();
  #queue: QueuedPrompt[] = [];
  #running: Promise<void> | undefined;
  #interrupted = false;
  #endpointStale = false;

  constructor(parts: SessionServiceParts) {
    this.#parts = parts;
    this.#disposables.add(parts.reviews.onDidChange((approvals) => this.#show([{ type: 'approvals-changed', approvals }])));
  }

  get session(): Session | undefined {
    return this.#open?.session;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Events that bring a fresh panel to the present state. */
  snapshot(): ChatEvent[] {
    return this.#log.snapshot();
  }

  /** The open session; else the last one of this window; else a new one. undefined when none could be opened: then the panel says why. */
  async ensureOpen(): Promise<Session | undefined> {
    return this.#exclusively(async () => {
      if (this.#open) return this.#open.session;
      await this.#parts.memory.load();
      const last = this.#parts.memory.lastSession;
      if (last !== undefined && (await this.#tryOpen(last))) return this.session;
      await this.#tryOpen(undefined);
      return this.session;
    });
  }

  /** Goes over to another session, or to a new one. Asks before it ends a running turn. */
  async switchTo(sessionId: string | undefined): Promise<void> {
    if (sessionId !== undefined && sessionId === this.session?.sessionId) return;
    if (this.isRunning && !(await mayStopTurn())) return;
    await this.#stopTurn();
    await this.#exclusively(async () => {
      await this.#parts.memory.load();
      if (await this.#tryOpen(sessionId)) await this.#parts.memory.setLastSession(sessionId);
    });
  }

  /** Sessions of this folder, newest first. */
  async list(): Promise<readonly SessionSummary[]> {
    const { listSessions } = await loadSdk();
    const sessions = await listSessions(sessionPlace());
    this.#show([{ type: 'sessions-listed', sessions }]);
    return sessions;
  }

  /** Sends the prompt now, or when the running turn has ended. Resolves when everything queued is done. */
  async submit(text: string): Promise<void> {
    if (text.trim() === '') return;
    await this.setDraft('');
    this.#setQueue([...this.#queue, { id: crypto.randomUUID(), text }]);
    this.#interrupted = false;
    this.#running ??= this.#drainQueue().finally(() => {
      this.#running = undefined;
      this.#setRunning(false);
    });
    await this.#running;
  }

  /** The user's last message once more, after a failure. */
  async retry(): Promise<void> {
    const last = this.session?.rewindTargets()[0];
    const message = this.session?.messages.find(({ uuid }) => uuid === last?.messageId);
    const content = message?.type === 'user' ? message.message.content : undefined;
    const text = typeof content === 'string' ? content : last?.text;
    if (text !== undefined) await this.submit(text);
  }

  /** Stops the turn. What is queued stays queued until the user sends something again. */
  interrupt(): void {
    if (!this.isRunning) return;
    this.#interrupted = true;
    this.session?.interrupt();
  }

  removeQueued(id: string): void {
    this.#setQueue(this.#queue.filter((prompt) => prompt.id !== id));
  }

  setModel(model: string): void {
    this.session?.setModel(model);
    this.#showStatus();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.session?.setPermissionMode(mode);
    this.#showStatus();
  }

  async setDraft(text: string): Promise<void> {
    this.#log.setDraft(text);
    await this.#parts.memory.setDraft(this.#draftKey(), text);
  }

  /** Another key, another server, trust was granted: used from the next turn on, or now if nothing runs. */
  async connectionChanged(): Promise<void> {
    this.#endpointStale = true;
    if (!this.isRunning && this.#open) await this.#exclusively(() => this.#reconnect());
  }

  /** Shows the session anew, after a rewind; `draft` goes into the composer. */
  async showAgain(draft: string): Promise<void> {
    if (!this.#open) return;
    await this.#parts.memory.setDraft(this.#draftKey(), draft);
    this.#open = { ...this.#open, chat: await this.#newChat(this.#open.session) };
    this.#showSession(this.#open);
  }

  /** A quiet line in the conversation. */
  notify(level: 'info' | 'warning' | 'error', text: string): void {
    this.#show([{ type: 'items-put', items: [{ kind: 'notice', id: crypto.randomUUID(), level, text }] }]);
  }

  focusComposer(): void {
    this.#show([{ type: 'focus-composer' }]);
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    await this.#stopTurn();
    await this.#open?.session.dispose();
    this.#open = undefined;
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #drainQueue(): Promise<void> {
    this.#setRunning(true);
    while (this.#queue.length > 0 && !this.#interrupted) {
      if (this.#endpointStale) await this.#exclusively(() => this.#reconnect());
      const session = await this.ensureOpen();
      const open = this.#open;
      if (!session || !open) return;
      const [prompt, ...rest] = this.#queue;
      if (!prompt) return;
      this.#setQueue(rest);
      await this.#parts.memory.setLastSession(session.sessionId);
      await runTurn(prompt, session, open.chat, {
        log: this.#parts.log,
        listener: { show: (events) => this.#show(events), progressed: (message) => this.#progressed(message) },
      });
      this.#showStatus();
    }
  }

  #progressed(message: SDKMessage): void {
    if (message.type === 'stream_event' || message.type === 'progress') return;
    this.#showStatus();
  }

  async #stopTurn(): Promise<void> {
    this.interrupt();
    await this.#running;
    this.#setQueue([]);
  }

  /** False when it could not be opened; the panel then says why, and what was open stays open. */
  async #tryOpen(resume: string | undefined): Promise<boolean> {
    try {
      const endpoint = await this.#parts.endpoints.choose();
      const session = await openSession({ resume, endpoint, canUseTool: this.#ask, log: this.#parts.log });
      await this.#open?.session.dispose();
      this.#open = { session, endpoint, chat: await this.#newChat(session) };
      this.#endpointStale = false;
      this.#showSession(this.#open);
      return true;
    } catch (error) {
      this.#parts.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      this.#show([{ type: 'items-put', items: [notOpened(resume, error)] }]);
      return false;
    }
  }

  /** The same session at the endpoint that is right now. */
  async #reconnect(): Promise<void> {
    const session = this.session;
    if (!session) return;
    const isEmpty = session.messages.length === 0;
    if (!isEmpty) {
      await session.dispose();
      this.#open = undefined;
    }
    await this.#tryOpen(isEmpty ? undefined : session.sessionId);
  }

  readonly #ask: CanUseTool = async (request, signal) => {
    const chat = this.#open?.chat;
    const showStatus = (status: 'waiting' | 'running'): void => this.#show(chat ? setToolStatus(chat, request.toolUseId, status) : []);
    showStatus('waiting');
    const answer = await this.#parts.reviews.ask(request, signal);
    showStatus('running');
    if (answer.behavior === 'outdated') {
      this.notify('warning', `${request.title} changed while the proposal was waiting, so nothing was written. The model is told to read it again.`);
    }
    return answer;
  };

  async #newChat(session: Session): Promise<ChatState> {
    const { describeTool } = await loadSdk();
    return newChatState(shortTitles(describeTool, session.cwd), session.cost.totalCostUsd);
  }

  #showSession({ session, chat }: OpenSession): void {
    const notices = session.notices.map((text, index): ChatItem => ({ kind: 'notice', id: `opened-${index}`, level: 'warning', text }));
    this.#show([
      { type: 'session-opened', sessionId: session.sessionId, title: session.title, draft: this.#parts.memory.draft(this.#draftKey()), readOnly: false },
      ...historyToChatEvents(chat, session.messages),
      ...(notices.length > 0 ? [{ type: 'items-put', items: notices } as const] : []),
      { type: 'todos-changed', todos: session.todos },
      { type: 'queue-changed', prompts: this.#queue },
    ]);
    this.#showStatus();
  }

  #showStatus(): void {
    const open = this.#open;
    if (!open) return;
    void loadSdk().then(({ formatUsd }) => this.#show([
      { type: 'title-changed', title: open.session.title },
      { type: 'status-changed', status: panelStatus(open.session, open.endpoint.demo, formatUsd) },
    ]));
    this.#changed.fire();
  }

  #setQueue(queue: QueuedPrompt[]): void {
    this.#queue = queue;
    this.#show([{ type: 'queue-changed', prompts: queue }]);
  }

  #setRunning(running: boolean): void {
    void vscode.commands.executeCommand('setContext', 'turnstone.running', running);
    this.#changed.fire();
  }

  #show(events: readonly ChatEvent[]): void {
    if (events.length === 0) return;
    this.#log.apply(events);
    this.#shown.fire(events);
  }

  #draftKey(): string {
    const session = this.session;
    return session && session.messages.length > 0 ? session.sessionId : newSessionDraft;
  }

  /** One opening or closing at a time. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#opening.then(work);
    this.#opening = result.catch(() => undefined);
    return result;
  }
}

async function mayStopTurn(): Promise<boolean> {
  const stop = 'Stop It';
  const detail = 'What has been said and done so far is kept in its session.';
  return (await vscode.window.showWarningMessage('A turn is still running. Stop it?', { modal: true, detail }, stop)) === stop;
}

function notOpened(resume: string | undefined, error: unknown): ChatItem {
  const text = resume === undefined ? errorText(error) : `The session could not be opened: ${errorText(error)} Its file was left as it is.`;
  return { kind: 'notice', id: `not-opened-${resume ?? 'new'}`, level: 'error', text, action: 'open-log' };
}
