import type { Clock } from '../base/abort.ts';
import { deferred } from '../base/deferred.ts';
import { errorText, isTurnstoneError } from '../base/errors.ts';
import { isBlock } from '../protocol/contentBlocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ConversationMessage, SDKCompactBoundaryMessage, SDKMessage, SDKUserMessage, SessionMessage, Told, ToolUseResult } from '../protocol/messages.ts';
import type { Compactor } from './compaction/compactor.ts';
import type { CostNotices } from './cost/costNotices.ts';
import type { CostTracker } from './cost/costTracker.ts';
import { ErrorRing } from './errorRing.ts';
import type { AskedFile } from './orphanedCalls.ts';
import type { QueryEnd } from './query.ts';
import type { SessionPermissions } from './permissions/sessionPermissions.ts';
import type { SessionConfig } from './session.ts';
import type { SessionMessages } from './sessionMessages.ts';
import { PartialAnswer } from './transcript/partialAnswer.ts';
import type { TranscriptStore } from './transcript/transcriptStore.ts';
import { ToldLog, toldMessage } from './told.ts';
import type { TurnMessage } from './streamEvents.ts';
import type { SessionChoices, Turn } from './turn.ts';

/** Progress kept per tool call, in UTF-16 units: enough to see what happened, too little to bloat a transcript. */
const keptProgress = 30_000;

export interface RecordParts {
  readonly config: Pick<SessionConfig, 'agentId' | 'includePartialMessages' | 'log'>;
  readonly loaded?: { readonly told: readonly Told[] } | undefined;
  readonly store: TranscriptStore;
  /** Of a sub-agent: what its answers cost is noted there. */
  readonly sessionStore?: TranscriptStore | undefined;
  readonly clock: Clock;
  readonly cost: CostTracker;
  readonly costNotices: CostNotices;
  readonly say: SessionMessages;
  readonly choices: SessionChoices;
  readonly permissions: Pick<SessionPermissions, 'sessionRules'>;
  /** The session's own title, once it has one. */
  readonly aiTitle: () => string | undefined;
  readonly compactor: Compactor;
  /** The engine's own array, changed in place. */
  readonly messages: SessionMessage[];
  /** The model has read or changed this file. Absolute. */
  readonly onTouched: (path: string, how: 'read' | 'edit') => void;
}

/** Keeps what happens in a turn, in memory and in the transcript. One place, one order. */
export class SessionRecord {
  readonly errors = new ErrorRing();
  readonly told: ToldLog;
  /** What streams now. */
  readonly partial: PartialAnswer;
  readonly #parts: RecordParts;
  /** Calls that the user is being asked about. */
  readonly #asked = new Set<string>();
  #closing = false;

  constructor(parts: RecordParts) {
    this.#parts = parts;
    this.told = new ToldLog(parts.store, parts.loaded?.told ?? []);
    const { store, clock } = parts;
    store.keepBehind(() => parts.messages);
    this.partial = new PartialAnswer({ clock, record: (line) => store.recordAhead(line), leafUuid: () => store.leafUuid });
  }

  keep(message: ConversationMessage): void {
    this.#parts.messages.push(message);
    this.#parts.store.recordMessage(message);
  }

  /** What the next process restores. */
  saveState(): void {
    const { store, choices, cost, costNotices, permissions } = this.#parts;
    const { model, permissionMode, thinking, effort, customTitle, pinned } = choices;
    const { sessionRules } = permissions;
    store.record({ type: 'session-state', model, permissionMode, cost: cost.toJSON(), cache: costNotices.toJSON(), thinking, effort, customTitle, aiTitle: this.#parts.aiTitle(), pinned, ...(sessionRules.length > 0 && { allowRules: [...sessionRules] }) });
  }

  /** A full or missing disk never stops a turn: the lines wait in memory, and the user is told. */
  async flush(): Promise<string | undefined> {
    try {
      await this.#parts.store.flush();
      await this.#parts.sessionStore?.flush();
      const news = this.#parts.store.takeNews();
      return news.length > 0 ? news.join(' ') : undefined;
    } catch (thrown) {
      if (!isTurnstoneError(thrown)) throw thrown;
      this.errors.push(thrown.message);
      return thrown.message;
    }
  }

  /** The user is asked about a call; written down, so that it can be asked again if this process ends before the answer. */
  asking(toolUseId: string, toolName: string, files: readonly AskedFile[]): { decided(): void } {
    this.#asked.add(toolUseId);
    this.#parts.store.record({ type: 'permission-request', toolUseId, toolName, ...(files.length > 0 && { files: [...files] }) });
    return { decided: () => void this.#asked.delete(toolUseId) };
  }

  /** The session is about to end: a question that is still open stays open in the transcript. */
  close(): void {
    this.#closing = this.#asked.size > 0;
  }

  /** Writes down what is about to be shown beside the conversation. */
  tell(message: SDKMessage): Promise<void> | undefined {
    // What a sub-agent has to tell, the session tells.
    const told = this.#parts.config.agentId === undefined ? toldMessage(message) : undefined;
    if (!told) return undefined;
    this.told.tell(told);
    // The last thing that is said of a turn is on disk like all before it; trouble with that was told.
    return message.type === 'result' ? this.flush().then(() => undefined) : undefined;
  }

  /** Answers in the place of calls that were not run. */
  keepResults(calls: readonly ToolUseBlock[], content: string): void {
    for (const { id } of calls) {
      const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content, is_error: true };
      this.keep(this.#parts.say.user([result]));
    }
  }

  /** Passes on what a run yields, after it was kept. */
  async *routeAll(run: AsyncGenerator<TurnMessage, QueryEnd, void>, turn: Turn): AsyncGenerator<TurnMessage, QueryEnd, void> {
    try {
      for (;;) {
        const step = await run.next();
        if (step.done) return step.value;
        if (step.value.type === 'stream_events') {
          for (const { event } of step.value.events) this.#routeEvent(event.type, turn);
          if (this.#parts.config.includePartialMessages) yield step.value;
          continue;
        }
        const trouble = await this.#route(step.value, turn);
        yield step.value;
        if (trouble) yield this.#parts.say.notice('error', trouble);
      }
    } catch (thrown) {
      this.#parts.config.log.error(`the turn failed: ${thrown instanceof Error ? thrown.stack : errorText(thrown)}`);
      return { reason: 'failed', stopReason: null, error: `Something went wrong inside Turnstone: ${errorText(thrown)}. The conversation is saved.`, iterations: 0 };
    } finally {
      turn.controller.abort('the turn is over');
      turn.messageSettled.resolve();
      this.partial.end();
      await run.return({ reason: 'interrupted', stopReason: null, iterations: 0 });
    }
  }

  /** Returns a text for the user when the disk made trouble. */
  async #route(message: SDKMessage, turn: Turn): Promise<string | undefined> {
    switch (message.type) {
      case 'assistant':
        this.#parts.messages.push(message);
        this.#parts.store.recordMessage(message, { holdUntil: turn.messageSettled.promise });
        this.partial.completed(message);
        return undefined;
      case 'user':
        turn.messageSettled.resolve();
        return this.#routeUser(message);
      case 'progress':
        this.#recordProgress(message, turn);
        return undefined;
      case 'tombstone':
        turn.messageSettled.resolve();
        this.partial.withdraw();
        this.#withdraw(message.message_uuids);
        return undefined;
      case 'system':
        return message.subtype === 'compact_boundary' ? this.#compact(message, turn) : undefined;
      case 'stream_event':
      case 'result':
        return undefined;
    }
  }

  /** What stays is on disk before the line that says so, and that line before anything is let go of. */
  async #compact(boundary: SDKCompactBoundaryMessage, turn: Turn): Promise<string | undefined> {
    turn.messageSettled.resolve();
    const before = await this.flush();
    this.#parts.store.recordMessage(boundary);
    // The summary was paid for.
    this.saveState();
    const after = await this.flush();
    this.#parts.compactor.drop(this.#parts.messages, boundary);
    this.told.keepFor(this.#parts.messages);
    return after ?? before;
  }

  async #routeUser(message: SDKUserMessage): Promise<string | undefined> {
    // "Interrupted" would be the wrong answer to a question that is asked again at the next start.
    if (this.#closing && typeof message.message.content !== 'string' && message.message.content.some((block) => isBlock(block, 'tool_result'))) return undefined;
    this.keep(message);
    const result = message.tool_use_result;
    if (result) this.#noteResult(result);
    return this.flush();
  }

  #noteResult(result: ToolUseResult): void {
    if (result.kind === 'read') this.#parts.onTouched(result.path, 'read');
    const changes = result.kind === 'edit' ? [result.change] : result.kind === 'edits' ? result.changes : [];
    for (const { path, linesAdded, linesRemoved } of changes) {
      this.#parts.onTouched(path, 'edit');
      this.#parts.cost.addLines(linesAdded, linesRemoved);
    }
  }

  #routeEvent(type: string, turn: Turn): undefined {
    if (type === 'message_start') turn.messageSettled = deferred();
    if (type !== 'message_stop') return;
    turn.messageSettled.resolve();
    this.saveState();
  }

  #recordProgress(message: Extract<SDKMessage, { type: 'progress' }>, turn: Turn): void {
    const before = turn.progressLength.get(message.tool_use_id) ?? 0;
    if (before >= keptProgress) return;
    turn.progressLength.set(message.tool_use_id, before + message.data.text.length);
    this.#parts.store.record({ type: 'progress', toolUseID: message.tool_use_id, data: message.data });
  }

  #withdraw(uuids: readonly string[]): void {
    if (uuids.length === 0) return;
    const { messages, store } = this.#parts;
    const withdrawn = new Set(uuids);
    this.told.withdraw(withdrawn, messages);
    const kept = messages.filter((message) => !withdrawn.has(message.uuid));
    messages.splice(0, messages.length, ...kept);
    store.record({ type: 'tombstone', messageUuids: [...uuids] });
  }
}
