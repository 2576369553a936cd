import { sleep } from '../../base/abort.ts';
import { TurnstoneError, errorText, isAborted } from '../../base/errors.ts';
import type { McpResult, McpToolInfo } from '../../protocol/mcp.ts';
import type { AskUser } from '../../protocol/userQuestions.ts';
import type { Digest, FileSystem } from '../ports.ts';
import type { Tool } from '../tools/tool.ts';
import { McpConsent } from './mcpConsent.ts';
import type { ConsentAnswer } from './mcpConsent.ts';
import { McpServer } from './mcpServer.ts';
import type { McpServerInfo, McpServerWorld, ServerCall } from './mcpServer.ts';
import { readMcpConfiguration } from './mcpSources.ts';
import type { ConfiguredServer, McpPlaces } from './mcpSources.ts';
import { mcpTool } from './mcpTool.ts';
import { serverNames, toolNames } from './mcpToolNames.ts';
import { absentText, consentQuestions, mcpText, startsText, undecidedText, waitingText } from './mcpTexts.ts';

export interface McpParts extends McpPlaces, McpServerWorld {
  readonly files: FileSystem;
  readonly digest: Digest;
  /** False: no server is started. */
  readonly trusted: boolean;
  /** Asked about the servers that come with a project; without it the user has to write a command. */
  readonly askUser: AskUser | undefined;
}

/** Servers that one card asks about. */
const maxQuestions = 4;

/**
 * The MCP servers of a session. They are started in the background when it opens; what changed in the configuration and
 * who was lost is looked at when a turn begins. Within a turn the tools stay the same.
 */
export class McpServers {
  readonly #parts: McpParts;
  readonly #consent: McpConsent;
  readonly #servers = new Map<string, McpServer>();
  /** Named in the configuration and not running: the user said no, or nothing yet. */
  #idle: readonly { readonly configured: ConfiguredServer; readonly status: 'disabled' | 'needs-approval' }[] = [];
  #problems: readonly string[] = [];
  #tools: readonly Tool[] = [];
  #toolsKey = '[]';
  /** What was told already. */
  readonly #told = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #end = new AbortController();
  /** Programs that are being ended, by the server's name. */
  readonly #ending = new Map<string, Promise<void>>();
  #reloading: Promise<void> = Promise.resolve();

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#consent = new McpConsent(parts);
  }

  /** Of the turn that runs, always in the same order: who was late or is gone for a while moves nobody else. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** By name. */
  get list(): readonly McpServerInfo[] {
    const running = [...this.#servers.values()].map((server) => ({ configured: server.configured, status: server.status, problem: server.problem, tools: [...this.#toolsOf(server).keys()] }));
    return [...running, ...this.#idle.map((each) => ({ ...each, tools: [] }))].toSorted((one, other) => (one.configured.name < other.configured.name ? -1 : 1));
  }

  /** Starts the servers. Does not wait for them. */
  start(): void {
    void this.#reload();
  }

  /** Brings everything up to date, waits a moment for who is being started, and fixes the tools of the turn. Returns what the user has to hear. Never rejects. */
  async beginTurn(signal: AbortSignal): Promise<readonly string[]> {
    if (!this.#parts.trusted) return [];
    await this.#reload();
    for (const server of this.#servers.values()) server.revive();
    await this.#wait(signal);
    this.#fixTools();
    this.#ask();
    return this.#news();
  }

  /** `/mcp`: lists them, or does as it is told. */
  async command(args: string): Promise<string> {
    if (!this.#parts.trusted) return 'This workspace is not trusted, so no MCP server is started in it.';
    await this.#reload();
    const [, verb, name] = /^(enable|disable|reconnect)(?:\s+(.+))?$/s.exec(args.trim()) ?? [];
    if (verb === undefined) {
      await this.#wait(this.#end.signal);
      return mcpText(this.list, this.#problems, this.#parts.cwd);
    }
    const known = this.list.find(({ configured }) => configured.name === name?.trim())?.configured;
    if (!known) return `Say which server: ${this.list.map(({ configured }) => configured.name).join(', ') || 'none is configured here'}.`;
    if (verb === 'reconnect') await this.#startAnew(known.name);
    else await this.#decide(known, verb === 'enable' ? 'yes' : 'no');
    await this.#wait(this.#end.signal);
    return mcpText(this.list.filter(({ configured }) => configured.name === known.name), [], this.#parts.cwd);
  }

  /** Resolves when no program runs any more. */
  async dispose(): Promise<void> {
    this.#end.abort('disposed');
    await this.#reloading;
    await Promise.all([...[...this.#servers.values()].map((server) => server.close()), ...this.#ending.values()]);
  }

  /** One at a time. */
  #reload(): Promise<void> {
    return (this.#reloading = this.#reloading.then(() => this.#readAnew()).catch((thrown: unknown) => this.#parts.log.error(`The configuration of MCP servers could not be read: ${errorText(thrown)}`)));
  }

  async #readAnew(): Promise<void> {
    if (!this.#parts.trusted || this.#end.signal.aborted) return;
    const [{ servers, choices, problems }] = await Promise.all([readMcpConfiguration(this.#parts), this.#consent.refresh()]);
    this.#problems = problems;
    const allowed = servers.filter((server) => this.#consent.allows(server, choices) === true);
    this.#idle = servers.filter((server) => !allowed.includes(server)).map((configured) => ({ configured, status: this.#consent.allows(configured, choices) === false ? 'disabled' : 'needs-approval' }));
    for (const [name, server] of this.#servers) {
      const same = allowed.find((each) => each.name === name && JSON.stringify(each.config) === JSON.stringify(server.configured.config));
      if (same) continue;
      this.#servers.delete(name);
      this.#endLater(name, server);
    }
    for (const configured of allowed) {
      if (this.#servers.has(configured.name)) continue;
      const server = new McpServer(configured, this.#parts, this.#ending.get(configured.name));
      this.#servers.set(configured.name, server);
      void server.connect();
    }
  }

  /** No turn waits for it; one that takes its place does, for both may want the same files. */
  #endLater(name: string, server: McpServer): void {
    const ending = Promise.all([server.close(), this.#ending.get(name)]).then(() => {
      if (this.#ending.get(name) === ending) this.#ending.delete(name);
    });
    this.#ending.set(name, ending);
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const unsettled = [...this.#servers.values()].flatMap((server) => server.unsettled ?? []).filter(({ until }) => until > clock.now());
    if (unsettled.length === 0) return;
    const patience = new AbortController();
    const until = Math.max(...unsettled.map((each) => each.until));
    const late = sleep(until - clock.now(), AbortSignal.any([signal, patience.signal]), clock).catch((thrown: unknown) => {
      if (!isAborted(thrown)) throw thrown;
    });
    await Promise.race([Promise.all(unsettled.map(({ settled }) => settled)), late]);
    patience.abort();
  }

  /** The same tools stay the same objects: what is worked out of them is worked out once. */
  #fixTools(): void {
    const named = [...this.#servers.values()].flatMap((server) => [...this.#toolsOf(server)].map(([name, info]) => ({ name, info, server: server.configured.name })));
    const sorted = named.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const key = JSON.stringify(sorted);
    if (key === this.#toolsKey) return;
    this.#toolsKey = key;
    this.#tools = sorted.map(({ name, info, server }) => mcpTool(name, info, (call, signal) => this.#call(server, call, signal)));
  }

  async #call(name: string, call: ServerCall, signal: AbortSignal): Promise<McpResult> {
    const server = this.#servers.get(name);
    if (!server) throw new TurnstoneError('configuration', `The MCP server “${name}” is not configured any more. Nothing was done. Go on without it.`);
    return server.call(call, signal);
  }

  /** By the names that the model knows. Of two of one name the first counts. */
  #toolsOf(server: McpServer): ReadonlyMap<string, McpToolInfo> {
    const { digest } = this.#parts;
    const namesOf = (isOfProject: boolean): readonly string[] => [...this.#servers.values()].flatMap(({ configured }) => ((configured.project !== undefined) === isOfProject ? configured.name : []));
    const part = serverNames(namesOf(false), namesOf(true), digest).get(server.configured.name)!;
    const names = toolNames(part, server.tools.map(({ name }) => name), digest);
    const tools = new Map<string, McpToolInfo>();
    for (const info of server.tools) if (!tools.has(names.get(info.name)!)) tools.set(names.get(info.name)!, info);
    return tools;
  }

  async #startAnew(name: string): Promise<void> {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    if (server) this.#endLater(name, server);
    await this.#reload();
  }

  async #decide(server: ConfiguredServer, answer: ConsentAnswer): Promise<void> {
    await this.#consent.record(server, answer);
    await this.#reload();
  }

  /** Beside the turn: whoever does not answer is asked again in the next session. */
  #ask(): void {
    const { askUser, log } = this.#parts;
    const open = this.#undecided.filter(({ name }) => !this.#asked.has(name)).slice(0, maxQuestions);
    if (!askUser || open.length === 0) return;
    for (const { name } of open) this.#asked.add(name);
    const asking = async (): Promise<void> => {
      const answers = await askUser(consentQuestions(open), this.#end.signal);
      for (const [index, answer] of (answers ?? []).entries()) {
        const said = answer.chosen.includes(startsText) ? 'yes' : answer.chosen.length > 0 ? 'no' : undefined;
        if (said !== undefined) await this.#decide(open[index]!, said);
      }
    };
    void asking().catch((thrown: unknown) => {
      if (isAborted(thrown)) return;
      log.warn(errorText(thrown));
      this.#problems = [...this.#problems, errorText(thrown)];
    });
  }

  get #undecided(): readonly ConfiguredServer[] {
    return this.#idle.flatMap(({ configured, status }) => (status === 'needs-approval' ? [configured] : []));
  }

  /** Each thing once. */
  #news(): readonly string[] {
    const silent = [...this.#servers.values()].flatMap(({ configured, status, problem }) => (status === 'pending' ? [waitingText(configured.name)] : problem === undefined ? [] : [absentText(configured.name, problem)]));
    const undecided = this.#parts.askUser ? [] : this.#undecided.map(undecidedText);
    const news = [...this.#problems, ...silent, ...undecided].filter((text) => !this.#told.has(text));
    for (const text of news) this.#told.add(text);
    return news;
  }
}
