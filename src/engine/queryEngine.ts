import { deferred } from '../base/deferred.ts';
import type { Deferred } from '../base/deferred.ts';
import { TurnstoneError, errorText, isTurnstoneError } from '../base/errors.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { ConversationMessage, SDKMessage, SDKResultMessage, SessionMessage, Todo, ToolUseResult } from '../protocol/messages.ts';
import type { PermissionDenial, PermissionMode } from '../protocol/permissions.ts';
import type { RewindChoice, RewindOutcome, RewindPlan, RewindTarget } from '../protocol/rewind.ts';
import { runLocalCommand } from './commands/localCommand.ts';
import { contextNote } from './context/contextNote.ts';
import { SessionContext } from './context/sessionContext.ts';
import { systemPrompt } from './context/systemPrompt.ts';
import type { EngineParts } from './engineParts.ts';
import { ErrorRing } from './errorRing.ts';
import type { SessionError } from './errorRing.ts';
import { modelInfo, resolveModel } from './model/modelCatalog.ts';
import { contextTokens } from './model/tokens.ts';
import { query } from './query.ts';
import type { QueryEnd, QueryParams } from './query.ts';
import { SessionRewind } from './sessionRewind.ts';
import type { ContextUse, CostSummary, Session, SubmitOptions } from './session.ts';
import { collectChangedFiles } from './tools/collectChangedFiles.ts';
import { SessionMessages } from './sessionMessages.ts';
import { toolRunner } from './sessionTools.ts';
import { firstWords, lastTodos } from './sessionText.ts';
import { turnResult } from './turnResult.ts';

/** Progress kept per tool call, in UTF-16 units: enough to see what happened, too little to bloat a transcript. */
const keptProgress = 30_000;

/** What lives for one turn (SPEC E1). */
interface Turn {
  readonly controller: AbortController;
  readonly startedAt: number;
  readonly apiMsBefore: number;
  readonly watermark: SessionError | undefined;
  readonly permissionDenials: PermissionDenial[];
  readonly progressLength: Map<string, number>;
  /** Settles when the usage of the message that streams now is final; its lines wait for it. */
  messageSettled: Deferred<void>;
}

/**
 * One session. Invariants: a prompt is on disk before its request leaves; each turn ends in exactly one `result`, after
 * the transcript is flushed; one turn runs at a time; `messages` is what the transcript's active branch holds.
 */
export class QueryEngine implements Session {
  readonly sessionId: string;
  readonly notices: readonly string[];
  readonly #parts: EngineParts;
  readonly #mutableMessages: SessionMessage[];
  readonly #context: SessionContext;
  readonly #say: SessionMessages;
  readonly #errors = new ErrorRing();
  readonly #system;
  readonly #rewind: SessionRewind;
  readonly #wakeRetry = new Set<() => void>();
  #turn: Turn | undefined;
  #model: string;
  #permissionMode: PermissionMode;
  #todos: readonly Todo[];

  constructor(parts: EngineParts) {
    const { config, loaded } = parts;
    this.#parts = parts;
    this.sessionId = parts.sessionId;
    this.#say = new SessionMessages(parts.sessionId, () => parts.clock.now());
    this.#mutableMessages = [...(loaded?.messages ?? [])];
    this.#model = resolveModel(config.model);
    this.#permissionMode = config.permissionMode;
    this.#todos = lastTodos(this.#mutableMessages);
    this.notices = parts.notices;
    this.#context = new SessionContext({ ...parts, cwd: config.cwd, roots: config.roots, trusted: config.trusted });
    this.#system = systemPrompt({ cwd: config.cwd, roots: config.roots, platform: parts.environment.platform, osVersion: parts.environment.osVersion, shell: parts.shell.name });
    this.#rewind = new SessionRewind(parts, this.#mutableMessages);
  }

  get cwd(): string {
    return this.#parts.config.cwd;
  }
  get transcriptPath(): string {
    return this.#parts.store.path;
  }
  get title(): string {
    return this.#parts.loaded?.title ?? firstWords(this.#mutableMessages);
  }
  get model(): string {
    return this.#model;
  }
  get permissionMode(): PermissionMode {
    return this.#permissionMode;
  }
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }
  get messages(): readonly SessionMessage[] {
    return this.#mutableMessages;
  }
  get todos(): readonly Todo[] {
    return this.#todos;
  }
  get cost(): CostSummary {
    return this.#parts.cost.summary();
  }
  get contextUse(): ContextUse {
    return { used: contextTokens(this.#mutableMessages), window: modelInfo(this.#model).contextWindow };
  }
  get canUndoRewind(): boolean {
    return !this.isRunning && this.#rewind.canUndo;
  }

  async *submitMessage(prompt: string | readonly ContentBlock[], options: SubmitOptions = {}): AsyncGenerator<SDKMessage, void, void> {
    if (this.#turn) throw new TurnstoneError('invalid_input', 'A turn is already running in this session. Wait for it, or interrupt it first.');
    const turn = this.#beginTurn();
    try {
      const local = typeof prompt === 'string' ? runLocalCommand(prompt, this) : undefined;
      if (local === undefined) yield* this.#answer(prompt, options, turn);
      else yield* this.#answerLocally(local, turn);
    } finally {
      turn.controller.abort('the turn is over');
      turn.messageSettled.resolve();
      this.#turn = undefined;
    }
  }

  interrupt(): void {
    this.#turn?.controller.abort('interrupted');
  }

  retryNow(): void {
    for (const wake of this.#wakeRetry) wake();
  }

  setModel(model: string): void {
    this.#model = resolveModel(model);
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#permissionMode = mode;
  }

  invalidateFile(path: string): void {
    this.#context.fileChanged(path);
    const { files, readFileState, config } = this.#parts;
    files.realpath(path).then(
      (real) => readFileState.invalidate(real),
      (thrown: unknown) => config.log.warn(`a changed file could not be looked at: ${errorText(thrown)}`),
    );
  }

  rewindTargets(): readonly RewindTarget[] {
    return this.#rewind.targets();
  }

  planRewind(messageId: string): Promise<RewindPlan> {
    return this.#rewind.plan(messageId);
  }

  snapshotContent(messageId: string, path: string): Promise<Uint8Array | undefined> {
    return this.#rewind.contentAt(messageId, path);
  }

  rewind(messageId: string, choice: RewindChoice): Promise<RewindOutcome> {
    this.#refuseWhileRunning();
    return this.#rewind.rewind(messageId, choice);
  }

  undoRewind(choice: Partial<RewindChoice> = {}): Promise<RewindOutcome> {
    this.#refuseWhileRunning();
    return this.#rewind.undo(choice);
  }

  async dispose(): Promise<void> {
    this.interrupt();
    await this.#parts.backgroundShells.dispose();
    await this.#parts.store.dispose();
  }

  #refuseWhileRunning(): void {
    if (this.#turn) throw new TurnstoneError('invalid_input', 'A turn is running. Wait for it or interrupt it, then rewind.');
  }

  #beginTurn(): Turn {
    this.#parts.cost.mark();
    this.#context.beginTurn();
    this.#turn = {
      controller: new AbortController(),
      startedAt: this.#parts.clock.now(),
      apiMsBefore: this.cost.apiDurationMs,
      watermark: this.#errors.watermark(),
      permissionDenials: [],
      progressLength: new Map(),
      messageSettled: deferred(),
    };
    return this.#turn;
  }

  async *#answer(prompt: string | readonly ContentBlock[], options: SubmitOptions, turn: Turn): AsyncGenerator<SDKMessage, void, void> {
    const { store, history, config } = this.#parts;
    const { signal } = turn.controller;
    const message = this.#say.user(prompt, options);
    if (!message.isMeta) this.#rewind.addPrompt(message);
    this.#keep(message);
    history.startMessage(message.uuid);
    const [saved, parts] = await Promise.all([config.bare ? undefined : this.#flush(), this.#context.parts(signal, this.#mutableMessages)]);
    const note = contextNote(parts, this.#mutableMessages);
    if (note !== undefined) this.#keep(this.#say.user([{ type: 'text', text: note }], { isMeta: true }));
    if (note !== undefined && !config.bare) await this.#flush();
    if (saved) yield this.#say.notice('error', saved);
    yield this.#init();
    for (const problem of this.#context.takeProblems()) yield this.#say.notice('warning', problem);
    const end = yield* this.#routeAll(query(this.#queryParams(turn)), turn);
    if (end.reason === 'failed' && end.error) {
      const failure = this.#say.failure(end.error);
      this.#keep(failure);
      yield failure;
    }
    store.record({ type: 'session-state', model: this.#model, permissionMode: this.#permissionMode, cost: this.#parts.cost.toJSON() });
    const trouble = await this.#flush();
    if (trouble && !saved) yield this.#say.notice('error', trouble);
    yield this.#result(end, turn);
  }

  async *#answerLocally(text: string, turn: Turn): AsyncGenerator<SDKMessage, void, void> {
    yield this.#init();
    yield this.#say.notice('info', text);
    yield { ...this.#result({ reason: 'completed', stopReason: 'end_turn', iterations: 0 }, turn), result: text };
  }

  #queryParams(turn: Turn): QueryParams {
    const { config, files, documents, digest, clock, readFileState, tools, cost, backgroundShells } = this.#parts;
    const { signal } = turn.controller;
    return {
      messages: [...this.#mutableMessages],
      system: this.#system,
      tools,
      call: {
        client: this.#parts.client,
        clock,
        random: this.#parts.random,
        log: config.log,
        cost,
        sessionId: this.sessionId,
        signal,
        includePartialMessages: config.includePartialMessages,
        retryNow: (wake) => {
          this.#wakeRetry.add(wake);
          return { dispose: () => this.#wakeRetry.delete(wake) };
        },
        fallbackModel: config.fallbackModel && resolveModel(config.fallbackModel),
        model: this.#model,
        retry: config.retry,
        repairs: this.#parts.repairs,
      },
      runner: toolRunner(this.#parts, {
        signal,
        permissionMode: () => this.#permissionMode,
        setPermissionMode: (mode) => this.setPermissionMode(mode),
        model: () => this.#model,
        setTodos: (todos) => void (this.#todos = todos),
        onDenied: (denial) => turn.permissionDenials.push(denial),
      }),
      maxTurns: config.maxTurns,
      maxBudgetUsd: config.maxBudgetUsd,
      maxOutputTokensPerTurn: config.maxOutputTokensPerTurn,
      endpointName: this.#parts.endpointName,
      pendingNotes: async () => [
        ...(await collectChangedFiles(readFileState, { files, documents, digest, clock })).map((note) => note.text),
        ...backgroundShells.takeEndNotes(),
        ...noteList(contextNote(await this.#context.nestedParts(this.#mutableMessages), this.#mutableMessages)),
      ],
    };
  }

  async *#routeAll(run: AsyncGenerator<SDKMessage, QueryEnd, void>, turn: Turn): AsyncGenerator<SDKMessage, QueryEnd, void> {
    try {
      for (;;) {
        const step = await run.next();
        if (step.done) return step.value;
        // Most of what comes are pieces of text: they wait for nothing.
        const trouble = step.value.type === 'stream_event' ? this.#routeEvent(step.value.event.type, turn) : await this.#route(step.value, turn);
        if (step.value.type !== 'stream_event' || this.#parts.config.includePartialMessages) yield step.value;
        if (trouble) yield this.#say.notice('error', trouble);
      }
    } catch (thrown) {
      this.#parts.config.log.error(`the turn failed: ${thrown instanceof Error ? thrown.stack : errorText(thrown)}`);
      return { reason: 'failed', stopReason: null, error: `Something went wrong inside Turnstone: ${errorText(thrown)}. The conversation is saved.`, iterations: 0 };
    } finally {
      turn.controller.abort('the turn is over');
      turn.messageSettled.resolve();
      await run.return({ reason: 'interrupted', stopReason: null, iterations: 0 });
    }
  }

  /** Keeps what a message means for the session (SPEC E4). Returns a text for the user when the disk made trouble. */
  async #route(message: SDKMessage, turn: Turn): Promise<string | undefined> {
    const { store, cost } = this.#parts;
    switch (message.type) {
      case 'assistant':
        this.#mutableMessages.push(message);
        store.recordMessage(message, { holdUntil: turn.messageSettled.promise });
        return undefined;
      case 'user':
        turn.messageSettled.resolve();
        this.#keep(message);
        this.#touch(message.tool_use_result);
        if (message.tool_use_result?.kind === 'edit') cost.addLines(message.tool_use_result.change.linesAdded, message.tool_use_result.change.linesRemoved);
        return this.#flush();
      case 'stream_event':
        return this.#routeEvent(message.event.type, turn);
      case 'progress':
        this.#recordProgress(message, turn);
        return undefined;
      case 'tombstone':
        turn.messageSettled.resolve();
        this.#withdraw(message.message_uuids);
        return undefined;
      case 'system':
      case 'result':
        return undefined;
    }
  }

  #routeEvent(type: string, turn: Turn): undefined {
    const { store, cost } = this.#parts;
    if (type === 'message_start') turn.messageSettled = deferred();
    if (type !== 'message_stop') return;
    turn.messageSettled.resolve();
    store.record({ type: 'session-state', model: this.#model, permissionMode: this.#permissionMode, cost: cost.toJSON() });
  }

  #recordProgress(message: Extract<SDKMessage, { type: 'progress' }>, turn: Turn): void {
    const before = turn.progressLength.get(message.tool_use_id) ?? 0;
    if (before >= keptProgress) return;
    turn.progressLength.set(message.tool_use_id, before + message.data.text.length);
    this.#parts.store.record({ type: 'progress', toolUseID: message.tool_use_id, data: message.data });
  }

  /** Instruction files on the way to a file that was read or changed count from the next request on. */
  #touch(result: ToolUseResult | undefined): void {
    if (result?.kind === 'read') this.#context.touch(result.path);
    if (result?.kind === 'edit') this.#context.touch(result.change.path);
  }

  #withdraw(uuids: readonly string[]): void {
    if (uuids.length === 0) return;
    const withdrawn = new Set(uuids);
    const kept = this.#mutableMessages.filter((message) => !withdrawn.has(message.uuid));
    this.#mutableMessages.splice(0, this.#mutableMessages.length, ...kept);
    this.#parts.store.record({ type: 'tombstone', messageUuids: [...uuids] });
  }

  #keep(message: ConversationMessage): void {
    this.#mutableMessages.push(message);
    this.#parts.store.recordMessage(message);
  }

  /** A full or missing disk never stops a turn: the lines wait in memory, and the user is told. */
  async #flush(): Promise<string | undefined> {
    try {
      await this.#parts.store.flush();
      return undefined;
    } catch (thrown) {
      if (!isTurnstoneError(thrown)) throw thrown;
      this.#errors.push(thrown.message);
      return thrown.message;
    }
  }

  #init(): SDKMessage {
    const { config, tools } = this.#parts;
    return {
      type: 'system',
      subtype: 'init',
      uuid: crypto.randomUUID(),
      session_id: this.sessionId,
      model: this.#model,
      cwd: config.cwd,
      tools: tools.map((tool) => tool.name),
      mcp_servers: [],
      permissionMode: this.#permissionMode,
      apiKeySource: config.apiKeySource,
    };
  }

  #result(end: QueryEnd, turn: Turn): SDKResultMessage {
    return turnResult(end, { ...this.#parts, messages: this.#mutableMessages, turn, errors: this.#errors.since(turn.watermark) });
  }
}

function noteList(note: string | undefined): string[] {
  return note === undefined ? [] : [note];
}
