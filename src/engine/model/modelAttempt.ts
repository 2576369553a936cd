import type { Clock } from '../../base/abort.ts';
import { toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { ApiAssistantMessage, RawStreamEvent, SDKAssistantMessage, SDKTombstoneMessage } from '../../protocol/messages.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { CostPurpose } from '../cost/costSummary.ts';
import type { AnswerTiming } from '../cost/answerSpeed.ts';
import type { CostTracker } from '../cost/costTracker.ts';
import { outputTokensIn } from '../cost/unreportedUse.ts';
import { MessageAssembler } from './messageAssembler.ts';

export interface AttemptFacts {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly cost: CostTracker;
  readonly purpose?: CostPurpose | undefined;
}

/** One answer, complete or as far as it came. */
export interface ModelReply {
  readonly messages: readonly SDKAssistantMessage[];
  readonly toolUses: readonly ToolUseBlock[];
  /** Ids of calls whose input was not JSON, with what came instead. */
  readonly invalidInputs: ReadonlyMap<string, string>;
  readonly stopReason: string | null;
  readonly interrupted: boolean;
  /** The model that was asked: the chosen one or the fallback. */
  readonly model: string;
  /** The output limit of its request, in tokens. */
  readonly maxTokens: number;
}

/** What one attempt has produced so far, so that it can be kept, withdrawn and paid for. */
export class ModelAttempt {
  readonly model: string;
  /** The output limit of the request, in tokens; 0 before there is one. */
  readonly maxTokens: number;
  readonly #facts: AttemptFacts;
  readonly #assembler: MessageAssembler;
  #messages: SDKAssistantMessage[] = [];
  readonly #invalidInputs = new Map<string, string>();
  readonly #startedAt: number;
  #firstTokenAt: number | undefined;
  #endedAt: number | undefined;
  /** The server has said what the whole answer used. */
  #isUsageFinal = false;
  /** What was charged last; the assembler makes a new one of each report. */
  #charged: Usage | undefined;

  constructor(asked: { readonly model: string; readonly max_tokens?: number }, facts: AttemptFacts) {
    this.model = asked.model;
    this.maxTokens = asked.max_tokens ?? 0;
    this.#facts = facts;
    this.#startedAt = facts.clock.now();
    this.#assembler = new MessageAssembler(asked.model);
  }

  /** The answer had begun: there may be something to withdraw, and there is something to pay. */
  get hasStarted(): boolean {
    return this.#assembler.message !== undefined;
  }

  /** Takes an event in. Returns the block that it completed, as a message. */
  push(event: RawStreamEvent): { readonly message: SDKAssistantMessage; readonly validCall: ToolUseBlock | undefined } | undefined {
    const step = this.#assembler.push(event);
    if (event.type === 'content_block_start') this.#firstTokenAt ??= this.#facts.clock.now();
    if (event.type === 'message_start') {
      this.#isUsageFinal = false;
      this.#charge('streaming');
    }
    if (event.type === 'message_delta') {
      this.#endedAt = this.#facts.clock.now();
      this.#isUsageFinal ||= (event.usage as { readonly output_tokens?: unknown } | null | undefined)?.output_tokens !== undefined;
      this.settle();
    }
    if (step?.type !== 'block') return undefined;
    const [call] = toolUsesOf([step.block]);
    if (call && step.invalidInput !== undefined) this.#invalidInputs.set(call.id, step.invalidInput);
    return { message: this.#add(step.block), validCall: step.invalidInput === undefined ? call : undefined };
  }

  /** Usage and stop reason arrive after the blocks: every message made of them gets the final ones, in place; and they are billed. */
  settle(): void {
    const final = this.#assembler.message;
    if (!final) return;
    for (const { message } of this.#messages) {
      const { content: _content, ...fields } = final;
      Object.assign(message, fields satisfies Partial<ApiAssistantMessage>);
    }
    if (this.#isUsageFinal && this.#charged === final.usage) return;
    this.#charge(this.#isUsageFinal ? undefined : 'cut');
  }

  /** Takes back everything said so far; undefined when nothing was. */
  withdraw(): SDKTombstoneMessage | undefined {
    const started = this.#assembler.message;
    if (!started) return undefined;
    this.#facts.cost.withdraw(started.id);
    const uuids = this.#messages.map((message) => message.uuid);
    this.#messages = [];
    this.#invalidInputs.clear();
    return { type: 'tombstone', uuid: crypto.randomUUID(), session_id: this.#facts.sessionId, message_uuids: uuids };
  }

  /** Texts that were streamed but not completed, as messages, so that they are not lost. */
  keepPartialTexts(): SDKAssistantMessage[] {
    return this.hasStarted ? this.#assembler.partialTexts().map((text) => this.#add({ type: 'text', text })) : [];
  }

  reply(interrupted: boolean): ModelReply {
    return {
      messages: this.#messages,
      toolUses: this.#messages.flatMap((message) => toolUsesOf(message.message.content)),
      invalidInputs: this.#invalidInputs,
      stopReason: this.#assembler.message?.stop_reason ?? null,
      interrupted,
      model: this.model,
      maxTokens: this.maxTokens,
    };
  }

  #charge(state: 'streaming' | 'cut' | undefined): void {
    const { cost, clock, purpose } = this.#facts;
    const { message, receivedLength } = this.#assembler;
    if (!message) return;
    this.#charged = message.usage;
    cost.add({ messageId: message.id, model: message.model, usage: message.usage, date: new Date(clock.now()), timing: this.#timing(), purpose, state, isEmpty: this.#messages.length === 0, ...(state === 'cut' && { receivedTokens: outputTokensIn(receivedLength) }) });
  }

  /** Undefined until the answer is complete. A clock that was set back gives no negative times. */
  #timing(): AnswerTiming | undefined {
    if (this.#firstTokenAt === undefined || this.#endedAt === undefined) return undefined;
    return { firstTokenMs: Math.max(0, this.#firstTokenAt - this.#startedAt), outputMs: Math.max(0, this.#endedAt - this.#firstTokenAt) };
  }

  #add(block: ContentBlock): SDKAssistantMessage {
    const message: SDKAssistantMessage = {
      type: 'assistant',
      uuid: crypto.randomUUID(),
      session_id: this.#facts.sessionId,
      timestamp: new Date(this.#facts.clock.now()).toISOString(),
      parent_tool_use_id: null,
      message: { ...this.#assembler.message!, content: [block] },
    };
    this.#messages.push(message);
    return message;
  }
}
