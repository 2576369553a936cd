import type { SDKCompactBoundaryMessage, SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import type { CollapseLine } from '../../protocol/transcript.ts';
import type { Clock } from '../../base/abort.ts';
import type { FileSystem } from '../ports.ts';
import type { ContextUse } from '../session.ts';
import type { ReadFileState } from '../tools/readFileState.ts';
import type { Tool } from '../tools/tool.ts';
import type { TranscriptStore } from '../transcript/transcriptStore.ts';
import type { WireMessage } from '../model/promptCache.ts';
import { applyBoundary } from './compactBoundary.ts';
import { compactionTrigger } from './contextLimits.ts';
import type { ModelLimits } from './contextLimits.ts';
import { contextSize, estimateJson, estimateMessages } from './contextSize.ts';
import { NormalizeCache } from './normalizeCache.ts';
import { prepareMessages } from './pipeline.ts';
import type { PreparedMessages } from './pipeline.ts';
import { ResultFiles, resultFolderOf } from './resultFiles.ts';

export interface CompactorParts {
  readonly sessionId: string;
  readonly files: FileSystem;
  readonly store: TranscriptStore;
  readonly clock: Clock;
  readonly readFileState: ReadFileState;
  readonly limitsOf: (model: string) => ModelLimits;
  /** Of a resumed session. */
  readonly collapses: readonly CollapseLine[];
  readonly system: unknown;
  /** Of the turn that runs: with the system prompt they take room in every request. */
  readonly tools: () => readonly Pick<Tool, 'name' | 'description' | 'inputJsonSchema'>[];
}

/** Failures in a row after which the session no longer summarises by itself, and summaries in a row that gained nothing. */
const failuresUntilOpen = 3;
const withoutGainUntilOpen = 2;

/**
 * What a session knows about shortening its conversation: the log of what is told shorter, the files of large results,
 * how full the window is, and whether summarising has failed too often. What happens in a turn is {@link ./turnCompaction.ts}.
 */
export class Compactor {
  readonly parts: CompactorParts;
  #measured: { readonly tools: readonly unknown[]; readonly size: number } | undefined;
  #failures = 0;
  #withoutGain = 0;
  readonly #resultFolder: string;
  readonly #resultFiles: ResultFiles;
  #normalizeCache = new NormalizeCache();
  readonly #collapses: CollapseLine[];
  #lastUse: { readonly key: readonly unknown[]; readonly use: ContextUse } | undefined;
  #last: { readonly messages: readonly SessionMessage[]; readonly log: number; readonly prepared: PreparedMessages } | undefined;

  constructor(parts: CompactorParts) {
    this.parts = parts;
    this.#collapses = [...parts.collapses];
    this.#resultFolder = resultFolderOf(parts.store.path);
    this.#resultFiles = new ResultFiles(parts.files);
  }

  /** Tokens of what stands before the conversation. */
  get overhead(): number {
    const tools = this.parts.tools();
    if (this.#measured?.tools === tools) return this.#measured.size;
    const size = estimateJson([this.parts.system, tools.map(({ name, description, inputJsonSchema }) => [name, description, inputJsonSchema])]);
    this.#measured = { tools, size };
    return size;
  }

  /** For the context meter: what is full here is what summarising is triggered by. */
  use(messages: readonly SessionMessage[], model: string): ContextUse {
    const last = messages.at(-1);
    // Asked for with every message, of an array that grows: what is displayed is worked out once per message.
    const key = [model, messages.length, last, last?.type === 'assistant' && last.message.usage, this.#collapses.length];
    if (this.#lastUse?.key.every((part, index) => part === key[index])) return this.#lastUse.use;
    const use = { used: this.#sizeOf(messages, this.#preparedAnew(messages).messages), window: this.triggerOf(model) };
    this.#lastUse = { key, use };
    return use;
  }

  /** Too many summaries failed: the session makes none by itself any more, unless the server leaves it no choice. */
  get isOpen(): boolean {
    return this.#failures >= failuresUntilOpen || this.isHopeless;
  }

  /** Summaries were made, and did not make the conversation smaller. */
  get isHopeless(): boolean {
    return this.#withoutGain >= withoutGainUntilOpen;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#withoutGain = 0;
  }

  failed(how: 'failed' | 'no-gain'): void {
    this.#failures++;
    if (how === 'no-gain') this.#withoutGain++;
  }

  triggerOf(model: string): number {
    return compactionTrigger(this.parts.limitsOf(model));
  }

  /** Tokens of a request with these messages. */
  size(messages: readonly SessionMessage[]): number {
    return this.#sizeOf(messages, this.prepare(messages).messages);
  }

  /** The same from the characters alone, for comparing: what the server counted says nothing about a shortened request. */
  estimate(messages: readonly SessionMessage[]): number {
    return this.overhead + estimateMessages(this.prepare(messages).messages);
  }

  /** What the model sees of a conversation. `messages` must be an array that nobody changes. */
  prepare(messages: readonly SessionMessage[]): PreparedMessages {
    if (this.#last?.messages === messages && this.#last.log === this.#collapses.length) return this.#last.prepared;
    const prepared = this.#preparedAnew(messages);
    this.#last = { messages, log: this.#collapses.length, prepared };
    return prepared;
  }

  normalize(prepared: readonly SessionMessage[], model: string): WireMessage[] {
    return this.#normalizeCache.normalize(prepared, model);
  }

  /** Puts large results into their files. Returns a text for the user when that failed. */
  storeResults(messages: readonly SessionMessage[]): Promise<string | undefined> {
    return this.#resultFiles.write(this.prepare(messages).stored);
  }

  /** Takes a decision into the log and the transcript. */
  collapse(entry: Pick<CollapseLine, 'kind' | 'headUuid' | 'tailUuid' | 'afterUuid' | 'summary'>): void {
    const { kind, headUuid, tailUuid, afterUuid, summary } = entry;
    const line = this.parts.store.record({ type: 'context-collapse', uuid: crypto.randomUUID(), kind, headUuid, tailUuid, afterUuid, ...(summary !== undefined && { summary }) });
    this.#collapses.push(line as CollapseLine);
  }

  /** Drops what a compaction replaced, so that it can be collected. Call when the boundary's line is on its way to the disk. */
  drop(messages: SessionMessage[], boundary: SDKCompactBoundaryMessage): void {
    messages.splice(0, messages.length, ...applyBoundary(messages, boundary));
    this.#last = undefined;
    this.#lastUse = undefined;
    this.#normalizeCache = new NormalizeCache();
  }

  note(text: string): SDKUserMessage {
    return {
      type: 'user',
      uuid: crypto.randomUUID(),
      session_id: this.parts.sessionId,
      timestamp: new Date(this.parts.clock.now()).toISOString(),
      parent_tool_use_id: null,
      isMeta: true,
      message: { role: 'user', content: [{ type: 'text', text }] },
    };
  }

  #preparedAnew(messages: readonly SessionMessage[]): PreparedMessages {
    return prepareMessages(messages, { resultFolder: this.#resultFolder, collapses: this.#collapses });
  }

  #sizeOf(messages: readonly SessionMessage[], prepared: readonly SessionMessage[]): number {
    return contextSize({ messages, prepared, collapses: this.#collapses, overhead: this.overhead });
  }
}
