import type { Clock } from '../../base/abort.ts';
import { isAborted } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { STREAM_CUT, apiFailure, isApiFailure } from '../../protocol/apiFailure.ts';
import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { RawStreamEvent, SDKAssistantMessage, SDKMessage } from '../../protocol/messages.ts';
import type { CostPurpose } from '../cost/costSummary.ts';
import type { CostTracker } from '../cost/costTracker.ts';
import type { ModelClient, ModelRequest } from '../ports.ts';
import type { RetryPreferences } from '../session.ts';
import { inPieces } from '../streamEvents.ts';
import type { TurnMessage } from '../streamEvents.ts';
import { retryReason } from './failureMessage.ts';
import { ModelAttempt } from './modelAttempt.ts';
import type { ModelReply } from './modelAttempt.ts';
import { readStream } from './readStream.ts';
import { readWhole } from './readWhole.ts';
import type { RequestRepairs } from './requestRepairs.ts';
import { notice, retryMessage } from './retryNews.ts';
import { Retries } from './retries.ts';
import type { AttemptCall, RetryOptions } from './retries.ts';

export type { ModelReply } from './modelAttempt.ts';

export interface ModelCall {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly cost: CostTracker;
  /** Under what it is counted. Default: `answer`. */
  readonly purpose?: CostPurpose | undefined;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly includePartialMessages: boolean;
  readonly retryNow?: ((wake: () => void) => { dispose(): void }) | undefined;
  readonly fallbackModel?: string | undefined;
  /** The request for a model; built anew for the fallback, whose limits and thinking rules differ. */
  readonly buildRequest: (model: string) => ModelRequest;
  readonly model: string;
  /** A title, a summary: gives up at once when the model is overloaded. Default: false. */
  readonly background?: boolean | undefined;
  readonly retry?: RetryPreferences | undefined;
  /** What the session has learnt from refused requests. */
  readonly repairs: RequestRepairs;
  readonly toolStarter?: ToolStarter | undefined;
  /** Sees each event before it is taken in. */
  readonly watch?: ((event: RawStreamEvent) => void) | undefined;
}

/** Told of calls whose input is complete while the message still comes in. */
export interface ToolStarter {
  /** `call` is undefined for one whose input is not JSON. */
  start(call: ToolUseBlock | undefined): void;
  /** The attempt failed: its calls were never made. */
  discard(): void;
}

/**
 * One request to the model, with its retries. Yields completed blocks as assistant messages and, if wanted, the raw
 * events of streamed attempts; an answer that had to be fetched in one piece comes without any. An interrupted answer
 * is returned as far as it came; when every retry failed the ApiFailure is thrown, after the text of the last attempt
 * was yielded, so that it is not lost.
 */
export async function* requestModel(call: ModelCall): AsyncGenerator<TurnMessage, ModelReply, void> {
  const { repairs } = call;
  const ofConversation = (call.purpose ?? 'answer') === 'answer';
  let attempt = new ModelAttempt(call, call);
  let request: ModelRequest | undefined;
  const startedAt = call.clock.now();
  let attemptStartedAt = startedAt;
  let unsaidEnds = 0;
  const run = (attemptCall: AttemptCall) => {
    const model = attemptCall.useFallback ? call.fallbackModel! : call.model;
    request = limitTokens(repairs.apply(call.buildRequest(model)), attemptCall.maxTokens);
    repairs.check(request);
    attempt = new ModelAttempt(request, call);
    attemptStartedAt = call.clock.now();
    return runAttempt(call, { request, attemptCall, attempt, isUnsaidEndNew: () => unsaidEnds++ === 0 });
  };
  const retries = new Retries<SDKMessage>({
    ...retryOptions(call),
    brokeInMiddle: () => attempt.hasStarted,
    repair: (failure) => {
      const text = repairs.learn(failure, request!, { ofConversation });
      return text === undefined ? undefined : notice(call, text, 'warning');
    },
    withdraw: () => {
      call.toolStarter?.discard();
      const failed = attempt;
      attempt = new ModelAttempt(failed, call);
      return failed.withdraw();
    },
  });
  try {
    for (;;) {
      try {
        const reply = yield* run(retries.next);
        if (ofConversation && attempt.hasStarted) repairs.answered();
        return reply;
      } catch (thrown) {
        yield* retries.afterFailure(thrown);
      }
    }
  } catch (thrown) {
    call.toolStarter?.discard();
    if (isAborted(thrown)) return attempt.reply(true);
    if (isApiFailure(thrown) && request) repairs.giveUp(thrown, request, { ofConversation });
    yield* attempt.keepPartialTexts();
    throw thrown;
  } finally {
    const now = call.clock.now();
    call.cost.addApiDuration(now - startedAt, now - attemptStartedAt);
  }
}

function retryOptions(call: ModelCall): Omit<RetryOptions<SDKMessage>, 'brokeInMiddle' | 'repair' | 'withdraw'> {
  const { signal, clock, random, retryNow, retry, background = false } = call;
  const confirm = retry?.confirmLongWait;
  return {
    signal,
    clock,
    random,
    retryNow,
    background,
    unattended: retry?.unattended ?? false,
    hasFallback: call.fallbackModel !== undefined && call.fallbackModel !== call.model,
    confirmLongWait: confirm && ((failure, delayMs) => confirm({ delayMs, reason: retryReason(failure) }, signal)),
    announce: (news) => {
      if ('attempt' in news) call.log.warn(`request failed, attempt ${news.attempt}: ${news.failure.message}`);
      return retryMessage(news, call);
    },
  };
}

interface AttemptParts {
  readonly request: ModelRequest;
  readonly attemptCall: AttemptCall;
  readonly attempt: ModelAttempt;
  /** Asked when a whole answer has no stop reason; true the first time. */
  readonly isUnsaidEndNew: () => boolean;
}

async function* runAttempt(call: ModelCall, { request, attemptCall, attempt, isUnsaidEndNew }: AttemptParts): AsyncGenerator<TurnMessage, ModelReply, void> {
  const { newConnection, refreshCredentials, whole } = attemptCall;
  const options = { signal: call.signal, clock: call.clock, newConnection, refreshCredentials };
  try {
    for await (const events of whole ? readWhole(call.client, request, options) : readStream(call.client, request, options)) {
      yield* inPieces(takeIn(events, { call, attempt, passesOn: (event) => !whole && (call.includePartialMessages || isMessageEvent(event)) }));
    }
    if (attempt.reply(false).stopReason === null) {
      // Something is missing: perhaps only this, perhaps more. A server that never says it is taken at its word.
      if (isUnsaidEndNew()) throw apiFailure({ message: 'the server did not say how the answer ended', code: STREAM_CUT });
      yield notice(call, 'The server did not say how its answer ended, twice. It is taken as complete; if something is missing at its end, ask for it.', 'warning');
    }
  } catch (thrown) {
    if (!isAborted(thrown)) throw thrown;
    call.toolStarter?.discard();
    yield* attempt.keepPartialTexts();
    return attempt.reply(true);
  } finally {
    attempt.settle();
  }
  return attempt.reply(false);
}

interface Taking {
  readonly call: ModelCall;
  readonly attempt: ModelAttempt;
  /** Whether an event is passed on as it is. */
  readonly passesOn: (event: RawStreamEvent) => boolean;
}

function* takeIn(events: readonly RawStreamEvent[], { call, attempt, passesOn }: Taking): Generator<SDKMessage, void, void> {
  for (const event of events) {
    if (event.type === 'message_start' && attempt.hasStarted) yield* startOver(call, attempt);
    call.watch?.(event);
    const step = attempt.push(event);
    if (step) {
      if (isBlock(step.message.message.content[0]!, 'tool_use')) call.toolStarter?.start(step.validCall);
      yield step.message;
    }
    if (passesOn(event)) yield streamEvent(call, event);
  }
}

/** A gateway began the message anew within one stream: what came before is withdrawn, and was paid for. */
function* startOver(call: ModelCall, attempt: ModelAttempt): Generator<SDKMessage, void, void> {
  attempt.settle();
  call.toolStarter?.discard();
  const withdrawn = attempt.withdraw();
  if (withdrawn) yield withdrawn;
}

/** A budget for thinking has to stay below the limit; where it can't, there is none. */
function limitTokens(request: ModelRequest, maxTokens: number | undefined): ModelRequest {
  if (maxTokens === undefined || request.max_tokens <= maxTokens) return request;
  const { thinking, ...rest } = request;
  const budget = (thinking as { readonly budget_tokens?: number } | undefined)?.budget_tokens;
  return { ...rest, ...(thinking !== undefined && (budget === undefined || budget < maxTokens) && { thinking }), max_tokens: maxTokens };
}

/** Needed by the session itself: they say when a message's usage is final. */
function isMessageEvent(event: RawStreamEvent): boolean {
  return event.type === 'message_start' || event.type === 'message_stop';
}

function streamEvent(call: ModelCall, event: RawStreamEvent): SDKMessage {
  return { type: 'stream_event', uuid: crypto.randomUUID(), session_id: call.sessionId, parent_tool_use_id: null, event };
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
