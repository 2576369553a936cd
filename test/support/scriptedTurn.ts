import type { MessagesRequest } from './apiTypes.ts';
import type { Chunking } from './chunking.ts';
import type { ScriptedMessage } from './scriptedMessage.ts';

/** A place in a streamed answer: after so many events, or so many bytes. */
export type StreamPlace = { readonly events: number } | { readonly bytes: number };

/** One step of a script: which request it expects and what it answers. Exactly one of `reply`, `raw`, `status` is given. */
export interface ScriptedTurn {
  /** Whether the request is the expected one; a text says why it is not. Left out: any request. */
  readonly when?: ((request: MessagesRequest) => boolean | string) | undefined;
  /** The model's answer, streamed or as JSON, as the request asks. */
  readonly reply?: ScriptedMessage | ((request: MessagesRequest) => ScriptedMessage) | undefined;
  /** This body under status 200 (or `status`), word for word, as an event stream unless `headers` say otherwise. */
  readonly raw?: string | Uint8Array | undefined;
  /** An HTTP status with `body` (an object is sent as JSON) instead of an answer. */
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where the bytes are cut into writes. After each event unless given. */
  readonly chunking?: Chunking | undefined;
  /** UTF-16 units per delta. */
  readonly deltaSize?: number | undefined;
  /** Milliseconds before the headers. */
  readonly delayMs?: number | undefined;
  /** Milliseconds between two writes. */
  readonly paceMs?: number | undefined;
  /**
   * Ends the answer at this place. `reset` breaks the connection off in the middle of the body, after all bytes up to
   * there have arrived; `hardReset` does it with a TCP reset, which may also destroy bytes (even the headers) on their
   * way; `end` closes the body as if all had been said.
   */
  readonly cutAfter?: (StreamPlace & { readonly how: 'reset' | 'hardReset' | 'end' }) | undefined;
  /** Falls silent at this place, but for a ping every `pingEveryMs`, until `until` settles (left out: for ever). */
  readonly stallAfter?: (StreamPlace & { readonly pingEveryMs?: number; readonly until?: Promise<unknown> }) | undefined;
  /** How often this step may be used; `Infinity` for ever. Once unless given. */
  readonly times?: number | undefined;
}

/** A step that answers. Exists so that scripts read as a list of turns. */
export function turn(step: ScriptedTurn): ScriptedTurn {
  return step;
}

/** The faults a client has to survive. */
export const fault = {
  /** An error status with the API's own body for it, or another body. */
  status(status: number, options: Pick<ScriptedTurn, 'headers' | 'body' | 'when' | 'times'> & { readonly message?: string } = {}): ScriptedTurn {
    const { message, ...rest } = options;
    return { status, body: { type: 'error', error: { type: errorTypeOf(status), message: message ?? errorTypeOf(status) } }, ...rest };
  },
  /** Too many people at once; `retryAfter` in seconds or as an HTTP date. */
  overloaded(retryAfter?: string): ScriptedTurn {
    return fault.status(529, { message: 'Overloaded', ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }) });
  },
  /** The page of a proxy or hotel network in place of an answer. */
  html200(html = '<!doctype html><html><body>Please sign in to the network.</body></html>'): ScriptedTurn {
    return { raw: html, headers: { 'content-type': 'text/html' } };
  },
  /** Success, and nothing in it. */
  empty200(): ScriptedTurn {
    return { raw: '' };
  },
  /** The answer breaks off: the connection is reset, or ends without `message_stop`. */
  cut(reply: ScriptedMessage, cutAfter: NonNullable<ScriptedTurn['cutAfter']>): ScriptedTurn {
    return { reply, cutAfter };
  },
  /** The answer falls silent. */
  stall(reply: ScriptedMessage, stallAfter: NonNullable<ScriptedTurn['stallAfter']>): ScriptedTurn {
    return { reply, stallAfter };
  },
};

function errorTypeOf(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}
