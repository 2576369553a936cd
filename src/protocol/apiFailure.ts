import { errorText, systemErrorCode } from '../base/errors.ts';

/** What is known about a request that failed, whatever library it came through. */
export interface ApiFailure {
  readonly name: 'ApiFailure';
  readonly message: string;
  /** HTTP status; undefined for a broken connection and for an error event inside a stream. */
  readonly status: number | undefined;
  /** `error.type` of the API's body: overloaded_error, invalid_request_error … */
  readonly errorType: string | undefined;
  /** System error code: ECONNRESET, ENOTFOUND … */
  readonly code: string | undefined;
  readonly headers: { readonly [name: string]: string };
  readonly requestId: string | undefined;
  readonly cause: unknown;
}

interface FailureFacts {
  /** Whatever stands in its place: servers do not all keep to texts. */
  readonly message: unknown;
  readonly status?: number | undefined;
  readonly errorType?: unknown;
  readonly code?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export function apiFailure(facts: FailureFacts): ApiFailure {
  return {
    name: 'ApiFailure',
    message: typeof facts.message === 'string' ? facts.message : JSON.stringify(facts.message ?? 'no reason given'),
    status: facts.status,
    errorType: typeof facts.errorType === 'string' ? facts.errorType : undefined,
    code: facts.code,
    headers: facts.headers ?? {},
    requestId: facts.requestId,
    cause: facts.cause,
  };
}

export function isApiFailure(thrown: unknown): thrown is ApiFailure {
  return typeof thrown === 'object' && thrown !== null && (thrown as { name?: unknown }).name === 'ApiFailure' && 'errorType' in thrown;
}

/** Clients throw failures. Anything else is a system's error, or a fault of our own. */
export function toApiFailure(thrown: unknown): ApiFailure {
  if (isApiFailure(thrown)) return thrown;
  return apiFailure({ message: errorText(thrown), code: systemErrorCode(thrown) ?? OWN_FAULT, cause: thrown });
}

/** Codes of failures that we find ourselves in a stream that looked healthy. */
export const STREAM_CUT = 'STREAM_CUT';
export const STREAM_STALLED = 'STREAM_STALLED';
export const STREAM_EMPTY = 'STREAM_EMPTY';
/** Not sent at all: the answer to it would be the answer that was just given. */
export const REQUEST_REPEATED = 'REQUEST_REPEATED';
/** Not sent at all: the server has called the very same request malformed before. */
export const REFUSED_BEFORE = 'REFUSED_BEFORE';
/** Nothing that the server did: making the request or reading its answer went wrong on our side. */
export const OWN_FAULT = 'OWN_FAULT';
