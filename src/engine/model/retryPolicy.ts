import type { ApiFailure } from '../../protocol/apiFailure.ts';

/** What has been tried for one request so far. */
export interface RetryState {
  /** Attempts that failed, this one included. */
  readonly failures: number;
  /** 529 or overloaded_error in a row, this one included. */
  readonly overloadedInARow: number;
  readonly credentialsRefreshed: boolean;
  readonly maxTokensReduced: boolean;
  readonly hasFallback: boolean;
  /** Titles, summaries and the like: never worth hammering for. */
  readonly background: boolean;
  /** Milliseconds since 1970, for `retry-after` dates. */
  readonly now: number;
  /** 0..1, for jitter. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly action: 'wait'; readonly delayMs: number; readonly newConnection: boolean }
  | { readonly action: 'refresh-credentials' }
  | { readonly action: 'reduce-max-tokens'; readonly maxTokens: number }
  | { readonly action: 'fall-back' }
  | { readonly action: 'give-up' };

/** Tries after the first. With back-off up to 32 s this spans about three minutes. */
export const MAX_RETRIES = 10;
/** Longer than this nobody should wait without having been asked. */
const longestWaitMs = 10 * 60_000;
const firstDelayMs = 500;
const longestDelayMs = 32_000;
/** The least that an answer should have room for. */
const leastMaxTokens = 1_000;

const connectionCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'STREAM_CUT', 'STREAM_STALLED', 'STREAM_EMPTY']);
/** Nothing listens or the name is not known: three tries are enough to rule out a hiccup. */
const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
const unreachableRetries = 2;

/** The table of SPEC Q7, as a pure function. */
export function decideRetry(failure: ApiFailure, state: RetryState): RetryDecision {
  if (isOverloaded(failure)) return decideOverloaded(failure, state);
  if (failure.status === 429 || failure.errorType === 'rate_limit_error') return waitOrGiveUp(failure, state, false);
  if (failure.status === 401 || isRevoked(failure)) return state.credentialsRefreshed ? giveUp : { action: 'refresh-credentials' };
  if (failure.status === 400) return decideTooManyTokens(failure, state);
  if (failure.status === undefined) return decideBrokenConnection(failure, state);
  if (failure.status === 408 || failure.status === 409 || failure.status >= 500) return waitOrGiveUp(failure, state, false);
  return giveUp;
}

export function isOverloaded(failure: ApiFailure): boolean {
  return failure.status === 529 || failure.errorType === 'overloaded_error';
}

export function isPromptTooLong(failure: ApiFailure): boolean {
  return failure.status === 413 || failure.errorType === 'request_too_large' || (failure.status === 400 && /prompt is too long/i.test(failure.message));
}

/** `retry-after` in seconds or as a date; undefined when it is missing or makes no sense. Result in milliseconds. */
export function retryAfterMs(headers: { readonly [name: string]: string }, now: number): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] && Number.isFinite(precise) && precise >= 0) return precise;
  const value = headers['retry-after'];
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const giveUp: RetryDecision = { action: 'give-up' };

function decideOverloaded(failure: ApiFailure, state: RetryState): RetryDecision {
  if (state.background) return giveUp;
  if (state.hasFallback && state.overloadedInARow >= 3) return { action: 'fall-back' };
  return waitOrGiveUp(failure, state, false);
}

function decideBrokenConnection(failure: ApiFailure, state: RetryState): RetryDecision {
  if (failure.errorType && !['api_error', 'timeout_error'].includes(failure.errorType)) return giveUp;
  if (failure.code && unreachableCodes.has(failure.code) && state.failures > unreachableRetries) return giveUp;
  return waitOrGiveUp(failure, state, failure.code !== undefined && connectionCodes.has(failure.code));
}

function decideTooManyTokens(failure: ApiFailure, state: RetryState): RetryDecision {
  const match = /input length and `?max_tokens`? exceed context limit: (\d+) \+ (\d+) > (\d+)/i.exec(failure.message);
  if (!match || state.maxTokensReduced) return giveUp;
  const room = Number(match[3]) - Number(match[1]);
  return room >= leastMaxTokens ? { action: 'reduce-max-tokens', maxTokens: room } : giveUp;
}

function waitOrGiveUp(failure: ApiFailure, state: RetryState, newConnection: boolean): RetryDecision {
  if (state.failures > MAX_RETRIES) return giveUp;
  const told = retryAfterMs(failure.headers, state.now);
  if (told !== undefined && told > longestWaitMs) return giveUp;
  const backOff = Math.min(longestDelayMs, firstDelayMs * 2 ** (state.failures - 1));
  // Up to a quarter more, so that clients that failed together do not come back together.
  const delayMs = told ?? Math.round(backOff * (1 + state.random / 4));
  return { action: 'wait', delayMs, newConnection };
}

function isRevoked(failure: ApiFailure): boolean {
  return failure.status === 403 && /revoked|expired/i.test(failure.message);
}
