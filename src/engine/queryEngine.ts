import { TurnstoneError } from '../base/errors.ts';
import { textOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { SDKMessage, SDKResultMessage, SessionMessage, ShownMessage, Todo } from '../protocol/messages.ts';
import type { RuleCheck, RuleLevel } from '../protocol/permissionRules.ts';
import type { PermissionMode, PermissionRequest } from '../protocol/permissions.ts';
import type { Effort, ThinkingChoice } from '../protocol/reasoning.ts';
import type { BuiltInCommand } from './commands/builtInCommands.ts';
import { knownCommands } from './commands/knownCommands.ts';
import { shellOutput } from './commands/shellOutput.ts';
import type { SlashCommandInfo } from './commands/slashCommand.ts';
import { contextNote } from './context/contextNote.ts';
import { SessionContext } from './context/sessionContext.ts';
import { systemPrompt } from './context/systemPrompt.ts';
import { CostNotices } from './cost/costNotices.ts';
import { toolsOf } from './engineParts.ts';
import type { EngineParts } from './engineParts.ts';
import { checkBlocks } from './input/checkBlocks.ts';
import { kindOfPrompt, nothingBeside, processInput } from './input/processInput.ts';
import type { ProcessedInput, Prompt, PromptKind } from './input/processInput.ts';
import { resolveModel } from './model/modelCatalog.ts';
import { INTERRUPTED_RESULT } from './normalizeMessages.ts';
import { pendingPermission } from './pendingPermission.ts';
import { orphanedCalls, rememberAsked } from './orphanedCalls.ts';
import type { OrphanedCalls } from './orphanedCalls.ts';
import { query } from './query.ts';
import type { QueryEnd } from './query.ts';
import { RewindableSession } from './rewindableSession.ts';
import type { ToolRunner } from './toolCall.ts';
import type { ContextUse, PendingPermission, Session, SubmitOptions } from './session.ts';
import { SessionMessages } from './sessionMessages.ts';
import { SessionRecord } from './sessionRecord.ts';
import { SessionRewind } from './sessionRewind.ts';
import { firstWords } from './sessionText.ts';
import { SessionTitle } from './titles/sessionTitle.ts';
import { forgetWhatWasRead } from './tools/forgetWhatWasRead.ts';
import { usableTitle } from './transcript/sessionLabels.ts';
import { oneByOne, type TurnMessage } from './streamEvents.ts';
import { applyCommand, newTurn } from './turn.ts';
import type { SessionChoices, Turn } from './turn.ts';
import { compactNow, compactorFor, goOnFrom, turnParams, turnRunner } from './turnParams.ts';
import type { TurnRun, TurnSession } from './turnParams.ts';
import { turnResult } from './turnResult.ts';

/**
 * One session. Invariants: a prompt is on disk before its request leaves; each turn ends in exactly one `result`, after
 * the transcript is flushed; one turn runs at a time; `messages` is what the transcript's active branch holds.
 */
export class QueryEngine extends RewindableSession implements Session {
  readonly sessionId: string;
  readonly notices: readonly string[];
  readonly #parts: EngineParts;
  readonly #mutableMessages: SessionMessage[];
  readonly #choices: SessionChoices;
  readonly #context: SessionContext;
  readonly #say: SessionMessages;
  readonly #record: SessionRecord;
  readonly #rewind: SessionRewind;
  readonly #title: SessionTitle;
  readonly #session: TurnSession;
  #turn: Turn | undefined;
  #todos: readonly Todo[];
  /** Until it was decided or passed over. */
  #orphaned: OrphanedCalls | undefined;

  constructor(given: EngineParts) {
    super();
    // The messages live in `mutableMessages` alone: what a compaction drops there must not be held elsewhere.
    const parts: EngineParts = { ...given, loaded: given.loaded && { ...given.loaded, messages: [] } };
    const { config, loaded } = parts;
    this.#parts = parts;
    this.sessionId = parts.sessionId;
    this.notices = parts.notices;
    this.#say = new SessionMessages(parts.sessionId, () => parts.clock.now());
    this.#mutableMessages = [...(given.loaded?.messages ?? [])];
    this.#choices = { model: resolveModel(config.model), permissionMode: config.permissionMode, thinking: config.thinking, effort: config.effort, customTitle: loaded?.labels.customTitle, pinned: loaded?.labels.pinned };
    this.#todos = loaded?.todos ?? [];
    this.#orphaned = orphanedCalls(this.#mutableMessages, loaded?.undecidedCalls ?? new Map());
    this.#context = new SessionContext({ ...parts, cwd: config.cwd, roots: config.roots, trusted: config.trusted });
    const system = systemPrompt({ cwd: config.cwd, roots: config.roots, platform: parts.environment.platform, osVersion: parts.environment.osVersion, shell: parts.shell.name });
    const compactor = compactorFor(parts, system);
    const costNotices = new CostNotices({ ...parts, reminderUsd: config.agentId === undefined ? config.costReminderUsd : undefined, kept: loaded?.state?.cache });
    this.#record = new SessionRecord({
      ...parts,
      compactor, costNotices, say: this.#say, choices: this.#choices,
      aiTitle: () => this.#title.text,
      messages: this.#mutableMessages,
      onTouched: (path, how) => this.#context.touch(path, how),
    });
    this.#rewind = new SessionRewind(parts, this.#mutableMessages);
    this.#title = new SessionTitle({
      ...parts,
      log: config.log,
      title: loaded?.labels.aiTitle,
      onTitle: (aiTitle) => {
        parts.store.record({ type: 'ai-title', aiTitle });
        this.#record.saveState();
      },
    });
    this.#session = {
      parts,
      compactor, costNotices,
      choices: this.#choices, record: this.#record, context: this.#context, system,
      messages: this.#mutableMessages,
      wakeRetry: new Set(),
      setTodos: (todos) => void (this.#todos = todos),
    };
  }

  get cwd(): string {
    return this.#parts.config.cwd;
  }
  get transcriptPath(): string {
    return this.#parts.store.path;
  }
  get title(): string {
    return this.#choices.customTitle ?? this.#title.text ?? firstWords(this.#rewind.firstPrompt);
  }
  get isPinned(): boolean {
    return this.#choices.pinned === true;
  }
  get model(): string {
    return this.#choices.model;
  }
  get permissionMode(): PermissionMode {
    return this.#choices.permissionMode;
  }
  get thinking(): ThinkingChoice | undefined {
    return this.#choices.thinking;
  }
  get effort(): Effort | undefined {
    return this.#choices.effort;
  }
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }
  get isReadOnly(): boolean {
    return this.#parts.readOnly !== undefined;
  }
  get isForeign(): boolean {
    return this.#parts.isForeign === true;
  }
  get messages(): readonly SessionMessage[] {
    return this.#mutableMessages;
  }
  get shownMessages(): readonly ShownMessage[] {
    return this.#record.told.among(this.#mutableMessages);
  }
  get todos(): readonly Todo[] {
    return this.#todos;
  }
  get cost(): Session['cost'] {
    return this.#parts.cost.summary();
  }
  get contextUse(): ContextUse {
    return this.#session.compactor.use(this.#mutableMessages, this.model);
  }
  get nextRequest(): Session['nextRequest'] {
    return this.#session.costNotices.next(this.contextUse.used, this.model);
  }
  protected get wayBack(): SessionRewind {
    return this.#rewind;
  }
  get pendingPermission(): PendingPermission | undefined {
    return this.#orphaned && pendingPermission(this.#orphaned, this.#parts);
  }

  submitMessage(prompt: Prompt, options: SubmitOptions = {}): AsyncGenerator<SDKMessage, void, void> {
    return oneByOne(this.#submit(prompt, options), (message) => this.#record.tell(message));
  }

  async *#submit(prompt: Prompt, options: SubmitOptions): AsyncGenerator<TurnMessage, void, void> {
    const turn = this.#beginTurn();
    try {
      const kind = options.isMeta ? ({ kind: 'prompt' } as const) : await kindOfPrompt(prompt, this.#places());
      // Whatever is to be answered or summarised now, a question that was left open is passed over; a local command leaves it open.
      if (kind.kind !== 'built-in' || !kind.command.answer) this.#passOverPending();
      if (kind.kind === 'built-in') this.#record.told.command(this.#say.user(textOf(prompt), options));
      if (kind.kind === 'built-in' && kind.command.answer && kind.command.name !== 'compact') return yield* this.#answerLocally(kind.command.answer, kind.args, turn);
      const isCompact = kind.kind === 'built-in' && kind.command.name === 'compact';
      // Its request is to begin like those of the turns.
      if (isCompact) await this.#parts.mcp?.beginTurn(turn.controller.signal);
      const { run, told } = isCompact ? { run: compactNow(this.#session, turn, { focus: kind.args, init: this.#init() }) } : yield* this.#begin({ prompt, kind, options }, turn);
      yield* this.#finish(yield* this.#record.routeAll(run, turn), turn, told);
    } finally {
      this.#endTurn(turn);
    }
  }

  compact(focus = ''): AsyncGenerator<SDKMessage, void, void> {
    return this.submitMessage(`/compact ${focus}`);
  }

  continuePending(): AsyncGenerator<SDKMessage, void, void> {
    return oneByOne(this.#continuePending(), (message) => this.#record.tell(message));
  }

  async *#continuePending(): AsyncGenerator<TurnMessage, void, void> {
    if (!this.#orphaned) throw new TurnstoneError('invalid_input', 'No question is waiting for an answer in this session.');
    const turn = this.#beginTurn();
    try {
      const { waiting, interrupted, files } = this.#orphaned;
      rememberAsked(files, this.#parts.readFileState);
      this.#orphaned = undefined;
      const news = await this.#parts.mcp?.beginTurn(turn.controller.signal);
      const last = this.#rewind.lastPromptId;
      if (last !== undefined) this.#parts.history.startMessage(last);
      yield this.#init();
      for (const text of news ?? []) yield this.#say.notice('warning', text);
      this.#record.keepResults(interrupted, INTERRUPTED_RESULT);
      const runner = turnRunner(this.#session, turn);
      yield* this.#finish(yield* this.#record.routeAll(goOnFrom(waiting, runner, { session: this.#session, turn }), turn), turn);
    } finally {
      this.#endTurn(turn);
    }
  }

  interrupt(): void {
    this.#turn?.controller.abort('interrupted');
  }

  retryNow(): void {
    for (const wake of this.#session.wakeRetry) wake();
  }

  setModel(model: string): void {
    this.#choose({ model: resolveModel(model) });
  }
  setThinking(thinking: ThinkingChoice | undefined): void {
    this.#choose({ thinking });
  }
  setEffort(effort: Effort | undefined): void {
    this.#choose({ effort });
  }
  setPermissionMode(permissionMode: PermissionMode): void {
    this.#choose({ permissionMode });
  }
  rename(title: string): void {
    this.#mustBeWritable();
    this.#choose({ customTitle: usableTitle(title) });
  }
  setPinned(pinned: boolean): void {
    this.#mustBeWritable();
    this.#choose({ pinned });
  }

  async addPermissionRule(rule: string, level: RuleLevel): Promise<void> {
    await this.#parts.permissions.add({ rule, level });
    this.#choose({});
  }

  checkPermissionRule(rule: string, request: Pick<PermissionRequest, 'toolName' | 'input' | 'paths'>): Promise<RuleCheck> {
    return this.#parts.permissions.checkFor(rule, request, { tools: toolsOf(this.#parts), mode: this.permissionMode });
  }

  commands(): Promise<readonly SlashCommandInfo[]> {
    return knownCommands(this.#places());
  }

  get readPaths(): readonly string[] {
    return this.#parts.readFileState.list().map(({ path }) => path);
  }

  invalidateFile(path: string): void {
    this.#context.fileChanged(path);
    forgetWhatWasRead(path, this.#parts);
  }

  async dispose(): Promise<void> {
    this.#title.dispose();
    this.#record.close();
    this.interrupt();
    await Promise.all([this.#parts.backgroundShells.dispose(), this.#parts.mcp?.dispose()]);
    await this.#parts.history.lookAtShells();
    await this.#parts.store.dispose();
    if (this.#parts.config.agentId === undefined) await this.#parts.telemetry?.end();
  }

  protected wentBack<Outcome>(outcome: Outcome): Outcome {
    this.#todos = this.#rewind.todos;
    this.#record.told.replace(this.#rewind.told);
    this.#orphaned = undefined;
    this.#session.costNotices.forget();
    return outcome;
  }

  /** Written down at once, so that the choice survives; an empty session leaves no file behind. */
  #choose(choice: Partial<SessionChoices>): void {
    Object.assign(this.#choices, choice);
    if (this.#mutableMessages.length > 0) this.#record.saveState();
  }

  #places() {
    return { files: this.#parts.files, cwd: this.cwd, homeFolder: this.#parts.environment.homeFolder };
  }

  #mustBeWritable(): void {
    if (this.#parts.readOnly !== undefined) throw new TurnstoneError('session_in_use', this.#parts.readOnly);
  }

  #beginTurn(): Turn {
    this.#mustBeWritable();
    if (this.#turn) throw new TurnstoneError('invalid_input', 'A turn is already running in this session. Wait for it, or interrupt it first.');
    if (this.#parts.config.agentId === undefined) this.#parts.cost.mark();
    this.#context.beginTurn();
    this.#turn = newTurn({ startedAt: this.#parts.clock.now(), apiMsBefore: this.cost.apiDurationMs, watermark: this.#record.errors.watermark() });
    return this.#turn;
  }

  #endTurn(turn: Turn): void {
    turn.controller.abort('the turn is over');
    turn.messageSettled.resolve();
    this.#turn = undefined;
  }

  /** Keeps the prompt and what goes with it, and returns the loop that answers it. `told` is trouble with the disk that the user knows of. */
  async *#begin({ prompt, kind, options }: { prompt: Prompt; kind: PromptKind; options: SubmitOptions }, turn: Turn): AsyncGenerator<SDKMessage, TurnRun, void> {
    const { history, config } = this.#parts;
    const checked = typeof prompt === 'string' ? { blocks: prompt, notices: [] } : checkBlocks(prompt);
    const message = this.#say.user(checked.blocks, options);
    if (!message.isMeta && config.titles && this.#choices.customTitle === undefined && !this.#mutableMessages.some((each) => each.type === 'user' && !each.isMeta)) this.#title.start(textOf(prompt), this.model);
    if (!message.isMeta) this.#rewind.addPrompt(message);
    this.#record.keep(message);
    if (config.agentId === undefined) await history.beginMessage(message.uuid);
    if (kind.kind === 'custom') applyCommand(kind.command, turn);
    const runner = turnRunner(this.#session, turn);
    const [saved, gathered, input, mcpNews = []] = await Promise.all([
      config.bare ? undefined : this.#record.flush(),
      this.#context.gather(turn.controller.signal),
      options.isMeta ? nothingBeside : this.#process(prompt, kind, runner),
      this.#parts.mcp?.beginTurn(turn.controller.signal),
    ]);
    this.#keepMeta(input.blocks);
    for (const path of input.paths) this.#context.touch(path);
    const note = contextNote(this.#context.parts(gathered, this.#mutableMessages), this.#mutableMessages);
    this.#keepMeta(note === undefined ? [] : [{ type: 'text', text: note }]);
    const savedNotes = config.bare ? undefined : await this.#record.flush();
    yield this.#init(turn);
    for (const trouble of new Set([saved, savedNotes])) if (trouble) yield this.#say.notice('error', trouble);
    for (const notice of [...checked.notices, ...input.notices, ...this.#context.takeProblems(), ...mcpNews]) yield this.#say.notice('warning', notice);
    // Its tools are those that there are by now.
    return { run: query(turnParams(this.#session, turn, turnRunner(this.#session, turn))), told: saved };
  }

  #process(prompt: Prompt, kind: PromptKind, runner: ToolRunner): Promise<ProcessedInput> {
    const { homeFolder, dataRoot } = this.#parts.environment;
    const tool = { ...runner.context, signal: runner.signal, toolUseId: 'attachment' };
    return processInput(prompt, kind, { tool, homeFolder, dataRoot, whyDenied: (path) => this.#parts.permissions.whyDenied(path), shellOutput: (command) => shellOutput(command, runner) });
  }

  async *#finish(end: QueryEnd, turn: Turn, told?: string): AsyncGenerator<SDKMessage, void, void> {
    if (end.reason === 'failed' && end.error) {
      const failure = this.#say.failure(end.error);
      this.#record.keep(failure);
      yield failure;
    }
    await this.#parts.history.lookAtShells();
    if (this.#parts.config.agentId === undefined) this.#parts.cost.addTurnDuration(this.#parts.clock.now() - turn.startedAt);
    this.#record.saveState();
    const trouble = await this.#record.flush();
    if (trouble && !told) yield this.#say.notice('error', trouble);
    yield this.#result(end, turn);
  }

  async *#answerLocally(answer: NonNullable<BuiltInCommand['answer']>, args: string, turn: Turn): AsyncGenerator<SDKMessage, void, void> {
    yield this.#init();
    const { hostHelp = {} } = this.#parts.config;
    const text = await answer(args, { session: this, clear: () => this.#clear(), memory: () => this.#context.memory(), commands: () => this.commands(), lastAnswer: this.#parts.cost.lastSpeed(), hostHelp, mcp: this.#parts.mcp });
    yield this.#say.notice('info', text);
    yield { ...this.#result({ reason: 'completed', stopReason: 'end_turn', iterations: 0 }, turn), result: text };
  }

  async #clear(): Promise<boolean> {
    if (!this.wentBack(await this.#rewind.clear())) return false;
    this.#title.reset();
    this.#parts.readFileState.clear();
    this.#context.invalidateGit();
    return true;
  }

  /** The user goes on with something else than a question that was left open. */
  #passOverPending(): void {
    if (!this.#orphaned) return;
    this.#record.keepResults(this.#orphaned.interrupted, INTERRUPTED_RESULT);
    this.#record.keepResults(this.#orphaned.waiting, 'Not decided: the session ended while the user was being asked, and they went on with something else. Nothing was run or changed.');
    this.#orphaned = undefined;
  }

  #keepMeta(blocks: readonly ContentBlock[]): void {
    if (blocks.length > 0) this.#record.keep(this.#say.user(blocks, { isMeta: true }));
  }

  #init(turn?: Turn): SDKMessage {
    return this.#say.init({ ...this.#parts.config, ...this.#choices, ...(turn?.model && { model: turn.model }), tools: toolsOf(this.#parts).map((tool) => tool.name), mcpServers: this.#parts.mcp?.list ?? [] });
  }

  #result(end: QueryEnd, turn: Turn): SDKResultMessage {
    return turnResult(end, { ...this.#parts, messages: this.#mutableMessages, turn, errors: this.#record.errors.since(turn.watermark) });
  }
}
