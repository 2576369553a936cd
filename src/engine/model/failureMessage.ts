import { isTurnstoneError } from '../../base/errors.ts';
import { cutText } from '../../base/text.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import { mayBeAboutMessages } from './requestRepairs.ts';
import { isAboutAccount, isFaultOfSettings, isOverloaded, isPromptTooLong, retryAfterMs } from './retryPolicy.ts';
import { OWN_FAULT, REFUSED_BEFORE, REQUEST_REPEATED, STREAM_CUT, STREAM_EMPTY, STREAM_STALLED } from '../../protocol/apiFailure.ts';

/** A week: what a server asks for beyond that is no time that anybody plans with. */
const longestNamedWaitMs = 7 * 24 * 60 * 60_000;

const kept = 'Your message is saved; send again when you are ready.';

export interface FailureFacts {
  readonly endpoint: string;
  readonly now: number;
  /** Requests of the conversation in a row that the server refused, this one included where it was one. */
  readonly refusedInARow: number;
}

/** What the user reads when a request failed for good: what happened, what was kept, what to do. */
export function failureMessage(failure: ApiFailure, facts: FailureFacts): string {
  return `${whatHappened(failure, facts)} ${kept}${failure.requestId ? ` (request ${failure.requestId})` : ''}`;
}

function whatHappened(failure: ApiFailure, { endpoint, now, refusedInARow }: FailureFacts): string {
  const said = cutText(failure.message.replace(/\s+/g, ' '), 400);
  // Our own words: nobody was asked.
  if (isTurnstoneError(failure.cause)) return failure.message;
  if (failure.status === 401) return `The API key was refused (401: ${said}). Set a valid key with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.`;
  if (failure.status === 403) return `Access was refused (403: ${said}). Check what the key is allowed to use.`;
  if (failure.status === 404) return `The server does not know this model or address (404: ${said}). Choose another model, or check the base URL.`;
  if (failure.status === 429) return `The rate limit was reached${waitHint(failure, now)} (429: ${said}).`;
  if (isOverloaded(failure)) return 'The model is overloaded and stayed so through every retry.';
  if (isPromptTooLong(failure)) return `The conversation no longer fits the model’s context window (${said}). Start a new session, or rewind to an earlier message.`;
  if (isAboutAccount(failure)) return `The account does not allow this request (400: ${said}). Nothing is wrong with the request itself: once that is settled it can be sent again.`;
  if (failure.status === 400) return `The server refused the request (400: ${said}). It will not be sent again unchanged. ${refusedInARow > 1 || !mayBeAboutMessages(failure) ? 'Rewind to an earlier message, choose another model, or start a new session.' : 'Just go on: where the next message is refused as well, what it may be about is left out step by step.'}`;
  if (failure.status !== undefined) return `The server answered ${failure.status}: ${said}.`;
  return connectionMessage(failure, endpoint, said);
}

function connectionMessage(failure: ApiFailure, endpoint: string, said: string): string {
  switch (failure.code) {
    case REFUSED_BEFORE:
      return `Nothing was sent: the server has refused exactly this request before (400: ${said}), and would again. Word it differently, take out what it complains about, or choose another model.`;
    case REQUEST_REPEATED:
      return 'The last answer held nothing that can be sent back to the model, so the next request would have been the same again. The turn was ended before it went round in circles. Where this happens repeatedly, the server or a proxy in between does not speak the Messages API as it should.';
    case OWN_FAULT:
      return `Turnstone itself failed over this request or its answer (${said}). That is a fault of Turnstone, please report it. If it comes again, rewind to the message before, or start a new session.`;
    case STREAM_CUT:
      return 'The answer broke off in the middle, and so did every retry.';
    case STREAM_STALLED:
      return 'The server kept the line open but sent nothing more, also when asked again.';
    case STREAM_EMPTY:
      return `The server at ${endpoint} answered, but not with a model’s reply (${said}), also when it was asked again. Check the base URL and proxies in between.`;
    default:
      if (isFaultOfSettings(failure)) return `The request could not be made: ${failure.code === 'ERR_INVALID_CHAR' ? 'the API key holds a character that no key has. Copy it anew' : `the base URL ${endpoint} is not right (${failure.code}). It begins with https:// or http://`}. Nothing was sent.`;
      return failure.errorType ? `The server reported an error: ${said}.` : `The server at ${endpoint} could not be reached (${failure.code ?? said}). Check the network and the base URL.`;
  }
}

function waitHint(failure: ApiFailure, now: number): string {
  const ms = retryAfterMs(failure.headers, now);
  if (ms === undefined) return '';
  return `; the server asks to wait ${ms > longestNamedWaitMs ? 'a very long time' : `${Math.ceil(ms / 60_000)} min`}`;
}

/** A few words for the countdown. */
export function retryReason(failure: ApiFailure): string {
  if (isOverloaded(failure)) return 'The model is overloaded';
  if (failure.status === 429) return 'Rate limit reached';
  if (failure.code === STREAM_CUT) return 'The answer broke off';
  if (failure.code === STREAM_STALLED) return 'The server stopped sending';
  if (failure.code === STREAM_EMPTY) return 'What came was not a model’s reply';
  if (failure.status !== undefined) return `The server answered ${failure.status}`;
  return failure.errorType ? `The server reported ${failure.errorType}` : `The connection failed (${failure.code ?? failure.message})`;
}
