import { abortedError } from '../../base/errors.ts';
import { cutText } from '../../base/text.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import { isApiFailure } from '../../protocol/apiFailure.ts';
import type { SDKMessage } from '../../protocol/messages.ts';
import { requestModel } from '../model/requestModel.ts';
import type { ModelCall, ModelReply } from '../model/requestModel.ts';
import { isOverloaded, isPromptTooLong } from '../model/retryPolicy.ts';
import type { ModelRequest } from '../ports.ts';
import { answerText } from './renderConversation.ts';

/** Of the turn in which it is asked. */
export type SummaryCall = Omit<ModelCall, 'buildRequest' | 'background' | 'toolStarter' | 'fallbackModel' | 'includePartialMessages'>;

export type SummaryOutcome =
  | { readonly kind: 'summary'; readonly text: string }
  /** The server would not take the request: it has to become shorter. */
  | { readonly kind: 'too-long' }
  /** `why` completes "Summarising failed: …". */
  | { readonly kind: 'failed'; readonly why: string };

/** A cut summary shorter than this says too little to stand for a conversation. UTF-16 units. */
const leastCutSummary = 400;

/**
 * Asks for a summary in the background (overload ends it at once), a second time where the first answer was cut
 * or empty. Yields nothing but the countdowns of its retries. Throws `aborted` when the user interrupts, else nothing.
 */
export async function* askForSummary(call: SummaryCall, requestFor: (retry: boolean) => ModelRequest): AsyncGenerator<SDKMessage, SummaryOutcome, void> {
  let best = '';
  for (const retry of [false, true]) {
    const reply = yield* ask(call, requestFor(retry));
    if ('failure' in reply) return isPromptTooLong(reply.failure) ? { kind: 'too-long' } : { kind: 'failed', why: whyFailed(reply.failure) };
    if (reply.stopReason === 'model_context_window_exceeded') return { kind: 'too-long' };
    if (reply.stopReason === 'refusal') return { kind: 'failed', why: 'the model declined to summarise this conversation' };
    const text = answerText(reply.messages);
    if (text !== '' && reply.stopReason !== 'max_tokens') return { kind: 'summary', text };
    if (text.length > best.length) best = text;
  }
  if (best.length >= leastCutSummary) return { kind: 'summary', text: `${best}\n(The summary was cut here by the output limit.)` };
  return { kind: 'failed', why: best === '' ? 'the model’s summary was empty, twice' : 'the model’s summary was cut by the output limit, twice' };
}

async function* ask(call: SummaryCall, request: ModelRequest): AsyncGenerator<SDKMessage, ModelReply | { readonly failure: ApiFailure }, void> {
  const run = requestModel({ ...call, purpose: 'summary', background: true, includePartialMessages: false, buildRequest: () => request });
  try {
    for (;;) {
      const step = await run.next();
      if (step.done) {
        if (step.value.interrupted) throw abortedError(call.signal.reason);
        return step.value;
      }
      // What it says is for the summary alone; it is no part of the conversation.
      if (step.value.type === 'system') yield step.value;
    }
  } catch (thrown) {
    if (isApiFailure(thrown)) return { failure: thrown };
    throw thrown;
  } finally {
    // The value is never looked at.
    await run.return(undefined as never);
  }
}

function whyFailed(failure: ApiFailure): string {
  if (isOverloaded(failure)) return 'the model is overloaded';
  const said = cutText(failure.message.replace(/\s+/g, ' '), 200);
  return failure.status === undefined ? `the connection failed (${failure.code ?? said})` : `the server answered ${failure.status} (${said})`;
}
