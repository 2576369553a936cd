import type { Readable } from 'node:stream';
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIError } from '@anthropic-ai/sdk/core/error';
import { TurnstoneError, systemErrorCode } from '../base/errors.ts';
import { STREAM_EMPTY, apiFailure, isApiFailure } from '../protocol/apiFailure.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../engine/ports.ts';
import type { ApiFailure } from '../protocol/apiFailure.ts';
import type { ApiAssistantMessage, RawStreamEvent } from '../protocol/messages.ts';
import { readEventStream } from './eventStream.ts';
import { letRunOut } from './letRunOut.ts';
import { nodeFetch } from './nodeFetch.ts';
import { requestBytes } from './requestBytes.ts';

export interface AnthropicClientOptions {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<string | undefined>;
}

/**
 * Upper bound for the headers to come, in milliseconds. The idle watchdog of the engine acts much sooner; this only
 * keeps the SDK from imposing a shorter one of its own.
 */
const timeoutMs = 10 * 60_000;

/** The model over HTTP. Retries are the engine's, so the SDK's are off; credentials are given, so it looks for none. */
export class AnthropicClient implements ModelClient {
  readonly #options: AnthropicClientOptions;
  #client: Promise<BaseAnthropic> | undefined;

  constructor(options: AnthropicClientOptions) {
    this.#options = options;
  }

  async stream(request: ModelRequest, options: ModelCallOptions): Promise<AsyncIterable<readonly RawStreamEvent[]>> {
    try {
      const client = await this.#connected(options);
      const response = await client.post('/v1/messages', callOptions({ ...request, stream: true }, options)).asResponse();
      const contentType = response.headers.get('content-type') ?? '';
      if (contentType && !contentType.includes('text/event-stream')) throw apiFailure({ message: `it sent ${contentType.split(';')[0]}`, code: STREAM_EMPTY });
      // Of `nodeFetch`, which gives Node's own stream.
      return withFailures(readEventStream(letRunOut(response.body as unknown as Readable)));
    } catch (thrown) {
      throw asFailure(thrown);
    }
  }

  async complete(request: ModelRequest, options: ModelCallOptions): Promise<ApiAssistantMessage> {
    try {
      const client = await this.#connected(options);
      return (await client.post('/v1/messages', callOptions({ ...request, stream: false }, options))) as ApiAssistantMessage;
    } catch (thrown) {
      throw asFailure(thrown);
    }
  }

  /** Not remembered when it fails: the next request asks for the key again. */
  async #connected({ refreshCredentials }: ModelCallOptions): Promise<BaseAnthropic> {
    if (refreshCredentials) this.#client = undefined;
    try {
      return await (this.#client ??= this.#connect());
    } catch (thrown) {
      this.#client = undefined;
      throw thrown;
    }
  }

  async #connect(): Promise<BaseAnthropic> {
    const apiKey = (await this.#options.apiKey())?.trim();
    checkAddress(this.#options.baseUrl);
    if (!apiKey) throw new TurnstoneError('authentication', 'There is no API key. Set one with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.');
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TurnstoneError('authentication', 'The API key holds a space or a character that no key has, so nothing was sent. Copy it anew and set it with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.');
    return new BaseAnthropic({ fetch: nodeFetch, baseURL: this.#options.baseUrl, apiKey, authToken: null, maxRetries: 0, timeout: timeoutMs });
  }
}

/** Throws a `configuration` error for what no request can go to. */
function checkAddress(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return;
  throw new TurnstoneError('configuration', `“${baseUrl}” is not an address of the API: it begins with https:// or http:// and names a server. Nothing was sent. Correct ANTHROPIC_BASE_URL or the setting “turnstone.baseUrl”.`);
}

function callOptions(body: ModelRequest & { readonly stream: boolean }, { signal, newConnection }: ModelCallOptions) {
  return { body: requestBytes(body), stream: body.stream, signal, headers: { 'content-type': 'application/json', ...(newConnection && { connection: 'close' }) }, maxRetries: 0, timeout: timeoutMs };
}

/** The same, with everything that is thrown on the way as an ApiFailure. */
async function* withFailures(pieces: AsyncIterable<readonly RawStreamEvent[]>): AsyncGenerator<readonly RawStreamEvent[], void, void> {
  try {
    yield* pieces;
  } catch (thrown) {
    throw asFailure(thrown);
  }
}

function asFailure(thrown: unknown): ApiFailure {
  if (isApiFailure(thrown)) return thrown;
  if (thrown instanceof TurnstoneError) return apiFailure({ message: thrown.message, status: thrown.code === 'authentication' ? 401 : undefined, code: thrown.code === 'configuration' ? 'ERR_INVALID_SETTINGS' : undefined, cause: thrown });
  if (!(thrown instanceof APIError)) return apiFailure({ message: String((thrown as Error)?.message ?? thrown), code: systemErrorCode(thrown) ?? 'CONNECTION', cause: thrown });
  const said = thrown as APIError;
  return apiFailure({
    message: said.apiMessage ?? said.message,
    status: said.status,
    errorType: said.type ?? undefined,
    code: said.status === undefined ? (systemErrorCode(said) ?? (said.type ? undefined : 'CONNECTION')) : undefined,
    headers: said.headers ? Object.fromEntries(said.headers.entries()) : undefined,
    requestId: said.requestID ?? undefined,
    cause: said,
  });
}
