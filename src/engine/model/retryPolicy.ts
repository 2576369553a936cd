import { OWN_FAULT, REFUSED_BEFORE, REQUEST_REPEATED, STREAM_CUT, STREAM_EMPTY, STREAM_STALLED } from '../../protocol/apiFailure.ts';
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
  /** Nobody is there to look: rate limits and overload are waited out for ever. */
  readonly unattended: boolean;
  /** Milliseconds since 1970, for `retry-after` dates. */
  readonly now: number;
  /** 0..1, for jitter. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly action: 'wait'; readonly delayMs: number; readonly newConnection: boolean }
  /** Longer than anybody should wait unasked; `otherwise` when the answer is no or nobody can be asked. */
  | { readonly action: 'ask'; readonly delayMs: number; readonly otherwise: RetryDecision }
  | { readonly action: 'refresh-credentials' }
  | { readonly action: 'reduce-max-tokens'; readonly maxTokens: number }
  | { readonly action: 'fall-back' }
  /** The server refused something in the request: change that, or give up. Never the same bytes again. */
  | { readonly action: 'repair' }
  | { readonly action: 'give-up' };

/** Tries after the first. With back-off up to 32 s this spans about three minutes. */
export const MAX_RETRIES = 10;
/** Longer than this nobody should wait without having been asked. */
const longestWaitMs = 10 * 60_000;
const firstDelayMs = 500;
const longestDelayMs = 32_000;
/** Of an unattended session. */
const longestPatientDelayMs = 5 * 60_000;
/** The least that an answer should have room for. */
const leastMaxTokens = 1_000;

const connectionCodes = new Set<string>(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', STREAM_CUT, STREAM_STALLED, STREAM_EMPTY]);
/** Nothing listens, the name is not known, or what answers is no model: three tries are enough to rule out a hiccup. */
const unreachableCodes = new Set<string>([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'EPROTO', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID',
  STREAM_EMPTY,
]);
const unreachableRetries = 2;
/** The next try would end the same way. */
const finalCodes = new Set<string>([REFUSED_BEFORE, REQUEST_REPEATED, OWN_FAULT]);

/** The table of what is tried again, as a pure function. */
export function decideRetry(failure: ApiFailure, state: RetryState): RetryDecision {
  if (isOverloaded(failure)) return decideOverloaded(failure, state);
  if (isRateLimited(failure)) return waitOrGiveUp(failure, state, false);
  if (failure.status === 401 || isRevoked(failure)) return state.credentialsRefreshed ? giveUp : { action: 'refresh-credentials' };
  if (isPromptTooLong(failure) || (failure.code !== undefined && finalCodes.has(failure.code))) return giveUp;
  if (isMalformed(failure)) return decideRefused(failure, state);
  if (failure.status === undefined) return decideBrokenConnection(failure, state);
  if (failure.status === 408 || failure.status === 409 || failure.status >= 500) return waitOrGiveUp(failure, state, false);
  return giveUp;
}

/** How often a request that failed like this is tried again, at most. */
export function retriesFor({ code }: ApiFailure): number {
  return code !== undefined && unreachableCodes.has(code) ? unreachableRetries : MAX_RETRIES;
}

/** Node would not even make the request: an address that is none, a key with characters that no header can hold. */
export function isFaultOfSettings({ status, code }: ApiFailure): boolean {
  return status === undefined && code !== undefined && /^ERR_(?:INVALID|UNESCAPED|OUT_OF_RANGE|HTTP_INVALID|MISSING_ARGS)/.test(code);
}

/** Too many requests, ours or everybody's: the request itself is fine. */
export function isOutOfCapacity(failure: ApiFailure): boolean {
  return isOverloaded(failure) || isRateLimited(failure);
}

/** The line broke, whoever broke it: no status, and no error that the server spoke of. */
export function isBrokenConnection(failure: ApiFailure): boolean {
  return failure.status === undefined && failure.errorType === undefined;
}

export function isOverloaded(failure: ApiFailure): boolean {
  return failure.status === 529 || failure.errorType === 'overloaded_error';
}

export function isPromptTooLong(failure: ApiFailure): boolean {
  return failure.status === 413 || failure.errorType === 'request_too_large' || (failure.status === 400 && /prompt is too long/i.test(failure.message));
}

/** The request itself is at fault: sent again as it is, it fails again. */
export function isMalformed(failure: ApiFailure): boolean {
  if (isPromptTooLong(failure) || isAboutAccount(failure)) return false;
  return failure.status === 400 || (failure.status === undefined && failure.errorType === 'invalid_request_error');
}

/** Also sent as a 400: there is nothing wrong with the request, and it can be sent again when there is money. */
export function isAboutAccount({ status, message }: ApiFailure): boolean {
  return status === 400 && /credit balance|usage limits?\b|billing/i.test(message);
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
  if (isFaultOfSettings(failure) || state.failures > retriesFor(failure)) return giveUp;
  return waitOrGiveUp(failure, state, failure.code !== undefined && connectionCodes.has(failure.code));
}

function decideRefused(failure: ApiFailure, state: RetryState): RetryDecision {
  const match = /input length and `?max_tokens`? exceed context limit: (\d+) \+ (\d+) > (\d+)/i.exec(failure.message);
  if (!match) return { action: 'repair' };
  if (state.maxTokensReduced) return giveUp;
  const room = Number(match[3]) - Number(match[1]);
  return room >= leastMaxTokens ? { action: 'reduce-max-tokens', maxTokens: room } : giveUp;
}

function waitOrGiveUp(failure: ApiFailure, state: RetryState, newConnection: boolean): RetryDecision {
  const endless = state.unattended && isOutOfCapacity(failure);
  // Another model may have room where this one has none.
  const otherwise: RetryDecision = isRateLimited(failure) && state.hasFallback && !state.background ? { action: 'fall-back' } : giveUp;
  if (!endless && state.failures > MAX_RETRIES) return otherwise;
  const told = retryAfterMs(failure.headers, state.now);
  if (!endless && told !== undefined && told > longestWaitMs) return state.background ? giveUp : { action: 'ask', delayMs: told, otherwise };
  return { action: 'wait', delayMs: told ?? backOffMs(state, endless ? longestPatientDelayMs : longestDelayMs), newConnection };
}

/** Doubles from half a second on. A quarter of jitter, so that clients that failed together do not come back together. */
function backOffMs({ failures, random }: RetryState, longest: number): number {
  const backOff = firstDelayMs * 2 ** Math.min(failures - 1, 20);
  return Math.round(backOff < longest ? Math.min(longest, backOff * (1 + random / 4)) : longest * (1 - random / 4));
}

function isRateLimited(failure: ApiFailure): boolean {
  return failure.status === 429 || failure.errorType === 'rate_limit_error';
}

function isRevoked(failure: ApiFailure): boolean {
  return failure.status === 403 && /revoked|expired/i.test(failure.message);
}
