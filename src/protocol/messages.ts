import type { ContentBlock } from './contentBlocks.ts';
import type { PermissionDenial, PermissionMode } from './permissions.ts';
import type { FileChange } from './fileChange.ts';
import type { AnswerSpeed, ModelUsage, UnreportedUse, Usage } from './usage.ts';

/** An assistant message of the Messages API. `usage` and `stop_reason` become final when its stream ends. */
export interface ApiAssistantMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly ContentBlock[];
  stop_reason: string | null;
  stop_sequence: string | null;
  usage: Usage;
  readonly [extra: string]: unknown;
}

export interface ApiUserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentBlock[];
}

interface MessageBase {
  readonly uuid: string;
  readonly session_id: string;
}

export interface SDKUserMessage extends MessageBase {
  readonly type: 'user';
  readonly message: ApiUserMessage;
  /** Not null when a sub-agent said it. */
  readonly parent_tool_use_id: string | null;
  /** Said by us, not by the person: shown folded, never the start of a rewind. */
  readonly isMeta?: boolean | undefined;
  /** A command that was answered here: shown, but no part of the conversation. */
  readonly isLocal?: boolean | undefined;
  /** What a tool hands to the view beside its text for the model. */
  readonly tool_use_result?: ToolUseResult | undefined;
  readonly timestamp?: string | undefined;
}

/** One completed content block of an API message; blocks of one message share `message.id` and the usage. */
export interface SDKAssistantMessage extends MessageBase {
  readonly type: 'assistant';
  readonly message: ApiAssistantMessage;
  readonly parent_tool_use_id: string | null;
  /** A failure told in the conversation, made by us: never sent to the model. */
  readonly isApiErrorMessage?: boolean | undefined;
  readonly timestamp?: string | undefined;
}

/** A raw event of the stream, forwarded as it came. Only with `includePartialMessages`. */
export interface SDKPartialAssistantMessage extends MessageBase {
  readonly type: 'stream_event';
  readonly event: RawStreamEvent;
  readonly parent_tool_use_id: string | null;
}

export interface SDKSystemInitMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly model: string;
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  readonly permissionMode: PermissionMode;
  readonly apiKeySource: string;
}

export interface PreservedSegment {
  readonly head_uuid: string;
  readonly anchor_uuid: string;
  readonly tail_uuid: string;
  /** The request being worked on, where it lies before the head: it stays word for word, too. */
  readonly request_uuid?: string | undefined;
}

export interface SDKCompactBoundaryMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    /** What stays word for word: the messages from head to tail, placed behind the anchor. */
    readonly preserved_segment?: PreservedSegment | undefined;
    /** What the model is told in place of the messages before. One line holds all of a compaction, so it is whole or not at all. */
    readonly summary?: string | undefined;
  };
}

/**
 * Sent while a failed request waits for its next try; in an unattended session again every 30 s. Times in milliseconds.
 */
export interface SDKApiRetryMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'api_retry';
  readonly attempt: number;
  /** 0 where there is no limit: an unattended session waits as long as it takes. */
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
  /** The wait is so long that it does not begin until the user agrees. */
  readonly needs_confirmation?: boolean | undefined;
}

/** A plain note for the user: what was repaired, skipped, kept. */
export interface SDKNoticeMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'notice';
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** What a running tool has to show so far. Never part of the conversation. */
export interface SDKProgressMessage extends MessageBase {
  readonly type: 'progress';
  readonly tool_use_id: string;
  readonly data: ToolProgress;
  readonly parent_tool_use_id: string | null;
}

/** A message that was shown and is withdrawn: its attempt failed. */
export interface SDKTombstoneMessage extends MessageBase {
  readonly type: 'tombstone';
  /** Uuids of assistant messages to take away; empty when only streamed text is withdrawn. */
  readonly message_uuids: readonly string[];
}

export interface SDKResultMessage extends MessageBase {
  readonly type: 'result';
  readonly subtype: 'success' | 'error_max_turns' | 'error_max_budget_usd' | 'error_during_execution';
  readonly is_error: boolean;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  /** The last text of the assistant; only on success. */
  readonly result?: string | undefined;
  /** USD of the session so far; null when a model of unknown price took part. */
  readonly total_cost_usd: number | null;
  /** USD since the turn before ended; null when the price of it is not known. */
  readonly turn_cost_usd: number | null;
  /** Those that it is for. */
  readonly turn_models: readonly string[];
  /** Set where an answer of this turn broke off: then its tokens and every USD here are lower bounds. */
  readonly unreported?: UnreportedUse | undefined;
  /** Tokens of this turn. */
  readonly usage: Usage;
  /** How quickly the model answered in this turn. */
  readonly speed?: AnswerSpeed | undefined;
  /** Per model, of the session so far. */
  readonly modelUsage: { readonly [model: string]: ModelUsage };
  readonly permission_denials: readonly PermissionDenial[];
  readonly stop_reason: string | null;
  /** `errors[0]` says why the turn is no success. */
  readonly errors: readonly string[];
}

export type SDKMessage =
  | SDKUserMessage
  | SDKAssistantMessage
  | SDKPartialAssistantMessage
  | SDKSystemInitMessage
  | SDKCompactBoundaryMessage
  | SDKApiRetryMessage
  | SDKNoticeMessage
  | SDKProgressMessage
  | SDKTombstoneMessage
  | SDKResultMessage;

/** Messages that make up the conversation, the only ones that may be sent to the model. */
export type ConversationMessage = SDKUserMessage | SDKAssistantMessage;

/** What may stand in `mutableMessages`. */
export type SessionMessage = ConversationMessage | SDKCompactBoundaryMessage;

/** Shown beside the conversation, and never sent to the model. */
export type ToldMessage = SDKNoticeMessage | SDKResultMessage | SDKUserMessage;

/** `afterUuid`: the message that it came after; null at the very start. */
export interface Told {
  readonly afterUuid: string | null;
  readonly message: ToldMessage;
}

/** What a view of a session is made of. */
export type ShownMessage = SessionMessage | ToldMessage;

/** One event of the Messages API's stream. Fields beyond `type` are checked where they are read. */
export interface RawStreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type ToolProgress =
  | { readonly kind: 'output'; readonly text: string; readonly stream: 'stdout' | 'stderr' }
  | { readonly kind: 'status'; readonly text: string };

/** What a finished tool call has for the view. */
export type ToolUseResult =
  | { readonly kind: 'edit'; readonly change: FileChange }
  /** One call that changed several files. */
  | { readonly kind: 'edits'; readonly changes: readonly FileChange[] }
  | { readonly kind: 'shell'; readonly output: string; readonly exitCode: number | null; readonly interrupted: boolean; readonly durationMs: number }
  | { readonly kind: 'read'; readonly path: string; readonly lineCount: number }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | { readonly kind: 'search'; readonly count: number }
  /** Nobody was asked: a rule, the mode or the host said no. */
  | { readonly kind: 'refused' };

export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
}
