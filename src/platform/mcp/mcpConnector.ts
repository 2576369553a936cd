import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, SdkError, SdkErrorCode, SdkHttpError, StreamableHTTPClientTransport, UnauthorizedError, deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { raceAbort } from '../../base/abort.ts';
import { TurnstoneError, abortedError, errorText, isAborted, systemErrorCode } from '../../base/errors.ts';
import { cutText } from '../../base/text.ts';
import type { McpConnectOptions, McpConnection, McpConnector } from '../../engine/ports.ts';
import type { McpServerConfig, McpToolInfo } from '../../protocol/mcp.ts';
import { anyResult, toResult, toToolPage } from './mcpResults.ts';
import { ServerProcess, whyNotStarted } from './serverProcess.ts';
import type { ServerProgram } from './serverProcess.ts';

export interface McpConnectorOptions extends Pick<ServerProgram, 'keepVariables' | 'onStart'> {
  readonly version: string;
}

/** Milliseconds. Whoever waits for an answer says how long; the library would give up after a minute of its own accord. */
const noTimeout = 0x7fff_ffff;
/** UTF-16 units of what a server says went wrong: it may be a whole page. */
const maxError = 1_000;
/** A server whose list has no end. */
const maxPages = 64;
/** Milliseconds for a server to hear that we are leaving. */
const farewellMs = 1_000;

export function createMcpConnector(options: McpConnectorOptions): McpConnector {
  return {
    async connect({ name, config }, connectOptions) {
      const link = config.type === 'stdio' ? new StdioLink(await startProgram(name, config, { options, connectOptions })) : new HttpLink(config);
      const { signal, roots } = connectOptions;
      const client = new Client({ name: 'turnstone', version: options.version }, { capabilities: { roots: {} } });
      client.setRequestHandler('roots/list', () => ({ roots: roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) })) }));
      client.setNotificationHandler('notifications/tools/list_changed', () => connectOptions.onToolsChanged());
      try {
        await raceAbort(client.connect(link.transport, { signal, timeout: noTimeout }), signal);
      } catch (thrown) {
        await link.end();
        throw signal.aborted ? abortedError(signal.reason) : failure(thrown, link);
      }
      return new Connection(client, link, connectOptions.onLost);
    },
  };
}

/** What carries the messages. */
interface Link {
  readonly transport: Transport;
  /** How it broke off, as far as it knows more than the error says. */
  readonly ending: string | undefined;
  end(): Promise<void>;
}

class Connection implements McpConnection {
  readonly #client: Client;
  readonly #link: Link;
  readonly #onLost: (why: string) => void;
  #isOver = false;

  constructor(client: Client, link: Link, onLost: (why: string) => void) {
    this.#client = client;
    this.#link = link;
    this.#onLost = onLost;
    client.onclose = () => this.#lose(`it ended (${link.ending ?? 'the connection was closed'})`);
  }

  async listTools(signal: AbortSignal) {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: McpToolInfo[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages === 0 || (cursor !== undefined && pages < maxPages); pages++) {
      const params = cursor === undefined ? {} : { cursor };
      const page = toToolPage(await this.#ask(() => this.#client.request({ method: 'tools/list', params }, anyResult, { signal, timeout: noTimeout }), signal));
      tools.push(...page.tools);
      cursor = page.next;
    }
    return tools;
  }

  async callTool({ name, input, timeoutMs, onProgress }: Parameters<McpConnection['callTool']>[0], signal: AbortSignal) {
    const onprogress = ({ message, progress, total }: { readonly message?: string | undefined; readonly progress: number; readonly total?: number | undefined }): void =>
      onProgress(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`));
    const call = this.#client.request({ method: 'tools/call', params: { name, arguments: input } }, anyResult, { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress });
    return toResult(await this.#ask(() => call, signal));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#client.onclose = () => {};
    await this.#link.end();
    await this.#client.close().catch(() => {});
  }

  async #ask<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await raceAbort(request(), signal);
    } catch (thrown) {
      if (signal.aborted || isAborted(thrown)) throw abortedError(signal.reason);
      const problem = failure(thrown, this.#link);
      if (isBrokenOff(thrown)) this.#lose(problem.message);
      throw problem;
    }
  }

  #lose(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onLost(why);
    void this.close();
  }
}

class StdioLink implements Link {
  readonly transport: Transport;
  readonly #process: ServerProcess;

  constructor(process: ServerProcess) {
    this.#process = process;
    const transport: Transport = {
      start: async () => {
        process.onLine = (line) => {
          try {
            transport.onmessage?.(deserializeMessage(line));
          } catch (thrown) {
            // No message: many programs print a word of greeting.
            transport.onerror?.(thrown as Error);
          }
        };
        process.onExit = () => transport.onclose?.();
      },
      send: (message: JSONRPCMessage) => process.write(serializeMessage(message)),
      close: async () => {
        await process.end();
        transport.onclose?.();
      },
    };
    this.transport = transport;
  }

  get ending(): string | undefined {
    return this.#process.hasExited ? this.#process.ending : undefined;
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}

class HttpLink implements Link {
  readonly transport: StreamableHTTPClientTransport;
  readonly ending = undefined;

  constructor({ url, headers }: Extract<McpServerConfig, { type: 'http' }>) {
    if (!URL.canParse(url)) throw new TurnstoneError('configuration', `“${url}” is not an address.`);
    this.transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } }, fetch: (target, init) => fetch(target, { ...init, headers: [...new Headers(init?.headers)] }) });
  }

  async end(): Promise<void> {
    await raceAbort(this.transport.terminateSession(), AbortSignal.timeout(farewellMs)).catch(() => {});
    await this.transport.close().catch(() => {});
  }
}

async function startProgram(name: string, config: Extract<McpServerConfig, { type: 'stdio' }>, { options, connectOptions }: { readonly options: McpConnectorOptions; readonly connectOptions: McpConnectOptions }): Promise<ServerProcess> {
  const program: ServerProgram = { ...config, ...options, cwd: connectOptions.cwd, title: `MCP server “${name}”: ${[config.command, ...config.args].join(' ')}` };
  try {
    return await ServerProcess.start(program);
  } catch (thrown) {
    throw new TurnstoneError('configuration', `It could not be started: ${whyNotStarted(thrown, program)}.`, { cause: thrown });
  }
}

function failure(thrown: unknown, link: Link): TurnstoneError {
  if (thrown instanceof UnauthorizedError || (thrown instanceof SdkHttpError && (thrown.status === 401 || thrown.status === 403))) {
    return new TurnstoneError('authentication', 'It wants to know who you are. Put the key or token that it asks for into its "headers".', { cause: thrown });
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return new TurnstoneError('network', 'It did not answer in time.', { cause: thrown });
  if (link.ending !== undefined) return new TurnstoneError('network', `It ended (${link.ending}).`, { cause: thrown });
  if (thrown instanceof TurnstoneError) return thrown;
  const code = systemErrorCode(thrown);
  if (code !== undefined && thrown instanceof TypeError) return new TurnstoneError('network', `It cannot be reached (${code}).`, { cause: thrown });
  return new TurnstoneError('network', cutText(errorText(thrown), maxError), { cause: thrown });
}

/** Nothing more will come over this connection; a new one may work. */
function isBrokenOff(thrown: unknown): boolean {
  if (thrown instanceof SdkHttpError) return thrown.status === 404 || thrown.status === 400;
  if (thrown instanceof SdkError) return thrown.code === SdkErrorCode.ConnectionClosed || thrown.code === SdkErrorCode.NotConnected || thrown.code === SdkErrorCode.SendFailed;
  return thrown instanceof TypeError;
}
