import type { ApiAssistantMessage, RawStreamEvent } from '../protocol/messages.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../engine/ports.ts';
import type { AnthropicClientOptions } from './anthropicClient.ts';

/** Loads the model SDK with the first request, or earlier when told that one is near: it is the heaviest part of a start. */
export class LazyAnthropicClient implements ModelClient {
  readonly #options: AnthropicClientOptions;
  #client: Promise<ModelClient> | undefined;

  constructor(options: AnthropicClientOptions) {
    this.#options = options;
  }

  async stream(request: ModelRequest, options: ModelCallOptions): Promise<AsyncIterable<readonly RawStreamEvent[]>> {
    return (await this.#load()).stream(request, options);
  }

  async complete(request: ModelRequest, options: ModelCallOptions): Promise<ApiAssistantMessage> {
    return (await this.#load()).complete(request, options);
  }

  #load(): Promise<ModelClient> {
    return (this.#client ??= import('./anthropicClient.ts').then(({ AnthropicClient }) => new AnthropicClient(this.#options)));
  }
}
