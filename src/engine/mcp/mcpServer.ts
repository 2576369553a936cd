import { raceAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { TurnstoneError, errorText, isTurnstoneError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { McpResult, McpServerStatus, McpToolInfo } from '../../protocol/mcp.ts';
import type { McpConnection, McpConnector } from '../ports.ts';
import { expandVariables } from './expandVariables.ts';
import type { Variables } from './expandVariables.ts';
import type { ConfiguredServer } from './mcpSources.ts';

export interface McpServerWorld {
  readonly connector: McpConnector;
  readonly variables: Variables;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds until a server has to have answered its greeting, and a call. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** How one server stands. */
export interface McpServerInfo {
  readonly configured: ConfiguredServer;
  readonly status: McpServerStatus;
  readonly problem?: string | undefined;
  /** As the model knows them. */
  readonly tools: readonly string[];
}

export interface ServerCall {
  readonly tool: string;
  readonly input: { readonly [field: string]: unknown };
  readonly onProgress: (text: string) => void;
}

/** Milliseconds that a turn waits for a server that is being started. */
const patienceMs = 5_000;
/** Starts in a row that failed, after which only the user tries again. */
const maxFailures = 3;

/** One server, from its start over its losses to its end. Nothing here rejects but a call. */
export class McpServer {
  readonly configured: ConfiguredServer;
  readonly #world: McpServerWorld;
  readonly #after: Promise<void> | undefined;
  #status: Extract<McpServerStatus, 'pending' | 'connected' | 'failed' | 'needs-auth'> = 'pending';
  #problem: string | undefined;
  #tools: readonly McpToolInfo[] = [];
  #connection: McpConnection | undefined;
  #attempt: Promise<void> | undefined;
  #listing: Promise<void> | undefined;
  /** Starts that nobody waits for any more, until nothing is left of them. */
  readonly #abandoned = new Set<Promise<void>>();
  #controller = new AbortController();
  #failures = 0;
  #waitUntil = 0;
  #isClosed = false;

  /** `after`: what has to be gone before it may start. */
  constructor(configured: ConfiguredServer, world: McpServerWorld, after?: Promise<void>) {
    this.configured = configured;
    this.#world = world;
    this.#after = after;
  }

  get status(): McpServerStatus {
    return this.#status;
  }

  /** Why it is not there. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Those that it had last: one that is started again soon keeps its place in what the model is told. */
  get tools(): readonly McpToolInfo[] {
    return this.#tools;
  }

  /** What a turn should wait for, and until when (milliseconds since 1970). */
  get unsettled(): { readonly settled: Promise<void>; readonly until: number } | undefined {
    const settled = this.#attempt ?? this.#listing;
    return settled && { settled, until: this.#waitUntil };
  }

  /** Starts it, unless it runs, or has failed too often. */
  revive(): void {
    if (this.#connection || this.#failures >= maxFailures) return;
    void this.connect();
  }

  connect(): Promise<void> {
    if (this.#connection || this.#isClosed) return Promise.resolve();
    // A turn waits for what is new or was there; what has never worked it does not wait for again.
    if (!this.#attempt && (this.#failures === 0 || this.#tools.length > 0)) this.#waitUntil = this.#world.clock.now() + patienceMs;
    return (this.#attempt ??= this.#connect().finally(() => (this.#attempt = undefined)));
  }

  /** Rejects with a TurnstoneError that tells the model what is wrong. One that was lost is started again first. */
  async call({ tool, input, onProgress }: ServerCall, signal: AbortSignal): Promise<McpResult> {
    if (!this.#connection) await raceAbort(this.connect(), signal);
    const connection = this.#connection;
    if (!connection) throw new TurnstoneError('network', `The MCP server “${this.configured.name}” is not there. ${this.#problem ?? ''} Nothing was done. Go on without it, or ask the user.`);
    try {
      return await connection.callTool({ name: tool, input, timeoutMs: this.#world.callTimeoutMs, onProgress }, signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      throw new TurnstoneError('network', `The MCP server “${this.configured.name}” did not carry out ${tool}: ${errorText(thrown)} Whether it did a part of it is not known.`, { cause: thrown });
    }
  }

  /** Resolves when its program is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#controller.abort('closed');
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([this.#attempt, connection?.close()]);
    await Promise.all(this.#abandoned);
  }

  async #connect(): Promise<void> {
    const { clock, startTimeoutMs, log } = this.#world;
    const controller = (this.#controller = new AbortController());
    const timer = clock.setTimeout(() => controller.abort('timeout'), startTimeoutMs);
    // Of one that has failed it is known how it stands, until it is there after all.
    if (this.#failures === 0) this.#status = 'pending';
    try {
      await this.#after;
      const connection = await this.#open(controller.signal);
      if (this.#isClosed) return await connection.close();
      this.#connection = connection;
      this.#status = 'connected';
      this.#problem = undefined;
      this.#failures = 0;
    } catch (thrown) {
      this.#failures++;
      this.#status = isTurnstoneError(thrown) && thrown.code === 'authentication' ? 'needs-auth' : 'failed';
      this.#problem = controller.signal.reason === 'timeout' ? `It did not answer within ${startTimeoutMs / 1_000} s.` : errorText(thrown);
      log.warn(`MCP server “${this.configured.name}”: ${this.#problem}`);
    } finally {
      timer.dispose();
    }
  }

  async #open(signal: AbortSignal): Promise<McpConnection> {
    const { connector, variables, cwd, roots } = this.#world;
    const { name, config } = this.configured;
    const expanded = expandVariables(config, variables);
    if ('missing' in expanded) throw new TurnstoneError('configuration', `It needs ${expanded.missing.map((each) => `\${${each}}`).join(', ')}, which ${expanded.missing.length === 1 ? 'has' : 'have'} no value. Set the variable, or write a value for when it is missing: \${${expanded.missing[0]}:-…}.`);
    // Lost or changed before it was handed over.
    let connection: McpConnection | undefined = undefined;
    let lost: string | undefined;
    let isListOld = false;
    const onLost = (why: string): void => {
      lost = why;
      if (connection === undefined || this.#connection !== connection) return;
      this.#connection = undefined;
      this.#status = 'failed';
      this.#problem = why;
    };
    const onToolsChanged = (): void => {
      isListOld = true;
      if (connection !== undefined && this.#connection === connection) void this.#list(connection);
    };
    connection = await this.#orAbandon(connector.connect({ name, config: expanded.server }, { cwd, roots, signal, onLost, onToolsChanged }), signal);
    try {
      this.#tools = await connection.listTools(signal);
      if (isListOld) this.#tools = await connection.listTools(signal);
      if (lost !== undefined) throw new TurnstoneError('network', lost);
      return connection;
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  /** Whoever waits goes on at once; what was begun is ended behind their back. */
  async #orAbandon(opening: Promise<McpConnection>, signal: AbortSignal): Promise<McpConnection> {
    try {
      return await raceAbort(opening, signal);
    } catch (thrown) {
      const gone = opening.then((connection) => connection.close(), () => {}).finally(() => this.#abandoned.delete(gone));
      this.#abandoned.add(gone);
      throw thrown;
    }
  }

  /** It has other tools now. The next turn has them. */
  async #list(connection: McpConnection): Promise<void> {
    const { clock, log } = this.#world;
    this.#waitUntil = clock.now() + patienceMs;
    const listing = (this.#listing ?? Promise.resolve())
      .then(() => connection.listTools(this.#controller.signal))
      .then(
        (tools) => void (this.#tools = tools),
        (thrown: unknown) => log.warn(`The tools of the MCP server “${this.configured.name}” could not be listed again: ${errorText(thrown)}`),
      );
    this.#listing = listing;
    await listing;
    if (this.#listing === listing) this.#listing = undefined;
  }
}
