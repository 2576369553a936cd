import * as z from 'zod';
import { maxImageLength, maxPromptLength, promptLength } from '../base/promptSize.ts';
import { ruleLevelSchema } from './permissionRules.ts';
import type { RuleCheck } from './permissionRules.ts';
import { permissionModeSchema } from './permissions.ts';
import type { PermissionMode } from './permissions.ts';
import type { Todo } from './messages.ts';
import type { UserQuestion } from './userQuestions.ts';
import type { AnswerSpeed, UnreportedUse } from './usage.ts';

/**
 * What the extension host and the chat panel say to each other. The host sends events that change a list of items;
 * the panel folds them with a pure reducer and never asks for state. Nothing over 64 kB is posted at once.
 */

/** One thing in the conversation, in order of appearance. `id` is stable across reload. */
export type ChatItem =
  | UserItem
  | { readonly kind: 'text'; readonly id: string; readonly markdown: string; readonly streaming: boolean }
  | { readonly kind: 'thinking'; readonly id: string; readonly text: string; readonly streaming: boolean }
  | ToolItem
  | { readonly kind: 'notice'; readonly id: string; readonly level: 'info' | 'warning' | 'error'; readonly text: string; readonly action?: NoticeAction | undefined }
  | TurnItem;

export interface UserItem {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  readonly timestamp: string;
  /** Images that were sent with it; they are in the transcript and not shown again. */
  readonly imageCount?: number | undefined;
  /** A command that was answered here: not part of the conversation, so there is no going back to it. */
  readonly isLocal?: boolean | undefined;
}

/** 'pending' = its input still streams in; 'waiting' = for the user's decision. */
export type ToolStatus = 'pending' | 'waiting' | 'running' | 'done' | 'failed' | 'rejected' | 'refused' | 'interrupted';

export interface ToolItem {
  readonly kind: 'tool';
  /** The tool_use id. */
  readonly id: string;
  readonly tool: string;
  /** One line: "src/cart.ts", "npm test". */
  readonly title: string;
  readonly status: ToolStatus;
  /** What it printed or answered so far, cut to a showable size. */
  readonly output: string;
  /** A unified diff, for edits. */
  readonly diff?: string | undefined;
  readonly linesAdded?: number | undefined;
  readonly linesRemoved?: number | undefined;
  /** Absolute path that a click on the title opens. */
  readonly path?: string | undefined;
  readonly exitCode?: number | null | undefined;
  /** The user changed the proposal before accepting it. */
  readonly editedByUser?: boolean | undefined;
  /** What the user decided about its parts: "2 of 3 changes accepted, 1 rejected: too early". */
  readonly verdicts?: string | undefined;
}

/** Closes a turn: what it cost and how long it took. */
export interface TurnItem {
  readonly kind: 'turn';
  readonly id: string;
  readonly ok: boolean;
  /** Why not, in plain words. */
  readonly error?: string | undefined;
  /** USD of this turn; null = price unknown. */
  readonly costUsd: number | null;
  /** Set where the cost and the tokens are lower bounds. */
  readonly unreported?: UnreportedUse | undefined;
  /** Nobody is billed for it. */
  readonly isPretend?: boolean | undefined;
  readonly durationMs: number;
  /** Of all prompts, cached ones included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly speed?: AnswerSpeed | undefined;
}

export type NoticeAction = 'set-api-key' | 'use-demo' | 'open-log' | 'retry';

/** A tool call that waits for the user. */
export interface ApprovalView {
  /** The tool_use id. */
  readonly id: string;
  readonly kind: 'edit' | 'command' | 'plan' | 'other';
  /** "Edit src/cart.ts", "Run a command". */
  readonly title: string;
  /** The command, the path, the plan in Markdown, or the input: as JSON, or field by field. */
  readonly detail: string;
  /** Was asked when the session ended, and is asked again. Allowing an edit shows its proposal first. */
  readonly isLeftOpen?: boolean | undefined;
  /** A rule that would spare the same question; absent where none can. */
  readonly suggestedRule?: string | undefined;
  readonly reason?: string | undefined;
  /** Of edits: what is proposed, file by file. */
  readonly files?: readonly ProposedFileView[] | undefined;
  /** Of edits: the tool_use ids that this stands for. */
  readonly calls?: readonly string[] | undefined;
}

/** One file of a set of proposals. */
export interface ProposedFileView {
  /** Relative to the workspace. */
  readonly path: string;
  readonly isNew: boolean;
  /** current = as proposed; rebased = merged onto what the file holds now; conflict = to be resolved; gone = fits nothing any more. */
  readonly state: 'current' | 'rebased' | 'conflict' | 'gone';
  /** What the state means for the user. */
  readonly note?: string | undefined;
  readonly decision?: 'allow' | 'deny' | undefined;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** From top to bottom; those that were rejected are gone. */
  readonly hunks: readonly HunkView[];
}

export interface HunkView {
  /** The same as long as the hunk is. */
  readonly key: string;
  readonly accepted: boolean;
  /** A unified diff, cut to a showable size; '' where there was no room for it. */
  readonly diff: string;
}

/** Questions of the model that wait for an answer. */
export interface QuestionsView {
  readonly id: string;
  readonly questions: readonly UserQuestion[];
}

/** Something that can be put in place of what is being typed. */
export interface Completion {
  /** Replaces what was typed, the slash or `@` included. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  /** ISO 8601. */
  readonly modified: string;
  readonly messageCount: number | null;
  /** Of its transcript, in bytes. */
  readonly size?: number | undefined;
  readonly pinned?: boolean | undefined;
  /** Made by another program: read, never written. */
  readonly source?: 'claude-code' | undefined;
}

/** A session in which the words that are looked for stand. */
export interface SessionMatch {
  readonly sessionId: string;
  /** The first place in what was said; left out when it is the title. */
  readonly excerpt?: { readonly before: string; readonly match: string; readonly after: string } | undefined;
}

/** A request that waits for its next try. */
export interface RetryView {
  readonly attempt: number;
  /** 0 = no limit. */
  readonly maxRetries: number;
  /** Milliseconds since 1970. */
  readonly retryAt: number;
  readonly reason: string;
  /** So long that it does not begin until the user agrees. */
  readonly needsConfirmation?: boolean | undefined;
}

export interface PanelStatus {
  readonly model: string;
  readonly permissionMode: PermissionMode;
  /** The mode that asks nothing may be chosen. */
  readonly mayBypass?: boolean | undefined;
  /** The built-in demo model answers. */
  readonly demo: boolean;
  /** There is no key and the demo was not chosen: the panel offers both. */
  readonly needsKey: boolean;
  /** Already formatted: "$0.42", "price unknown". */
  readonly cost: string;
  /** What is not billed of it: " (not billed)". */
  readonly costNote?: string | undefined;
  /** Share of the context window in use, 0..1. */
  readonly contextShare: number;
}

export type ChatEvent =
  /** Everything shown before belongs to another session. `isForeign`: it is read-only because Claude Code wrote it. */
  | { readonly type: 'session-opened'; readonly sessionId: string; readonly title: string; readonly draft: string; readonly readOnly: boolean; readonly isForeign?: boolean | undefined }
  | { readonly type: 'title-changed'; readonly title: string }
  /** Replaces items of the same id in their place; new ones go to the end. */
  | { readonly type: 'items-put'; readonly items: readonly ChatItem[] }
  | { readonly type: 'items-removed'; readonly ids: readonly string[] }
  /** More text of a streaming text or thinking item, or more output of a tool. */
  | { readonly type: 'text-appended'; readonly id: string; readonly text: string }
  /** Prompts and calls that changed files, and so can be undone one by one. */
  | { readonly type: 'changes-listed'; readonly messageIds: readonly string[]; readonly toolUseIds: readonly string[]; /** Of calls whose changes were undone, and of those of them that can be made again. */ readonly undoneToolUseIds: readonly string[]; readonly redoableToolUseIds: readonly string[] }
  | { readonly type: 'turn-changed'; readonly running: boolean }
  | { readonly type: 'queue-changed'; readonly prompts: readonly { readonly id: string; readonly text: string; readonly imageCount?: number | undefined }[] }
  | { readonly type: 'approvals-changed'; readonly approvals: readonly ApprovalView[] }
  | { readonly type: 'questions-changed'; readonly questions: QuestionsView | null }
  /** A prompt that was not sent goes back into the composer; `instead` is what was probably meant. */
  | { readonly type: 'prompt-returned'; readonly text: string; readonly reason: string; readonly instead?: string | undefined }
  /** This was put into the composer by a rewind that is undone: it stands in the conversation again. */
  | { readonly type: 'draft-withdrawn'; readonly text: string }
  /** The answer to `rule-check` about the same rule. */
  | { readonly type: 'rule-checked'; readonly id: string; readonly rule: string; readonly check: RuleCheck }
  /** The answer to `complete` with the same number. */
  | { readonly type: 'completions-listed'; readonly request: number; readonly completions: readonly Completion[] }
  | { readonly type: 'retry-changed'; readonly retry: RetryView | null }
  | { readonly type: 'todos-changed'; readonly todos: readonly Todo[] }
  | { readonly type: 'status-changed'; readonly status: PanelStatus }
  /** `isMore`: these follow those of the event before. */
  | { readonly type: 'sessions-listed'; readonly sessions: readonly SessionSummary[]; readonly isMore?: boolean | undefined }
  /** More of what the search with this number has found. */
  | { readonly type: 'sessions-found'; readonly request: number; readonly matches: readonly SessionMatch[]; readonly isDone: boolean }
  /** Puts the caret into the composer; sent only when the user asked for the panel. */
  | { readonly type: 'focus-composer' };

export interface HostToPanel {
  readonly type: 'events';
  readonly events: readonly ChatEvent[];
}

const promptImageSchema = z.object({ mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']), data: z.string().max(maxImageLength) });
export type PromptImage = z.infer<typeof promptImageSchema>;

const userAnswerSchema = z.object({ chosen: z.array(z.string().max(1_000)).max(20), other: z.string().max(100_000).optional() });

export const panelToHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('prompt-submit'), text: z.string(), images: z.array(promptImageSchema).max(20).optional() }).refine(({ text, images }) => promptLength(text, images ?? []) <= maxPromptLength),
  z.object({ type: z.literal('queue-remove'), id: z.string() }),
  z.object({ type: z.literal('queue-send') }),
  z.object({ type: z.literal('interrupt') }),
  z.object({ type: z.literal('retry-now') }),
  z.object({ type: z.literal('approval-answer'), id: z.string(), behavior: z.enum(['allow', 'deny']), reason: z.string().optional(), remember: z.object({ rule: z.string().max(2_000), level: ruleLevelSchema }).optional() }),
  /** One file of a set, by its number from 0; 'undo' takes a decision back while others are still to be made. */
  z.object({ type: z.literal('file-answer'), id: z.string(), file: z.number().int(), behavior: z.enum(['allow', 'deny', 'undo']), reason: z.string().optional() }),
  z.object({ type: z.literal('hunk-answer'), id: z.string(), file: z.number().int(), hunk: z.string(), behavior: z.enum(['allow', 'deny']), reason: z.string().optional() }),
  z.object({ type: z.literal('rule-check'), id: z.string(), rule: z.string().max(2_000) }),
  /** null: the user does not want to answer. */
  z.object({ type: z.literal('questions-answer'), id: z.string(), answers: z.array(userAnswerSchema).max(10).nullable() }),
  z.object({ type: z.literal('long-wait-answer'), wait: z.boolean() }),
  z.object({ type: z.literal('complete'), request: z.number(), kind: z.enum(['command', 'file']), prefix: z.string().max(200) }),
  /** One file, by its number from 0; without it all files of the set at once. */
  z.object({ type: z.literal('open-diff'), id: z.string(), file: z.number().int().optional() }),
  z.object({ type: z.literal('open-file'), path: z.string() }),
  z.object({ type: z.literal('open-link'), url: z.string() }),
  z.object({ type: z.literal('list-sessions') }),
  z.object({ type: z.literal('open-session'), sessionId: z.string() }),
  z.object({ type: z.literal('new-session') }),
  /** Ends the search before it; without words there is none. */
  z.object({ type: z.literal('search-sessions'), request: z.number(), words: z.string().max(1_000) }),
  z.object({ type: z.literal('rename-session'), sessionId: z.string(), title: z.string().max(10_000) }),
  z.object({ type: z.literal('pin-session'), sessionId: z.string(), pinned: z.boolean() }),
  z.object({ type: z.literal('export-session'), sessionId: z.string() }),
  z.object({ type: z.literal('delete-session'), sessionId: z.string() }),
  z.object({ type: z.literal('fork-session') }),
  /** `edit`: to say it in other words; files alone are not gone back for that. */
  z.object({ type: z.literal('rewind'), messageId: z.string(), edit: z.boolean().optional() }),
  z.object({ type: z.literal('undo-change'), selection: z.union([z.strictObject({ messageId: z.string() }), z.strictObject({ toolUseId: z.string() })]) }),
  z.object({ type: z.literal('redo-change') }),
  z.object({ type: z.literal('set-permission-mode'), mode: permissionModeSchema }),
  z.object({ type: z.literal('pick-model') }),
  z.object({ type: z.literal('notice-action'), action: z.enum(['set-api-key', 'use-demo', 'open-log', 'retry']) }),
  z.object({ type: z.literal('draft-changed'), text: z.string() }),
  z.object({ type: z.literal('panel-error'), message: z.string() }),
]);

export type PanelToHost = z.infer<typeof panelToHostSchema>;
