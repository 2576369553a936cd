import { isAborted } from '../../base/errors.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import type { SDKMessage, SDKNoticeMessage, SessionMessage } from '../../protocol/messages.ts';
import { affordableTokens } from '../cost/budget.ts';
import type { ModelRequest } from '../ports.ts';
import type { SummaryCall } from './askForSummary.ts';
import { collapseBefore, compact } from './autocompact.ts';
import type { CompactionOutcome, CompactionRequest, CompactionTools } from './autocompact.ts';
import type { Compactor } from './compactor.ts';
import { chooseOutputs } from './dropOutputs.ts';
import { chooseMedia } from './dropMedia.ts';
import { choosePreserved } from './preservedSegment.ts';
import { promptTooLong, tooLongMessage } from './promptTooLong.ts';

export interface TurnCompactionFacts extends Omit<CompactionTools, 'call'> {
  readonly maxBudgetUsd: number | undefined;
  readonly maxWebSearches?: number | undefined;
}

export type Recovery = { readonly messages: readonly SessionMessage[] } | { readonly error: string };

/** Tries without gain after which the turn ends. */
const maxWithoutGain = 2;
/** Recoveries of one turn, with gain or without: a model that asks for too much again and again is no reason to go on for ever. */
const maxRecoveries = 6;
/** A try that leaves more than this of what there was has gained nothing. */
const noGain = 0.97;

/**
 * Keeps the conversation of one turn within the window. Invariants: a request that the server called too long is never
 * sent again unchanged; each loop here is bounded; what is shortened stays whole in the transcript.
 */
export class TurnCompaction {
  readonly #facts: TurnCompactionFacts;
  readonly #compactor: Compactor;
  #withoutGain = 0;
  #recoveries = 0;
  /** Summarising failed in this turn; one failure is enough to wait for the next. */
  #hasFailed = false;
  #summarisedAfterRefusal = false;
  /** How much more the server counts than we estimate; learnt when it refused, and forgotten when it answers. */
  #scale: number | undefined;

  constructor(facts: TurnCompactionFacts) {
    this.#facts = facts;
    this.#compactor = facts.compactor;
  }

  /** Before each request. Returns the messages to go on with: shorter ones after a compaction. Never throws. */
  async *prepare(messages: readonly SessionMessage[], call: SummaryCall): AsyncGenerator<SDKMessage, readonly SessionMessage[], void> {
    const shorter = this.#isDue(messages, call) ? yield* this.#compactByItself({ messages, trigger: 'auto', refusedAt: this.#scale }, call) : messages;
    const trouble = await this.#compactor.storeResults(shorter);
    if (trouble !== undefined) yield this.#notice('warning', trouble);
    return shorter;
  }

  /** The request over these messages as the model is to see them. */
  requestFor(messages: readonly SessionMessage[], answer: { readonly model: string; readonly maxTokens?: number | undefined }): ModelRequest {
    return this.#facts.requestFor(this.#view(messages), answer);
  }

  /** The model has answered: what was learnt from refusals is over. */
  replied(): void {
    this.#withoutGain = 0;
    this.#scale = undefined;
  }

  /** The user asked for it. */
  async *now(messages: readonly SessionMessage[], focus: string | undefined, call: SummaryCall): AsyncGenerator<SDKMessage, CompactionOutcome, void> {
    const outcome = yield* compact({ messages, trigger: 'manual', focus }, { ...this.#facts, call });
    if (outcome.kind === 'compacted') this.#compactor.succeeded();
    return outcome;
  }

  /**
   * The server refused the request as too long: leaves out the oldest of what was attached where that is its weight, else
   * the oldest tool output, then summarises in parts, then leaves
   * out the newest output too. Ends with an error for the user when that gains nothing.
   */
  async *recover(messages: readonly SessionMessage[], failure: ApiFailure, call: SummaryCall): AsyncGenerator<SDKMessage, Recovery, void> {
    const told = promptTooLong(failure);
    const { contextWindow } = this.#compactor.parts.limitsOf(call.model);
    this.#scale = Math.max(1, (told?.actual ?? contextWindow * 1.1) / this.#compactor.estimate(messages));
    const target = Math.min(this.#compactor.triggerOf(call.model), (told?.limit ?? contextWindow) * 0.9);
    const error = tooLongMessage(told, contextWindow);
    if (++this.#recoveries > maxRecoveries) return { error };
    while (this.#withoutGain < maxWithoutGain) {
      const before = this.#size(messages);
      const shorter = yield* this.#shorten(messages, { target, hard: this.#withoutGain > 0, byWeight: told === undefined }, call);
      if (call.signal.aborted || this.#size(shorter) <= before * noGain) return { messages: shorter };
      this.#withoutGain++;
    }
    return { error };
  }

  /**
   * The server refuses the conversation, turn after turn, and does not say what in it: all that came before the last
   * request is told as a summary, which is made from its words alone. False when that could not be done.
   */
  async *replaceRefused(messages: readonly SessionMessage[], call: SummaryCall): AsyncGenerator<SDKMessage, boolean, void> {
    const segment = choosePreserved(messages, 0);
    if (!segment || !this.#canAfford(messages, call)) return false;
    yield this.#notice('warning', 'The server has refused the conversation again and did not say what in it. What came before your last message is summarised, and the summary is sent in its place; in the session nothing is lost.');
    try {
      const parts = yield* collapseBefore(messages, segment, { ...this.#facts, call });
      if (parts.kind === 'failed') yield this.#notice('warning', `Summarising failed: ${parts.why}.`);
      return parts.kind === 'done';
    } catch (thrown) {
      // The request that follows sees the interruption, and ends the turn.
      if (!isAborted(thrown)) throw thrown;
      return true;
    }
  }

  async *#shorten(messages: readonly SessionMessage[], { target, hard, byWeight }: { readonly target: number; readonly hard: boolean; readonly byWeight: boolean }, call: SummaryCall): AsyncGenerator<SDKMessage, readonly SessionMessage[], void> {
    const media = byWeight ? chooseMedia(this.#view(messages), { newestToo: hard }) : undefined;
    if (media) {
      this.#compactor.collapse({ kind: 'media', headUuid: messages[0]!.uuid, tailUuid: media.tailUuid, afterUuid: messages.at(-1)!.uuid });
      yield this.#notice('info', `The request was too large for the server. ${media.count === 1 ? 'An image or document' : `${media.count} images or documents`} of earlier messages ${media.count === 1 ? 'is' : 'are'} left out of what the model sees; in the session nothing is lost.`);
      return messages;
    }
    const excess = (this.#size(messages) - target) / (this.#scale ?? 1);
    const outputs = chooseOutputs(messages, this.#view(messages), { tokens: excess, newestToo: hard });
    if (outputs) {
      this.#compactor.collapse({ kind: 'outputs', headUuid: messages[0]!.uuid, tailUuid: outputs.tailUuid, afterUuid: messages.at(-1)!.uuid });
      yield this.#notice('info', `The conversation no longer fits the model’s window. ${outputs.count === 1 ? 'One tool result is' : `${outputs.count} tool results are`} left out of what the model sees; in the session nothing is lost.`);
    }
    if (this.#size(messages) <= target || hard || this.#summarisedAfterRefusal || this.#compactor.isHopeless || !this.#canAfford(messages, call)) return messages;
    this.#summarisedAfterRefusal = true;
    return yield* this.#compactByItself({ messages, trigger: 'auto', refusedAt: this.#scale }, call);
  }

  async *#compactByItself(request: CompactionRequest, call: SummaryCall): AsyncGenerator<SDKMessage, readonly SessionMessage[], void> {
    const outcome = yield* this.#compactOrStop(request, call);
    switch (outcome.kind) {
      case 'compacted':
        this.#compactor.succeeded();
        return outcome.messages;
      case 'nothing':
        return request.messages;
      case 'no-gain':
        yield this.#failed('no-gain', 'the summary would not have made it smaller');
        return request.messages;
      case 'failed':
        yield this.#failed('failed', outcome.why);
        return request.messages;
    }
  }

  /** An interrupted summary changes nothing; the request that follows sees the interruption, and ends the turn. */
  async *#compactOrStop(request: CompactionRequest, call: SummaryCall): AsyncGenerator<SDKMessage, CompactionOutcome, void> {
    try {
      return yield* compact(request, { ...this.#facts, call });
    } catch (thrown) {
      if (!isAborted(thrown)) throw thrown;
      return { kind: 'nothing' };
    }
  }

  #failed(how: 'failed' | 'no-gain', why: string): SDKMessage {
    this.#hasFailed = true;
    this.#compactor.failed(how);
    const what = `The conversation is long, but summarising it failed: ${why}. It goes on in full.`;
    if (!this.#compactor.isOpen) return this.#notice('warning', what);
    return this.#notice('warning', `${what} That has now happened too often in a row: this session is no longer summarised by itself, unless the server refuses it as too long. /compact tries again; a new session starts with an empty window.`);
  }

  #isDue(messages: readonly SessionMessage[], call: SummaryCall): boolean {
    if (this.#compactor.isOpen || this.#hasFailed) return false;
    return this.#size(messages) >= this.#compactor.triggerOf(call.model) && this.#canAfford(messages, call);
  }

  /** A budget that has no room for another answer has none for a summary. */
  #canAfford(messages: readonly SessionMessage[], call: SummaryCall): boolean {
    return affordableTokens({ ...this.#facts, call }, messages) !== 0;
  }

  #view(messages: readonly SessionMessage[]): readonly SessionMessage[] {
    return this.#compactor.prepare(messages).messages;
  }

  #size(messages: readonly SessionMessage[]): number {
    return this.#scale === undefined ? this.#compactor.size(messages) : this.#compactor.estimate(messages) * this.#scale;
  }

  #notice(level: SDKNoticeMessage['level'], text: string): SDKMessage {
    return { type: 'system', subtype: 'notice', uuid: crypto.randomUUID(), session_id: this.#compactor.parts.sessionId, level, text };
  }
}
