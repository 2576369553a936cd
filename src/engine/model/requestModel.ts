import type { Clock } from '../../base/abort.ts';
import { isAborted } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isBlock, toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { ApiAssistantMessage, RawStreamEvent, SDKAssistantMessage, SDKMessage } from '../../protocol/messages.ts';
import type { CostTracker } from '../cost/costTracker.ts';
import type { ModelClient, ModelRequest } from '../ports.ts';
import { MessageAssembler } from './messageAssembler.ts';
import { readStream } from './readStream.ts';
import { retryReason } from './failureMessage.ts';
import { withRetry } from './withRetry.ts';
import type { AttemptCall, RetryNews } from './withRetry.ts';

export interface ModelCall {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly cost: CostTracker;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly includePartialMessages: boolean;
  readonly retryNow?: ((wake: () => void) => { dispose(): void }) | undefined;
  readonly fallbackModel?: string | undefined;
  /** The request for a model; built anew for the fallback, whose limits and thinking rules differ. */
  readonly buildRequest: (model: string) => ModelRequest;
  readonly model: string;
}

/** One answer, complete or as far as it came. */
export interface ModelReply {
  readonly messages: readonly SDKAssistantMessage[];
  readonly toolUses: readonly ToolUseBlock[];
  /** Ids of calls whose input was not JSON, with what came instead. */
  readonly invalidInputs: ReadonlyMap<string, string>;
  readonly stopReason: string | null;
  readonly interrupted: boolean;
}

/** What one attempt has produced, so that it can be withdrawn or kept. */
interface Attempt {
  readonly assembler: MessageAssembler;
  readonly messages: SDKAssistantMessage[];
  readonly invalidInputs: Map<string, string>;
}

/**
 * One request to the model, with its retries. Yields completed blocks as assistant messages and, if wanted, the raw
 * events. An interrupted answer is returned as far as it came; when every retry failed the ApiFailure is thrown, after
 * the text of the last attempt was yielded, so that it is not lost.
 */
export async function* requestModel(call: ModelCall): AsyncGenerator<SDKMessage, ModelReply, void> {
  let attempt = newAttempt();
  const startedAt = call.clock.now();
  let attemptStartedAt = startedAt;
  const run = (attemptCall: AttemptCall) => {
    attempt = newAttempt();
    attemptStartedAt = call.clock.now();
    return streamAttempt(call, attemptCall, attempt);
  };
  try {
    return yield* withRetry<SDKMessage, ModelReply>(run, {
      signal: call.signal,
      clock: call.clock,
      random: call.random,
      hasFallback: call.fallbackModel !== undefined && call.fallbackModel !== call.model,
      background: false,
      ...(call.retryNow && { retryNow: call.retryNow }),
      withdraw: () => {
        const failed = attempt;
        attempt = newAttempt();
        return failed.assembler.hasContent ? tombstone(call, failed) : undefined;
      },
      announce: (news) => announce(call, news),
    });
  } catch (thrown) {
    if (isAborted(thrown)) return interruptedReply(attempt);
    yield* keepPartialTexts(call, attempt);
    throw thrown;
  } finally {
    const now = call.clock.now();
    call.cost.addApiDuration(now - startedAt, now - attemptStartedAt);
  }
}

function newAttempt(): Attempt {
  return { assembler: new MessageAssembler(), messages: [], invalidInputs: new Map() };
}

async function* streamAttempt(call: ModelCall, attemptCall: AttemptCall, attempt: Attempt): AsyncGenerator<SDKMessage, ModelReply, void> {
  const model = attemptCall.useFallback ? call.fallbackModel! : call.model;
  const request = limitTokens(call.buildRequest(model), attemptCall.maxTokens);
  const { assembler } = attempt;
  try {
    for await (const event of readStream(call.client, request, { signal: call.signal, clock: call.clock, newConnection: attemptCall.newConnection, refreshCredentials: attemptCall.refreshCredentials })) {
      if (event.type === 'message_start' && assembler.message) yield* startOver(call, attempt);
      const step = assembler.push(event);
      if (step?.type === 'block') {
        if (step.invalidInput !== undefined) attempt.invalidInputs.set((step.block as ToolUseBlock).id, step.invalidInput);
        yield addMessage(call, attempt, step.block);
      }
      if (event.type === 'message_delta') {
        settle(attempt);
        countUsage(call, attempt);
      }
      if (call.includePartialMessages || isMessageEvent(event)) yield streamEvent(call, event);
    }
  } catch (thrown) {
    if (!isAborted(thrown)) throw thrown;
    yield* keepPartialTexts(call, attempt);
    return interruptedReply(attempt);
  } finally {
    settle(attempt);
    countUsage(call, attempt);
  }
  return { ...interruptedReply(attempt), interrupted: false };
}

/** A gateway began the message anew within one stream: what came before is withdrawn, and was paid for. */
function* startOver(call: ModelCall, attempt: Attempt): Generator<SDKMessage, void, void> {
  settle(attempt);
  countUsage(call, attempt);
  if (!attempt.assembler.hasContent) return;
  yield tombstone(call, attempt);
  attempt.messages.length = 0;
  attempt.invalidInputs.clear();
}

function limitTokens(request: ModelRequest, maxTokens: number | undefined): ModelRequest {
  return maxTokens === undefined ? request : { ...request, max_tokens: Math.min(request.max_tokens, maxTokens) };
}

/** Needed by the session itself: they say when a message's usage is final. */
function isMessageEvent(event: RawStreamEvent): boolean {
  return event.type === 'message_start' || event.type === 'message_stop';
}

function addMessage(call: ModelCall, attempt: Attempt, block: ContentBlock): SDKAssistantMessage {
  const message: SDKAssistantMessage = {
    type: 'assistant',
    uuid: crypto.randomUUID(),
    session_id: call.sessionId,
    timestamp: new Date(call.clock.now()).toISOString(),
    parent_tool_use_id: null,
    message: { ...attempt.assembler.message!, content: [block] },
  };
  attempt.messages.push(message);
  return message;
}

/** Usage and stop reason arrive after the blocks: every message made of them gets the final ones, in place. */
function settle(attempt: Attempt): void {
  const final = attempt.assembler.message;
  if (!final) return;
  for (const { message } of attempt.messages) {
    const { content: _content, ...fields } = final;
    Object.assign(message, fields satisfies Partial<ApiAssistantMessage>);
  }
}

function countUsage(call: ModelCall, attempt: Attempt): void {
  const message = attempt.assembler.message;
  if (message) call.cost.add({ messageId: message.id, model: message.model, usage: message.usage, date: new Date(call.clock.now()) });
}

function streamEvent(call: ModelCall, event: RawStreamEvent): SDKMessage {
  return { type: 'stream_event', uuid: crypto.randomUUID(), session_id: call.sessionId, parent_tool_use_id: null, event };
}

function* keepPartialTexts(call: ModelCall, attempt: Attempt): Generator<SDKAssistantMessage, void, void> {
  for (const text of attempt.assembler.message ? attempt.assembler.partialTexts() : []) yield addMessage(call, attempt, { type: 'text', text });
}

function interruptedReply(attempt: Attempt): ModelReply {
  return {
    messages: attempt.messages,
    toolUses: attempt.messages.flatMap((message) => toolUsesOf(message.message.content)),
    invalidInputs: attempt.invalidInputs,
    stopReason: attempt.assembler.message?.stop_reason ?? null,
    interrupted: true,
  };
}

function tombstone(call: ModelCall, attempt: Attempt): SDKMessage {
  return { type: 'tombstone', uuid: crypto.randomUUID(), session_id: call.sessionId, message_uuids: attempt.messages.map((message) => message.uuid) };
}

function announce(call: ModelCall, news: RetryNews): SDKMessage {
  const base = { type: 'system', uuid: crypto.randomUUID(), session_id: call.sessionId } as const;
  if (news.type === 'falling-back') {
    return { ...base, subtype: 'notice', level: 'warning', text: `${call.model} is overloaded. ${call.fallbackModel} answers this turn; the next one tries ${call.model} again.` };
  }
  call.log.warn(`request failed, attempt ${news.attempt}: ${news.failure.message}`);
  return {
    ...base,
    subtype: 'api_retry',
    attempt: news.attempt,
    max_retries: news.maxRetries,
    retry_delay_ms: news.delayMs,
    error_status: news.failure.status ?? null,
    error: retryReason(news.failure),
  };
}

/** The last block of an answer, for judging how a turn ended. */
export function lastBlock(messages: readonly SDKAssistantMessage[]): ContentBlock | undefined {
  return messages.at(-1)?.message.content.at(-1);
}

/** True when the answer's last block is a call that the output limit may have cut. */
export function endsInToolUse(messages: readonly SDKAssistantMessage[]): boolean {
  const block = lastBlock(messages);
  return block !== undefined && isBlock(block, 'tool_use');
}
