import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiError, MessagesRequest, WireBlock } from './apiTypes.ts';
import { apiErrorBody, invalidRequest } from './apiTypes.ts';
import { completeMessage } from './completeMessage.ts';
import { estimateTokens, PromptCacheSimulation } from './promptCacheSimulation.ts';
import { foldEvents, parseEventStream } from './readEventStream.ts';
import { ScriptQueue } from './scriptQueue.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';
import { sendTurn } from './sendTurn.ts';
import { SentMessages } from './sentMessages.ts';
import { validateHeaders } from './validateHeaders.ts';
import { validateRequest } from './validateRequest.ts';

export interface ScriptedServerOptions {
  /** The only key accepted; any if left out. */
  readonly expectedKey?: string | undefined;
  /** Which model names exist. `claude-*` and `turnstone-demo` unless given. */
  readonly knowsModel?: ((model: string) => boolean) | undefined;
  /** The prompt may be this many tokens (estimated at four bytes each); unlimited if left out. */
  readonly windowTokens?: number | undefined;
  readonly maxOutputTokens?: ((model: string) => number) | undefined;
  /** Usage counts cached prefixes as the API would. */
  readonly simulateCache?: boolean | undefined;
  /** Answers given out of turn, as often as they match: titles and other background requests. Tried before the script. */
  readonly aside?: readonly ScriptedTurn[] | undefined;
  /** Answers of an earlier server, so that a session can go on with this one. */
  readonly sent?: SentMessages | undefined;
  /** Called the moment a request has been read whole, before anything is answered. Must not be slow. */
  readonly onRequest?: ((request: LoggedRequest) => void) | undefined;
  /** Called for each problem the moment it is found. */
  readonly onProblem?: ((problem: string) => void) | undefined;
}

/** A request as it came in. `body` is undefined when it was not JSON. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: MessagesRequest;
  /** `Date.now()` when the last byte had come in. */
  readonly time: number;
  /** What it was refused with by the server's own rules. */
  refusal?: ApiError | undefined;
  /** Resolves when the response is over: `false` if the client left before its end. */
  readonly finished: Promise<boolean>;
}

export interface ScriptedServer {
  readonly url: string;
  /** Every request to `/v1/messages`, refused ones included. */
  readonly requests: readonly LoggedRequest[];
  /** What must not happen: malformed requests, unexpected requests, an exhausted script. */
  readonly problems: readonly string[];
  readonly sent: SentMessages;
  push(...turns: ScriptedTurn[]): void;
  /** The nth request, counted from 1, as soon as it is there. */
  waitForRequest(n: number): Promise<LoggedRequest>;
  /** Throws if there are problems or, unless allowed, unused turns. */
  assertClean(options?: { readonly allowUnused?: boolean }): void;
  close(): Promise<void>;
}

/**
 * A strict imitation of the Messages API on 127.0.0.1 that answers from a script, in order. Malformed requests get the
 * API's 400 and do not use up a turn; requests the script does not expect get a loud 500. Both are kept in `problems`.
 */
export async function startScriptedServer(turns: readonly ScriptedTurn[] = [], options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const host = new ScriptedHost(turns, options);
  const server = createServer((request, response) => void host.handle(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: host.requests,
    problems: host.problems,
    sent: host.sent,
    push: (...more) => host.script.push(...more),
    waitForRequest: n => host.waitForRequest(n),
    assertClean: ({ allowUnused = false } = {}) => {
      const unused = allowUnused ? [] : host.script.unused();
      const all = [...host.problems, ...unused];
      if (all.length > 0) throw new Error(`The scripted server has something against it:\n- ${all.join('\n- ')}`);
    },
    close: () => {
      host.closing.abort();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

class ScriptedHost {
  readonly requests: LoggedRequest[] = [];
  readonly problems: string[] = [];
  readonly closing = new AbortController();
  readonly script: ScriptQueue;
  readonly sent: SentMessages;
  private readonly options: ScriptedServerOptions;
  private readonly cache = new PromptCacheSimulation();
  private waiting: { readonly n: number; readonly resolve: (request: LoggedRequest) => void }[] = [];
  private answers = 0;
  private calls = 0;

  constructor(turns: readonly ScriptedTurn[], options: ScriptedServerOptions) {
    this.options = options;
    this.script = new ScriptQueue(turns, options.aside ?? []);
    this.sent = options.sent ?? new SentMessages();
  }

  waitForRequest(n: number): Promise<LoggedRequest> {
    const there = this.requests[n - 1];
    if (there !== undefined) return Promise.resolve(there);
    return new Promise(resolve => this.waiting.push({ n, resolve }));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const raw = await readAll(request);
      await this.answer(this.log(request, raw, response), response);
    } catch (error) {
      // A client that leaves in the middle is its own affair; anything else is a fault in a script.
      if (request.destroyed || response.destroyed) return;
      this.report(`answering failed: ${String(error)}`);
      response.destroy();
    }
  }

  private report(problem: string): void {
    this.problems.push(problem);
    this.options.onProblem?.(problem);
  }

  private log(request: IncomingMessage, raw: string, response: ServerResponse): LoggedRequest {
    const logged: LoggedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      raw,
      body: parse(raw) as MessagesRequest,
      time: Date.now(),
      finished: new Promise(resolve => response.once('close', () => resolve(response.writableFinished))),
    };
    this.requests.push(logged);
    this.options.onRequest?.(logged);
    const n = this.requests.length;
    for (const waiter of this.waiting.filter(each => each.n === n)) waiter.resolve(logged);
    this.waiting = this.waiting.filter(each => each.n !== n);
    return logged;
  }

  private async answer(request: LoggedRequest, response: ServerResponse): Promise<void> {
    const requestId = `req_${String(this.requests.length).padStart(4, '0')}`;
    const refusal = this.refusal(request);
    if (refusal !== undefined) {
      request.refusal = refusal;
      response.writeHead(refusal.status, { 'content-type': 'application/json', 'request-id': requestId });
      response.end(apiErrorBody(refusal, requestId));
      return;
    }
    const chosen = this.script.take(request.body);
    if (typeof chosen === 'string') {
      this.report(`request ${this.requests.length}: ${chosen}`);
      response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false', 'request-id': requestId });
      response.end(apiErrorBody({ type: 'api_error', message: `Scripted server: ${chosen}` }, requestId));
      return;
    }
    const message = this.complete(chosen, request.body);
    await sendTurn(response, { turn: chosen, message, stream: request.body.stream === true, requestId, signal: this.closing.signal });
  }

  private complete(chosen: ScriptedTurn, request: MessagesRequest): ReturnType<typeof completeMessage> | undefined {
    if (chosen.reply === undefined) return this.rememberRaw(chosen.raw, request);
    const reply = typeof chosen.reply === 'function' ? chosen.reply(request) : chosen.reply;
    this.answers += 1;
    const promptUsage = this.options.simulateCache === true ? this.cache.record(request) : undefined;
    const nextCallId = (): string => `toolu_${String((this.calls += 1)).padStart(4, '0')}`;
    const message = completeMessage(reply, { request, id: `msg_${String(this.answers).padStart(4, '0')}`, promptUsage, nextCallId });
    // Under the name in the request: an answer may name a dated version of the model that was asked for by its alias.
    this.sent.remember({ model: request.model, content: message.content });
    return message;
  }

  /** A recorded stream is an answer like any other, if it is whole; a broken one has nothing that could come back. */
  private rememberRaw(raw: ScriptedTurn['raw'], request: MessagesRequest): undefined {
    const content = typeof raw === 'string' ? contentOfStream(raw) : undefined;
    if (content !== undefined) this.sent.remember({ model: request.model, content });
  }

  private refusal(request: LoggedRequest): ApiError | undefined {
    if (request.method !== 'POST' || request.path.split('?')[0] !== '/v1/messages') {
      this.report(`unexpected ${request.method} ${request.path}`);
      return { status: 404, type: 'not_found_error', message: 'Not found' };
    }
    const refused = validateHeaders(request.headers, this.options.expectedKey);
    if (refused !== undefined) {
      if (refused.status === 400) this.report(refused.message);
      return refused;
    }
    return this.refusalOfBody(request);
  }

  private refusalOfBody({ body, raw, headers }: LoggedRequest): ApiError | undefined {
    const problem = validateRequest(body, {
      sent: this.sent,
      apiVersion: String(headers['anthropic-version']),
      beta: headers['anthropic-beta'] as string | undefined,
      maxOutputTokens: this.options.maxOutputTokens,
    });
    if (problem !== undefined) {
      this.report(`request ${this.requests.length} is malformed: ${problem}`);
      return invalidRequest(problem);
    }
    const knowsModel = this.options.knowsModel ?? ((model: string): boolean => /^claude-|^turnstone-demo$/.test(model));
    if (!knowsModel(body.model)) return { status: 404, type: 'not_found_error', message: `model: ${body.model}` };
    const most = this.options.windowTokens;
    const tokens = estimateTokens(raw);
    return most !== undefined && tokens > most ? invalidRequest(`prompt is too long: ${tokens} tokens > ${most} maximum`) : undefined;
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function contentOfStream(raw: string): readonly WireBlock[] | undefined {
  try {
    const { content } = foldEvents(parseEventStream(`${raw.trimEnd()}\n\n`));
    return content.every((block: unknown) => typeof block === 'object' && block !== null) ? content : undefined;
  } catch {
    return undefined;
  }
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

