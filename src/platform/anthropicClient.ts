import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIError } from '@anthropic-ai/sdk/core/error';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages';
import type { MessageCreateParamsNonStreaming, MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages';
import { TurnstoneError, systemErrorCode } from '../base/errors.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import { STREAM_CUT, STREAM_EMPTY, apiFailure, isApiFailure } from '../protocol/apiFailure.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../engine/ports.ts';
import type { ApiFailure } from '../protocol/apiFailure.ts';
import type { ApiAssistantMessage, RawStreamEvent } from '../protocol/messages.ts';
import { nodeFetch } from './nodeFetch.ts';

export interface AnthropicClientOptions {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<string | undefined>;
}

/** Only what we use of the SDK: half the start-up of the whole client. */
class MessagesClient extends BaseAnthropic {
  messages = new Messages(this);
}

/**
 * Upper bound for the headers to come, in milliseconds. The idle watchdog of the engine acts much sooner; this only
 * keeps the SDK from imposing a shorter one of its own.
 */
const timeoutMs = 10 * 60_000;

/** The model over HTTP. Retries are the engine's, so the SDK's are off; credentials are given, so it looks for none. */
export class AnthropicClient implements ModelClient {
  readonly #options: AnthropicClientOptions;
  #client: Promise<MessagesClient> | undefined;

  constructor(options: AnthropicClientOptions) {
    this.#options = options;
  }

  async stream(request: ModelRequest, options: ModelCallOptions): Promise<AsyncIterable<RawStreamEvent>> {
    try {
      const client = await this.#connected(options);
      const body = { ...request, stream: true } as unknown as MessageCreateParamsStreaming;
      const response = await client.messages.create(body, callOptions(options)).asResponse();
      const contentType = response.headers.get('content-type') ?? '';
      if (contentType && !contentType.includes('text/event-stream')) throw apiFailure({ message: `it sent ${contentType.split(';')[0]}`, code: STREAM_EMPTY });
      return readEvents(response);
    } catch (thrown) {
      throw asFailure(thrown);
    }
  }

  async complete(request: ModelRequest, options: ModelCallOptions): Promise<ApiAssistantMessage> {
    try {
      const client = await this.#connected(options);
      const body = { ...request, stream: false } as unknown as MessageCreateParamsNonStreaming;
      return (await client.messages.create(body, callOptions(options))) as unknown as ApiAssistantMessage;
    } catch (thrown) {
      throw asFailure(thrown);
    }
  }

  /** Not remembered when it fails: the next request asks for the key again. */
  async #connected({ refreshCredentials }: ModelCallOptions): Promise<MessagesClient> {
    if (refreshCredentials) this.#client = undefined;
    try {
      return await (this.#client ??= this.#connect());
    } catch (thrown) {
      this.#client = undefined;
      throw thrown;
    }
  }

  async #connect(): Promise<MessagesClient> {
    const apiKey = (await this.#options.apiKey())?.trim();
    checkAddress(this.#options.baseUrl);
    if (!apiKey) throw new TurnstoneError('authentication', 'There is no API key. Set one with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.');
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TurnstoneError('authentication', 'The API key holds a space or a character that no key has, so nothing was sent. Copy it anew and set it with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.');
    return new MessagesClient({ fetch: nodeFetch, baseURL: this.#options.baseUrl, apiKey, authToken: null, maxRetries: 0, timeout: timeoutMs });
  }
}

/** Throws a `configuration` error for what no request can go to. */
function checkAddress(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return;
  throw new TurnstoneError('configuration', `“${baseUrl}” is not an address of the API: it begins with https:// or http:// and names a server. Nothing was sent. Correct ANTHROPIC_BASE_URL or the setting “turnstone.baseUrl”.`);
}

/** The time-out is given with each request: without it the SDK refuses long answers that are not streamed. */
function callOptions({ signal, newConnection }: ModelCallOptions) {
  return { signal, headers: newConnection ? { connection: 'close' } : {}, maxRetries: 0, timeout: timeoutMs };
}

/** The events of the API in the body of an answer, whatever pieces it comes in. */
export function readEvents(response: Response): AsyncIterable<RawStreamEvent> {
  return withFailures(Stream.rawEvents(response));
}

type ServerSentEvent = ReturnType<typeof Stream.rawEvents> extends AsyncGenerator<infer Event, unknown, unknown> ? Event : never;

/**
 * The events of the API from those of the wire. The SDK's own reading of them drops events without a name and pings.
 * Not a generator: one more of those for each piece of text is felt.
 */
function withFailures(events: AsyncGenerator<ServerSentEvent, unknown, unknown>): AsyncIterable<RawStreamEvent> {
  const fail = (thrown: unknown): never => {
    throw asFailure(thrown);
  };
  const next = async (): Promise<IteratorResult<RawStreamEvent>> => {
    for (;;) {
      const step = await events.next().catch(fail);
      if (step.done) return { done: true, value: undefined };
      const event = parseEvent(step.value);
      if (event) return { done: false, value: event };
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => {
        await events.return(undefined);
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Undefined for what carries nothing. Throws an ApiFailure for what is not JSON: bytes were lost or put in between. */
function parseEvent({ event, data }: ServerSentEvent): RawStreamEvent | undefined {
  if (data.trim() === '' || data === '[DONE]') return event === 'ping' ? { type: 'ping' } : undefined;
  const parsed = tryParseJson(data);
  if (isJsonObject(parsed) && typeof parsed['type'] === 'string') return parsed as RawStreamEvent;
  if (event === 'error') return { type: 'error', error: { type: 'api_error', message: cutText(data, 400) } };
  if (isJsonObject(parsed)) return event === null ? undefined : { ...parsed, type: event };
  throw apiFailure({ message: `the stream held something that is not JSON: ${cutText(data, 80)}`, code: STREAM_CUT });
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
