import type { Clock } from '../base/abort.ts';
import type { AskUser } from '../protocol/userQuestions.ts';
import type { CostTracker } from './cost/costTracker.ts';
import type { RequestRepairs } from './model/requestRepairs.ts';
import type { FileHistory } from './fileHistory/fileHistory.ts';
import type { Digest, Documents, Environment, FileSystem, Git, LanguageServices, ModelClient, Search, Shell, TextEncodings, SessionTelemetry, WebFetcher } from './ports.ts';
import type { McpServers } from './mcp/mcpServers.ts';
import type { SessionPermissions } from './permissions/sessionPermissions.ts';
import type { SessionConfig } from './session.ts';
import type { StartSubAgent } from './subAgents/subAgent.ts';
import type { BackgroundShells } from './tools/backgroundShells.ts';
import type { ReadFileState } from './tools/readFileState.ts';
import type { Tool } from './tools/tool.ts';
import type { LoadedTranscript } from './transcript/loadTranscript.ts';
import type { TranscriptStore } from './transcript/transcriptStore.ts';

/** Everything a session is made of; put together in one place, `sdk/createEngine.ts`. */
export interface EngineParts {
  readonly config: SessionConfig;
  readonly sessionId: string;
  readonly permissions: SessionPermissions;
  readonly client: ModelClient;
  /** For messages: "https://api.anthropic.com". */
  readonly endpointName: string;
  /** These and what else reads refuse what a rule denies (`permissions/guardPorts.ts`). */
  readonly files: FileSystem;
  readonly documents: Documents;
  readonly shell: Shell;
  readonly search: Search;
  readonly git: Git;
  readonly digest: Digest;
  readonly encodings?: TextEncodings | undefined;
  readonly clock: Clock;
  /** 0..1, for jitter. */
  readonly random: () => number;
  readonly environment: Environment;
  /** Built in; those of its MCP servers come beside them: {@link toolsOf}. */
  readonly tools: readonly Tool[];
  /** Undefined where there can be none, and for a sub-agent, whose tools include those of the session. */
  readonly mcp?: McpServers | undefined;
  readonly backgroundShells: BackgroundShells;
  readonly startSubAgent?: StartSubAgent | undefined;
  readonly askUser?: AskUser | undefined;
  readonly languageServices?: LanguageServices | undefined;
  readonly webFetcher?: WebFetcher | undefined;
  readonly store: TranscriptStore;
  /** Of a sub-agent: the transcript of the session, where its costs are noted. */
  readonly sessionStore?: TranscriptStore | undefined;
  /** Without it nothing is measured. */
  readonly telemetry?: SessionTelemetry | undefined;
  readonly history: FileHistory;
  readonly cost: CostTracker;
  readonly readFileState: ReadFileState;
  /** What the session has learnt from refused requests. */
  readonly repairs: RequestRepairs;
  /** Of a resumed session. */
  readonly loaded?: LoadedTranscript | undefined;
  /** Why nothing may be said or changed: another process has the session. Undefined: it may. */
  readonly readOnly?: string | undefined;
  /** It is a session of Claude Code: read, never written. */
  readonly isForeign?: boolean | undefined;
  /** To be shown once: lines that could not be read, rewinds that were finished. */
  readonly notices: readonly string[];
}

/** What the model is offered in the turn that runs: the same list as long as nothing in it has changed. What comes and goes stands behind what stays. */
export function toolsOf({ tools, mcp }: Pick<EngineParts, 'tools' | 'mcp'>): readonly Tool[] {
  if (mcp === undefined || mcp.tools.length === 0) return tools;
  let list = joined.get(mcp.tools);
  if (!list) joined.set(mcp.tools, (list = [...tools, ...mcp.tools]));
  return list;
}

/** By what is put behind the others: one session has it. */
const joined = new WeakMap<readonly Tool[], readonly Tool[]>();
