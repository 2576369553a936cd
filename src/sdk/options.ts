import type { Clock } from '../base/abort.ts';
import type { Log } from '../base/log.ts';
import type { OwnPrices } from '../engine/cost/ownPrices.ts';
import type { Documents, LanguageServices, TreeNews, UserWrites } from '../engine/ports.ts';
import type { RetryPreferences } from '../engine/session.ts';
import type { WebSearchOptions } from '../engine/tools/webSearchTool.ts';
import type { PermissionRuleTexts } from '../protocol/permissionRules.ts';
import type { CanUseTool, PermissionMode } from '../protocol/permissions.ts';
import type { Mirror } from './mirror.ts';
import type { ReadFileState } from '../engine/tools/readFileState.ts';
import type { Effort, ThinkingChoice } from '../protocol/reasoning.ts';
import type { AskUser } from '../protocol/userQuestions.ts';

/** Where a model answers and how we show who we are. */
export interface Endpoint {
  /** Default: the Anthropic API. */
  readonly baseUrl?: string | undefined;
  /** Read again when the server refuses it, so that a new key is used without a restart. */
  readonly apiKey: () => Promise<string | undefined>;
  /** Said in system/init: "ANTHROPIC_API_KEY", "secret storage", "demo". */
  readonly apiKeySource: string;
}

export interface McpOptions {
  /** By name, as in a `.mcp.json`: {"command": …} or {"type": "http", "url": …}. Read at each turn. What is not right about one is said, and the others are used. */
  readonly servers?: (() => unknown) | undefined;
  /** Where the servers come from, for people. Default: "the options". */
  readonly source?: string | undefined;
  /** Milliseconds until a server has to have answered its greeting. Default: MCP_TIMEOUT of the environment, else 30,000. */
  readonly startTimeoutMs?: number | undefined;
  /** The same for a call of which nothing is heard. Default: MCP_TOOL_TIMEOUT, else ten minutes. */
  readonly callTimeoutMs?: number | undefined;
}

export interface EngineOptions {
  /** Absolute; fixed for the session. */
  readonly cwd: string;
  /** The workspace's folders; default: `cwd` alone. */
  readonly roots?: readonly string[] | undefined;
  readonly endpoint: Endpoint;
  /** Uuid for a new session; default: a random one. */
  readonly sessionId?: string | undefined;
  /** Continue this session: its uuid or the path of its transcript. */
  readonly resume?: string | undefined;
  /**
   * What to do with a session that another process has open: reject with `session_in_use`, or open it for reading only
   * (`Session.isReadOnly`). Default: fail.
   */
  readonly whenInUse?: 'fail' | 'readOnly' | undefined;
  /** Alias or id; default: what the resumed session used, else {@link DEFAULT_MODEL}. */
  readonly model?: string | undefined;
  readonly fallbackModel?: string | undefined;
  /** Default: what the resumed session used, else left to the model. */
  readonly thinking?: ThinkingChoice | undefined;
  readonly effort?: Effort | undefined;
  /** Ask a small model for a title of a new session, in the background. Default: false. */
  readonly titles?: boolean | undefined;
  /** What this host says to slash commands that only a host can carry out, by name: resume, rewind, fork. */
  readonly hostHelp?: { readonly [command: string]: string | undefined } | undefined;
  /** What the model is known to have read already; the session goes on with it, in place. Default: nothing. */
  readonly readFileState?: ReadFileState | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  /** Beside those of the settings files: `Bash(npm test:*)`, `Read(./.env)`. Paths count from `cwd`. */
  readonly permissionRules?: PermissionRuleTexts | undefined;
  readonly canUseTool: CanUseTool;
  /** Puts questions of the model to the user; without it the model is not offered to ask any. */
  readonly askUser?: AskUser | undefined;
  /** Yield `stream_event` messages, for hosts that show text as it comes. */
  readonly includePartialMessages?: boolean | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** Say so each time the session has cost another this many USD; nothing stops. Default: never. */
  readonly costReminderUsd?: number | undefined;
  /** Prices by model id, before those that Turnstone knows; what is not clear about them is said in `Session.notices`. See {@link OwnPrice}. */
  readonly prices?: OwnPrices | undefined;
  /** Window and output limit of a model, in tokens, where they are not what the catalog says: a gateway's, a model of your own. */
  readonly modelLimits?: ((model: string) => { readonly contextWindow: number; readonly maxOutput: number } | undefined) | undefined;
  /** Output tokens that one turn may use, all its requests together. */
  readonly maxOutputTokensPerTurn?: number | undefined;
  /** Nobody is there to look: rate limits and overload are waited out for ever. Default: false. */
  readonly unattended?: boolean | undefined;
  /** Asked before a wait of more than ten minutes; true waits. Without it such a request fails at once. */
  readonly confirmLongWait?: RetryPreferences['confirmLongWait'];
  readonly bare?: boolean | undefined;
  readonly trusted?: boolean | undefined;
  /** Default: `TURNSTONE_HOME`, else `~/.turnstone`. */
  readonly dataRoot?: string | undefined;
  /** Open editors with unsaved text; default: none. */
  readonly documents?: Documents | undefined;
  /** What watchers tell of the roots, so that less has to be looked at before a command. Default: all is looked at. */
  readonly news?: TreeNews | undefined;
  /** What the user does to files in the editor, so that it is not taken for a command's doing. Default: that can't be told apart. */
  readonly userWrites?: UserWrites | undefined;
  /** What the editor knows of the code; without it the tools that ask for it are not offered. */
  readonly languageServices?: LanguageServices | undefined;
  /** False: the model cannot fetch pages. Addresses of this machine and of local networks are refused unless allowed here. */
  readonly webFetch?: { readonly allowPrivateAddresses?: boolean | undefined } | false | undefined;
  /** Lets the model search the web through the API, which charges for each search and asks nobody. Default: false. */
  readonly webSearch?: boolean | WebSearchOptions | undefined;
  /** MCP servers beside those that files name; default: none. Nothing of them is started where the workspace is not trusted. */
  readonly mcp?: McpOptions | undefined;
  /** Commands, and servers that are started here, get no variables that are named like a secret (`…TOKEN`, `…PASSWORD`, `…API_KEY`), but for these. */
  readonly shellEnvironment?: { readonly keep: readonly string[] } | undefined;
  /** Tried in order before PATH. */
  readonly ripgrepCandidates?: readonly string[] | undefined;
  /** False: nothing is kept of what files held before the agent changed them, and going back says so. Default: true. */
  readonly fileHistory?: boolean | undefined;
  /** Keeps the session a second time, elsewhere. With `fetch`, a session to continue that is not here comes from there. Default: none. */
  readonly mirror?: (Pick<Mirror, 'touch'> & Partial<Pick<Mirror, 'fetch'>>) | undefined;
  readonly log?: Log | undefined;
  /**
   * Send numbers to an OpenTelemetry collector, as the OTEL_* variables say. No prompts, unless those ask for them. Default:
   * only with TURNSTONE_TELEMETRY=1 in the environment.
   */
  readonly telemetry?: boolean | undefined;
  /** Time, for tests and for hosts that bring their own. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** 0..1, for the jitter of waits. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}
