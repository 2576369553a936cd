import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIError } from '@anthropic-ai/sdk/core/error';
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages';
import { TurnstoneError, systemErrorCode } from '../base/errors.ts';
import { STREAM_EMPTY, apiFailure, isApiFailure } from '../protocol/apiFailure.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../engine/ports.ts';
import type { ApiFailure } from '../protocol/apiFailure.ts';
import type { RawStreamEvent } from '../protocol/messages.ts';
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
    if (options.refreshCredentials) this.#client = undefined;
    const client = await (this.#client ??= this.#connect());
    try {
      const body = { ...request, stream: true } as unknown as MessageCreateParamsStreaming;
      const headers = options.newConnection ? { connection: 'close' } : {};
      const { data, response } = await client.messages.create(body, { signal: options.signal, headers, maxRetries: 0, timeout: timeoutMs }).withResponse();
      const contentType = response.headers.get('content-type') ?? '';
      if (contentType && !contentType.includes('text/event-stream')) {
        data.controller.abort();
        throw apiFailure({ message: `it sent ${contentType.split(';')[0]}`, code: STREAM_EMPTY, status: undefined });
      }
      return withFailures(data as AsyncIterable<unknown> as AsyncIterable<RawStreamEvent>);
    } catch (thrown) {
      throw asFailure(thrown);
    }
  }

  async #connect(): Promise<MessagesClient> {
    const apiKey = await this.#options.apiKey();
    if (!apiKey) {
      this.#client = undefined;
      throw new TurnstoneError('authentication', 'There is no API key. Set one with “Turnstone: Set API Key…” or in ANTHROPIC_API_KEY.');
    }
    return new MessagesClient({ fetch: nodeFetch, baseURL: this.#options.baseUrl, apiKey, authToken: null, maxRetries: 0, timeout: timeoutMs });
  }
}

/** Not a generator: one more of those for each piece of text is felt. */
function withFailures(events: AsyncIterable<RawStreamEvent>): AsyncIterable<RawStreamEvent> {
  const fail = (thrown: unknown): never => {
    throw asFailure(thrown);
  };
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        next: () => iterator.next().catch(fail),
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

function asFailure(thrown: unknown): ApiFailure {
  if (isApiFailure(thrown)) return thrown;
  if (thrown instanceof TurnstoneError) return apiFailure({ message: thrown.message, status: thrown.code === 'authentication' ? 401 : undefined, cause: thrown });
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
