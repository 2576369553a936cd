import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ApprovalView, ChatEvent, PromptImage, QuestionsView } from '../protocol/chatView.ts';
import type { SDKMessage } from '../protocol/messages.ts';
import type { CanUseTool, PermissionAnswer, PermissionMode } from '../protocol/permissions.ts';
import type { PendingFile, Session, UnknownCommand } from '../sdk/index.ts';
import { ChatLog } from './chatLog.ts';
import type { Endpoints } from './endpoint.ts';
import type { Mirroring } from './mirroring.ts';
import { panelStatus } from './panelStatus.ts';
import { heldPrompts, lastPrompt, promptContent, promptItem, shownPrompt } from './prompts.ts';
import type { QueuedPrompt } from './prompts.ts';
import { leftOpenView } from './review/leftOpenView.ts';
import type { ReviewService } from './review/reviewService.ts';
import type { SessionMemory } from './sessionMemory.ts';
import { changesEvent, mayStopTurn, notOpened, openedEvents } from './sessionEvents.ts';
import { SessionHolder } from './sessionHolder.ts';
import type { OpenSession } from './sessionHolder.ts';
import type { ChatState } from './toChatEvents.ts';
import { setStatusOfTool, setToolStatus } from './toolItems.ts';
import { runTurn } from './turnRunner.ts';
import { UserAsks } from './userAsks.ts';
import { RuleOffers } from './ruleOffers.ts';
import type { WorkspaceNews } from './workspaceNews.ts';

export interface SessionServiceParts {
  readonly endpoints: Endpoints;
  readonly memory: SessionMemory;
  readonly reviews: ReviewService;
  readonly news: WorkspaceNews;
  readonly mirroring: Mirroring;
  readonly log: Log;
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
  readonly asks = this.#disposables.add(new UserAsks());
  readonly offers = new RuleOffers();
  readonly #holder: SessionHolder;
  #queue: QueuedPrompt[] = [];
  #approvals: readonly ApprovalView[] = [];
  /** Those of calls that were left open, once they were looked at. */
  #leftOpenFiles: readonly PendingFile[] = [];
  /** The answer to a call that was left open, for when it is asked about again. */
  #answered: { readonly id: string; readonly answer: PermissionAnswer } | undefined;
  #running: Promise<void> | undefined;
  #interrupted = false;

  constructor(parts: SessionServiceParts) {
    this.#parts = parts;
    this.#holder = new SessionHolder({
      ...parts,
      asks: this.asks,
      canUseTool: this.#ask,
      opened: (open) => this.#showSession(open),
      notOpened: (resume, error) => this.#show([{ type: 'items-put', items: [notOpened(resume, error)] }]),
    });
    this.#disposables.add(parts.reviews.onDidChange((approvals) => this.#showApprovals(approvals)));
    this.#disposables.add(parts.mirroring.onTrouble((text) => this.notify('warning', text)));
    this.#disposables.add(this.asks.onDidChange((questions) => this.#showQuestions(questions)));
  }

  get session(): Session | undefined {
    return this.#holder.current?.session;
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
    return (await this.#holder.ensure())?.session;
  }

  /** Goes over to another session, or to a new one. Asks before it ends a running turn. */
  async switchTo(sessionId: string | undefined): Promise<void> {
    if (sessionId !== undefined && sessionId === this.session?.sessionId) return;
    // What waits for the user stays open in its session, as after a reload.
    const waits = this.#approvals.length > 0 && this.#holder.current?.session.isRunning === true && !this.#isDelegating();
    if (this.isRunning && !waits && !(await mayStopTurn())) return;
    if (waits) await this.#holder.leave();
    await this.#stopTurn();
    await this.#holder.switchTo(sessionId);
  }

  /** Sends the prompt now, or when the running turn has ended. Resolves when everything queued is done. */
  async submit(text: string, images: readonly PromptImage[] = []): Promise<void> {
    if (text.trim() === '' && images.length === 0) return;
    await this.setDraft('');
    this.#setQueue([...this.#queue, { id: crypto.randomUUID(), text, images }]);
    this.#keepQueue();
    await this.#run();
  }

  /**
   * Decides the call that was left open when the session ended; an edit that is not refused is shown as a diff first.
   * False when it is not this call.
   */
  async answerLeftOpen(id: string, answer: Exclude<PermissionAnswer, { behavior: 'outdated' }>): Promise<boolean> {
    const view = this.#leftOpen();
    if (view?.id !== id) return false;
    await this.#running;
    if (this.#leftOpen()?.id !== id) return true;
    const isShownFirst = view.kind === 'edit' && answer.behavior === 'allow';
    this.#answered = isShownFirst ? undefined : { id, answer };
    await this.#run(() => this.#continue());
    return true;
  }

  /** The user's last message once more, after a failure. */
  async retry(): Promise<void> {
    const prompt = this.session && lastPrompt(this.session);
    if (prompt) await this.submit(prompt.text, prompt.images);
  }

  /** Stops the turn. What is queued stays queued until the user sends it, or something else. */
  interrupt(): void {
    if (!this.isRunning) return;
    this.#interrupted = true;
    this.session?.interrupt();
  }

  removeQueued(id: string): void {
    this.#setQueue(this.#queue.filter((prompt) => prompt.id !== id));
    this.#keepQueue();
  }

  /** Sends what was held back, after Esc or a reload. */
  async sendQueued(): Promise<void> {
    await this.#run();
  }

  setModel(model: string): void {
    this.session?.setModel(model);
    this.#showStatus();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.session?.setPermissionMode(mode);
    this.#showStatus();
  }

  /** Names or pins the session if it is the one that is open here; false when it is not. */
  relabel(sessionId: string, change: (session: Session) => void): boolean {
    const { session } = this;
    if (session?.sessionId !== sessionId) return false;
    change(session);
    this.#showStatus();
    return true;
  }

  async setDraft(text: string): Promise<void> {
    this.#log.setDraft(text);
    await this.#parts.memory.setDraft(this.#draftKey(), text);
  }

  /** Another key, another server, trust was granted: used from the next turn on, or now if nothing runs. */
  async connectionChanged(): Promise<void> {
    this.#holder.markStale();
    if (!this.isRunning) await this.#holder.reconnect();
  }

  /** Shows the session anew, after a rewind; `draft` goes into the composer. */
  async showAgain(draft: string): Promise<void> {
    await this.#parts.memory.setDraft(this.#draftKey(), draft);
    await this.#showAnew();
  }

  /** A quiet line in the conversation. */
  notify(level: 'info' | 'warning' | 'error', text: string): void {
    this.#show([{ type: 'items-put', items: [{ kind: 'notice', id: crypto.randomUUID(), level, text }] }]);
  }

  /** What a rewind put into the composer goes from there; what was typed beside it stays. */
  withdrawDraft(text: string): void {
    if (text !== '') this.#show([{ type: 'draft-withdrawn', text }]);
  }

  /** A prompt that is not sent, back into the composer. */
  async returnPrompt(text: string, { text: reason, instead }: UnknownCommand): Promise<void> {
    await this.setDraft(text);
    this.#show([{ type: 'prompt-returned', text, reason, ...(instead !== undefined && { instead }) }]);
  }

  focusComposer(): void {
    this.#show([{ type: 'focus-composer' }]);
  }

  /** For the panel alone: a list it asked for. */
  tell(event: Extract<ChatEvent, { type: 'completions-listed' | 'sessions-listed' | 'sessions-found' | 'rule-checked' }>): void {
    this.#show([event]);
  }

  /** Resolves when everything is on disk. A question that waits is not decided by it: stopping the turn first would count as Esc. */
  async close(): Promise<void> {
    this.#interrupted = true;
    await this.session?.dispose();
    await this.#stopTurn();
    this.#holder.forget();
    await this.#parts.mirroring.close();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Works off the queue, after `first`. One run at a time: what comes meanwhile is in the queue. */
  async #run(first?: () => Promise<void>): Promise<void> {
    this.#interrupted = false;
    this.#running ??= this.#drainQueue(first).finally(() => {
      this.#running = undefined;
      this.#setRunning(false);
    });
    await this.#running;
  }

  async #drainQueue(first?: () => Promise<void>): Promise<void> {
    this.#setRunning(true);
    await first?.();
    while (this.#queue.length > 0 && !this.#interrupted) {
      const open = await this.#holder.connected();
      const [prompt, ...rest] = this.#queue;
      if (!open || !prompt) return;
      this.#setQueue(rest);
      await this.#parts.memory.setLastSession(open.session.sessionId);
      await this.#answer(prompt, open);
    }
  }

  async #answer(prompt: QueuedPrompt, { session, chat }: OpenSession): Promise<void> {
    const item = promptItem(prompt);
    this.#show([{ type: 'items-put', items: [item] }]);
    const before = session.rewindTargets();
    await this.#turn(session.submitMessage(promptContent(prompt), { uuid: prompt.id }), chat, false);
    const ids = new Set(session.rewindTargets().map(({ messageId }) => messageId));
    // A command has moved the conversation: what was shown is not part of it any more.
    if (before.some(({ messageId }) => !ids.has(messageId))) await this.#showAnew();
    else if (!ids.has(prompt.id)) this.#show([{ type: 'items-put', items: [{ ...item, isLocal: true }] }]);
    this.#showStatus();
  }

  async #continue(): Promise<void> {
    const open = await this.#holder.connected();
    if (open?.session.pendingPermission) await this.#turn(open.session.continuePending(), open.chat, true);
    this.#answered = undefined;
    this.#showStatus();
  }

  async #turn(messages: AsyncIterable<SDKMessage>, chat: ChatState, continues: boolean): Promise<void> {
    const progressed = (message: SDKMessage): void => {
      // With the end of an answer its cost is known, also when a call in it waits for the user.
      if (message.type === 'stream_event' && message.event.type === 'message_stop') this.#showStatus();
      if (message.type === 'stream_event' || message.type === 'progress') return;
      // What is answered is in the transcript by now, so it need not be kept as waiting any more.
      if (message.type !== 'system') this.#keepQueue();
      if (message.type === 'system' && message.subtype === 'init') this.#showApprovals();
      this.#showStatus();
    };
    const isLeftOpen = (): boolean => this.session?.pendingPermission !== undefined;
    await runTurn({ messages, state: chat, continues, isLeftOpen, listener: { show: (events) => this.#show(events), progressed }, log: this.#parts.log });
    this.#showApprovals();
    if (this.session) this.#show([changesEvent(this.session)]);
  }

  /** A sub-agent may go on working while another call of it waits. */
  #isDelegating(): boolean {
    return [...(this.#holder.current?.chat.tools.values() ?? [])].some(({ tool }) => tool === 'Task');
  }

  async #stopTurn(): Promise<void> {
    this.interrupt();
    await this.#running;
    this.#setQueue([]);
  }

  readonly #ask: CanUseTool = async (request, signal) => {
    const chat = this.#holder.current?.chat;
    const showStatus = (status: 'waiting' | 'running'): void => this.#show(chat ? setToolStatus(chat, request.toolUseId, status) : []);
    const answered = this.#answered;
    this.#answered = undefined;
    if (answered?.id === request.toolUseId) {
      showStatus('running');
      return answered.answer;
    }
    showStatus('waiting');
    const answer = await this.offers.during(request, () => this.#parts.reviews.ask(request, signal));
    showStatus('running');
    if (answer.behavior === 'outdated') {
      this.notify('warning', `${request.title} changed while the proposal was waiting, so nothing was written. The model is told to read it again.`);
    }
    return answer;
  };

  async #showAnew(): Promise<void> {
    const open = await this.#holder.startAnew();
    if (open) this.#showSession(open);
  }

  #showSession({ session, chat }: OpenSession): void {
    this.#queue = [...heldPrompts(this.#parts.memory.queue(session.sessionId), session, this.#queue), ...this.#queue];
    const draft = this.#parts.memory.draft(this.#draftKey());
    this.#show([...openedEvents(session, chat, draft), { type: 'queue-changed', prompts: this.#queue.map(shownPrompt) }]);
    this.#leftOpenFiles = [];
    this.#showApprovals();
    void this.#lookAtLeftOpen();
    this.#showStatus();
  }

  async #lookAtLeftOpen(): Promise<void> {
    const { session } = this;
    const files = await session?.pendingPermission?.look();
    if (!files || session !== this.session) return;
    this.#leftOpenFiles = files;
    this.#showApprovals();
  }

  #leftOpen(): ApprovalView | undefined {
    const open = this.#holder.current;
    const pending = open?.session.pendingPermission;
    return pending && leftOpenView(pending, this.#leftOpenFiles, open.chat.describe);
  }

  #showApprovals(approvals = this.#approvals): void {
    this.#approvals = approvals;
    const leftOpen = this.#leftOpen();
    const offered = this.offers.addTo(approvals);
    this.#show([{ type: 'approvals-changed', approvals: leftOpen ? [leftOpen, ...offered] : offered }]);
  }

  #showQuestions(questions: QuestionsView | null): void {
    const status = questions ? 'waiting' : 'running';
    const chat = this.#holder.current?.chat;
    this.#show([...(chat ? setStatusOfTool(chat, 'AskUser', status) : []), { type: 'questions-changed', questions }]);
  }

  #showStatus(): void {
    const open = this.#holder.current;
    if (!open) return;
    this.#show([
      { type: 'title-changed', title: open.session.title },
      { type: 'status-changed', status: panelStatus(open.session, open.endpoint.demo) },
    ]);
    this.#changed.fire();
  }

  #setQueue(queue: QueuedPrompt[]): void {
    this.#queue = queue;
    this.#show([{ type: 'queue-changed', prompts: queue.map(shownPrompt) }]);
  }

  /** What waits outlives a reload, and waits with its session while another one is open. */
  #keepQueue(): void {
    const { session } = this;
    if (!session) return;
    this.#parts.memory.setQueue(session.sessionId, this.#queue).catch((thrown: unknown) => {
      this.#parts.log.warn(`The waiting messages could not be kept for after a reload: ${errorText(thrown)}`);
    });
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
}
