import type { Log } from '../base/log.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { SDKMessage, SessionMessage, ShownMessage, Todo } from '../protocol/messages.ts';
import type { RuleCheck, RuleLevel } from '../protocol/permissionRules.ts';
import type { CanUseTool, PermissionMode, PermissionRequest } from '../protocol/permissions.ts';
import type { Effort, ThinkingChoice } from '../protocol/reasoning.ts';
import type { AgentChange, RewindChoice, RewindOutcome, RewindPlan, RewindTarget, UndoSelection, WayBack } from '../protocol/rewind.ts';
import type { SlashCommandInfo } from './commands/slashCommand.ts';
import type { NextRequest } from './cost/costNotices.ts';
import type { CostSummary } from './cost/costSummary.ts';

/** How full the context window is, in tokens. */
export interface ContextUse {
  readonly used: number;
  /** What can be used before old messages are summarised: the very figure that triggers it. */
  readonly window: number;
}

/** What a host holds of one conversation. Implemented by `QueryEngine`. */
export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  readonly transcriptPath: string;
  readonly title: string;
  readonly model: string;
  readonly permissionMode: PermissionMode;
  /** undefined: left to the model. */
  readonly thinking: ThinkingChoice | undefined;
  readonly effort: Effort | undefined;
  readonly isRunning: boolean;
  /** Another process has this session open: it can be looked at, nothing more. Turns and rewinds are refused with `session_in_use`. */
  readonly isReadOnly: boolean;
  /** A session of Claude Code: it can be looked at and gone on with in a copy. */
  readonly isForeign: boolean;
  readonly isPinned: boolean;
  /** Lines that could not be read at resume, repairs that were made: to be shown once. */
  readonly notices: readonly string[];
  /** The conversation so far, oldest first. */
  readonly messages: readonly SessionMessage[];
  /** The same as a view shows it: in the order in which it came, with the notices and the ends of turns in between. */
  readonly shownMessages: readonly ShownMessage[];
  readonly todos: readonly Todo[];
  readonly cost: CostSummary;
  readonly contextUse: ContextUse;
  /** Worked out anew each time: it depends on the clock. */
  readonly nextRequest: NextRequest;

  /**
   * One turn. The prompt itself is not echoed: pass a `uuid` to know its message. Yields as things happen and ends after exactly one `result`.
   * Never throws for what the API or a tool did.
   */
  submitMessage(prompt: string | readonly ContentBlock[], options?: SubmitOptions): AsyncGenerator<SDKMessage, void, void>;
  /** A call that the user was being asked about when the session ended. Gone when it was decided, or something else was said. */
  readonly pendingPermission: PendingPermission | undefined;
  /**
   * Asks about the pending call once more and goes on from the answer: a turn without a prompt. Like a turn it ends in
   * one `result`. Throws `invalid_input` when nothing is pending or a turn runs.
   */
  continuePending(): AsyncGenerator<SDKMessage, void, void>;
  /** Slash commands, for completion: the built-in ones, then those of the project and of the user. */
  commands(): Promise<readonly SlashCommandInfo[]>;
  /**
   * Replaces old messages by a summary, for the model only; `focus` says what must not get lost. A turn of its own: yields
   * the boundary and ends after exactly one `result`, which is no success when nothing was summarised.
   */
  compact(focus?: string): AsyncGenerator<SDKMessage, void, void>;
  /** Ends the running turn; what was streamed so far is kept. */
  interrupt(): void;
  /** Ends the waiting before a retry. */
  retryNow(): void;
  /** Alias or id. Counts from the next request on, also within a running turn. */
  setModel(model: string): void;
  /** undefined leaves it to the model. Counts from the next request on; what the model cannot take is not sent. */
  setThinking(thinking: ThinkingChoice | undefined): void;
  setEffort(effort: Effort | undefined): void;
  setPermissionMode(mode: PermissionMode): void;
  /** Throws `invalid_input` for a title without a letter. */
  rename(title: string): void;
  setPinned(pinned: boolean): void;
  /** Keeps a rule that allows, for the next call on. Rejects when it says nothing clear or could not be saved. */
  addPermissionRule(rule: string, level: RuleLevel): Promise<void>;
  /** What a rule that allows would do, and whether a call that waits for the user would go through with it. Changes nothing. */
  checkPermissionRule(rule: string, request: Pick<PermissionRequest, 'toolName' | 'input' | 'paths'>): Promise<RuleCheck>;
  /** A file changed outside; what the model has read of it is no longer trusted. */
  invalidateFile(path: string): void;
  /** What the model has read, links resolved, the least recently used first. */
  readonly readPaths: readonly string[];

  rewindTargets(): readonly RewindTarget[];
  planRewind(messageId: string): Promise<RewindPlan>;
  /** Bytes that `path` would hold after going back; undefined when it would not exist. */
  snapshotContent(messageId: string, path: string): Promise<Uint8Array | undefined>;
  rewind(messageId: string, choice: RewindChoice): Promise<RewindOutcome>;
  /** True while there is a rewind that was not undone; whatever was said since, undoing goes back to before it. */
  readonly canUndoRewind: boolean;
  /** What undoing would do to files; `messageId` is that of the rewind. Throws `invalid_input` when there is nothing to undo. */
  planUndoRewind(): Promise<RewindPlan>;
  undoRewind(choice?: Partial<RewindChoice>): Promise<RewindOutcome>;
  /** True while the last undoing can be taken back: nothing was said since. */
  readonly canRedoRewind: boolean;
  /** What redoing would do to files. What the rewind went over, it asks about again. Throws `invalid_input` when there is nothing to redo. */
  planRedoRewind(): Promise<RewindPlan>;
  redoRewind(choice?: Partial<RewindChoice>): Promise<RewindOutcome>;
  /** What the agent did to files, by call, newest first: what {@link undo} can take back. */
  changes(): readonly AgentChange[];
  /**
   * What taking back one message's, one call's or one file's changes would do, with everything that came after kept. Rejects
   * with `not_found` when there are none.
   */
  planUndo(selection: UndoSelection): Promise<RewindPlan>;
  /**
   * Takes them back: a rewind of files only, and undone like one. Files where later changes do not overlap are merged by
   * themselves; one where they do makes it fail before anything is done, unless `choice` says what to do with it.
   */
  undo(selection: UndoSelection, choice?: Partial<RewindChoice>): Promise<RewindOutcome>;
  /** What `path` would hold after going that way: overwritten, or with later changes kept. undefined when it would not exist, or can't be merged. */
  contentAfter(way: WayBack, path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined>;

  /** Flushes and lets go of the transcript. Resolves when everything is on disk. */
  dispose(): Promise<void>;
}

export interface PendingCall {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: { readonly [field: string]: unknown };
}

export interface PendingPermission extends PendingCall {
  /** It and the calls of the same answer behind it. */
  readonly waiting: readonly PendingCall[];
  /** How the files stand that the proposals among them are for. */
  look(): Promise<readonly PendingFile[]>;
}

export interface PendingFile {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Of what its proposal was made from. `new`: there was no file, and there is none. */
  readonly state: 'current' | 'new' | 'changed' | 'gone';
}

export interface SubmitOptions {
  readonly uuid?: string | undefined;
  readonly isMeta?: boolean | undefined;
}

/** A wait that the server asks for and that is too long to begin unasked. */
export interface LongWait {
  /** Milliseconds. */
  readonly delayMs: number;
  /** A few words: "Rate limit reached". */
  readonly reason: string;
}

/** How patient a session is with its model. */
export interface RetryPreferences {
  /** Nobody is there: rate limits and overload are waited out for ever, with a sign of life every 30 s. Default: false. */
  readonly unattended?: boolean | undefined;
  /** Asked before a wait of more than ten minutes; true waits. Without it such a request fails at once. */
  readonly confirmLongWait?: ((wait: LongWait, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** Chosen once, at the start of a session. */
export interface SessionConfig {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Set for a sub-agent: what it costs and changes belongs to the running turn of the session that it works for. */
  readonly agentId?: string | undefined;
  /** Set with `agentId`: the call that it works for. */
  readonly parentToolUseId?: string | undefined;
  readonly model: string;
  readonly fallbackModel?: string | undefined;
  readonly permissionMode: PermissionMode;
  readonly canUseTool: CanUseTool;
  readonly includePartialMessages: boolean;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** USD after which the user is told, again and again. */
  readonly costReminderUsd?: number | undefined;
  /** Window and output limit of a model, in tokens, where they are not what the catalog says. */
  readonly modelLimits?: ((model: string) => { readonly contextWindow: number; readonly maxOutput: number } | undefined) | undefined;
  /** Output tokens that one turn may use, all its requests together. */
  readonly maxOutputTokensPerTurn?: number | undefined;
  readonly retry?: RetryPreferences | undefined;
  /** Start the transcript's write without waiting for it (scripts that want latency). */
  readonly bare?: boolean | undefined;
  /** Said in system/init: "ANTHROPIC_API_KEY", "secret storage", "demo". */
  readonly apiKeySource: string;
  /** False: nothing that could run code of the workspace, no edits. */
  readonly trusted: boolean;
  readonly thinking?: ThinkingChoice | undefined;
  readonly effort?: Effort | undefined;
  /** Ask a small model for a title of the session, in the background. */
  readonly titles?: boolean | undefined;
  /** What this host says to commands that only a host can carry out, by name: resume, rewind, fork. */
  readonly hostHelp?: { readonly [command: string]: string | undefined } | undefined;
  readonly log: Log;
}
