/**
 * The part of the Messages API wire format that the scripted server reads and writes. Kept loose on purpose: what a
 * client sends is checked by `validateRequest`, not by types, and a script may send what no client expects.
 */
export interface WireBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly WireBlock[];
  readonly [field: string]: unknown;
}

/** A parsed request body. Only checked once `validateRequest` has said nothing against it. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly WireMessage[];
  readonly system?: string | readonly WireBlock[] | undefined;
  readonly tools?: readonly WireBlock[] | undefined;
  readonly stream?: boolean | undefined;
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number | undefined } | undefined;
  readonly [field: string]: unknown;
}

/** Token counts as the API reports them. */
export interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly [field: string]: unknown;
}

/** One server-sent event: its name and the JSON after `data:`. */
export interface WireEvent {
  readonly event: string;
  readonly data: { readonly type: string; readonly [field: string]: unknown };
}

/** What a refused request is answered with. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** A message's content as a list of blocks, whichever of the two forms it was sent in. */
export function blocksOf(message: WireMessage): readonly WireBlock[] {
  if (typeof message.content === 'string') return [{ type: 'text', text: message.content }];
  return message.content;
}

/** The error body of the API. */
export function apiErrorBody(error: Pick<ApiError, 'type' | 'message'>, requestId: string): string {
  return JSON.stringify({ type: 'error', error: { type: error.type, message: error.message }, request_id: requestId });
}

/** A 400 as the API words it. */
export function invalidRequest(message: string): ApiError {
  return { status: 400, type: 'invalid_request_error', message };
}
