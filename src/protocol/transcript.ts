import * as z from 'zod';
import type { Told } from './messages.ts';
import { effortSchema, thinkingChoiceSchema } from './reasoning.ts';

/**
 * Lines of a session's transcript, one JSON object per line. Unknown types and unknown fields are kept.
 * `uuid` + `parentUuid` make the conversation's tree; lines without `parentUuid` stand beside it.
 * Lazy, because a new session reads none of them, and they would take a tenth of a start to make.
 */
const common = {
  sessionId: z.string(),
  timestamp: z.string(),
};

const chained = {
  ...common,
  uuid: z.string(),
  parentUuid: z.string().nullable(),
  cwd: z.string().optional(),
  version: z.string().optional(),
};

const contentSchema = z.lazy(() => z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]));

export const userLineSchema = z.lazy(() => z.looseObject({
  ...chained,
  type: z.literal('user'),
  isMeta: z.boolean().nullish(),
  message: z.looseObject({ role: z.literal('user'), content: contentSchema }),
  toolUseResult: z.unknown().optional(),
}));

export const assistantLineSchema = z.lazy(() => z.looseObject({
  ...chained,
  type: z.literal('assistant'),
  isApiErrorMessage: z.boolean().nullish(),
  message: z.looseObject({
    // Ours always have both; some tools that write such files leave them out.
    id: z.string().optional(),
    role: z.literal('assistant'),
    model: z.string().optional(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable().optional(),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
  }),
}));

/** system/compact_boundary and notices. */
export const systemLineSchema = z.lazy(() => z.looseObject({ ...chained, type: z.literal('system'), subtype: z.string().optional() }));

export const progressLineSchema = z.lazy(() => z.looseObject({ ...common, type: z.literal('progress'), toolUseID: z.string(), data: z.unknown() }));

/** Messages withdrawn after they were written. */
export const tombstoneLineSchema = z.lazy(() => z.looseObject({ ...common, type: z.literal('tombstone'), messageUuids: z.array(z.string()) }));

/** What a path held at one moment. `hash` is the SHA-256 of the bytes, in hex. */
export const fileStateSchema = z.lazy(() => z.discriminatedUnion('kind', [
  /** `missingFolders`: parent folders that did not exist either, outermost first, so that going back takes them away. */
  z.object({ kind: z.literal('absent'), missingFolders: z.array(z.string()).optional() }),
  z.object({ kind: z.literal('file'), hash: z.string(), mode: z.number(), size: z.number() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  /** Matters where it is empty; what is in it counts for itself. */
  z.object({ kind: z.literal('folder') }),
  /** Present but not kept, and why: too large, not readable, ignored. */
  z.object({ kind: z.literal('uncovered'), reason: z.string() }),
]));
export type FileState = z.infer<typeof fileStateSchema>;

/**
 * Opens a snapshot for a user message (no files), or says what a file was before the agent's first write after that
 * message (`before`) and what the agent left (`after`, in an update that follows the write).
 */
export const snapshotLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('file-history-snapshot'),
  messageId: z.string(),
  isSnapshotUpdate: z.boolean(),
  files: z.array(z.object({ path: z.string(), before: fileStateSchema.optional(), after: fileStateSchema.optional() })),
  /** The call whose changes these are; for those of a sub-agent, the call that started it. */
  toolUseId: z.string().optional(),
  /** Set when a shell command ran: what it changed is not covered by this snapshot unless listed. */
  shellCommand: z.string().optional(),
  /** Of the command that this line is about: one says that it starts, any number what it changed, one that it is over. */
  shellRun: z.string().optional(),
  /** In the line that says it is over: why what it did can't all be brought back, or null. */
  shellGap: z.string().nullish(),
  /** In that line, too: commands of other sessions that were started meanwhile. */
  shellBeside: z.array(z.string()).optional(),
  /** In that line, where nothing told what the user did meanwhile: how long the command ran. Milliseconds. */
  shellUnwatchedMs: z.number().optional(),
  /** Place among the snapshot and rewind lines of a session; clocks may tie or run back, this does not. */
  sequence: z.number().optional(),
  /** Set when this line says that the files of that rewind have been written, and what they hold now. */
  rewindId: z.string().optional(),
}));

export const rewindScopeSchema = z.enum(['both', 'files', 'conversation']);
export type RewindScope = z.infer<typeof rewindScopeSchema>;

/** Commits a rewind: the conversation's cursor and the files' states, in one append. */
export const rewindLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('rewind'),
  uuid: z.string(),
  /** The user message gone back to; for the undoing of a rewind, the message of that rewind. */
  messageId: z.string(),
  scope: rewindScopeSchema,
  /** Uuid of the message that the next one follows; null at the very start. */
  leafUuid: z.string().nullable(),
  previousLeafUuid: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), from: fileStateSchema, to: fileStateSchema })),
  /** Not asked for by the user: one file of a set could not be written, so the others were taken back. */
  isRollback: z.boolean().optional(),
  /** The rewind that this one takes back. */
  undoes: z.string().optional(),
  /** The undoing that this one takes back. */
  redoes: z.string().optional(),
  /** Set when only some of the agent's changes were taken back: which. */
  selection: z.object({ messageId: z.string().optional(), toolUseId: z.string().optional(), path: z.string().optional() }).optional(),
  /** As on {@link snapshotLineSchema}. */
  sequence: z.number().optional(),
}));

/**
 * Writes that belong together: all of them stay, or none. The first line stands before any of them is made; `files` says
 * what each path will hold after each of its writes, by SHA-256. One with `endOf` says that all are made or taken back.
 */
export const changeSetLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('change-set'),
  uuid: z.string(),
  messageId: z.string(),
  files: z.array(z.object({ path: z.string(), hashes: z.array(z.string()) })),
  endOf: z.string().optional(),
  /** As on {@link snapshotLineSchema}. */
  sequence: z.number().optional(),
}));

/**
 * A part of the conversation that the model sees shortened from here on; the messages stay. `summary`: the messages from
 * head to tail are told as this summary. `outputs`: tool results up to the tail are left out; `media`: what was attached to
 * messages up to the tail.
 */
export const collapseLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('context-collapse'),
  uuid: z.string(),
  kind: z.enum(['summary', 'outputs', 'media']),
  headUuid: z.string(),
  tailUuid: z.string(),
  /** The newest message when this was decided: token counts from before say nothing about the request any more. */
  afterUuid: z.string(),
  summary: z.string().optional(),
}));

/**
 * What the server refused, by SHA-256 in hex: images and documents with the note that stands in their place (hash of
 * the base64 data or address), thinking that is left out (of its signature or data), tools (of their declaration), a whole request that could not be
 * repaired (of the address and the body) with what the server said. Holds for every later request of the session.
 */
export const requestRepairLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('request-repair'),
  media: z.array(z.object({ hash: z.string(), note: z.string() })).optional(),
  thinking: z.array(z.string()).optional(),
  parts: z.array(z.object({ part: z.string(), note: z.string() })).optional(),
  tools: z.array(z.string()).optional(),
  request: z.object({ hash: z.string(), said: z.string() }).optional(),
}));

/**
 * Some of an answer, noted down while it streams; counts only if no line of that message follows. `text` is what the
 * block has gained since the last note, `block` a block of another kind that is complete. `uuid` is that of the message
 * that the block becomes: the last one counts.
 */
export const partialLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('partial'),
  messageId: z.string(),
  blockIndex: z.number().optional(),
  uuid: z.string().optional(),
  text: z.string().optional(),
  block: z.looseObject({ type: z.string() }).optional(),
  /** In the first one of an answer. */
  begin: z.object({ afterUuid: z.string().nullable(), noteUuid: z.string(), model: z.string(), usage: z.unknown() }).optional(),
  /** The answer was taken back. */
  withdrawn: z.boolean().optional(),
}));

/**
 * What an API message is charged for, as it happens: when its answer begins (`streaming`), and again at the end of those
 * that no other line here tells of, because they are a sub-agent's or were asked for beside the conversation. The last
 * one of a message counts, and its own lines go before it.
 */
export const chargeLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('charge'),
  messageId: z.string(),
  model: z.string(),
  purpose: z.string(),
  state: z.enum(['streaming', 'cut']).optional(),
  /** Of an answer that broke off: output tokens that had come, estimated. */
  receivedTokens: z.number().optional(),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
}));

/** What was shown beside the conversation, with the message that it came after; the fields are those that a view needs. */
export const toldLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('told'),
  afterUuid: z.string().nullable(),
  message: z.union([
    z.looseObject({ type: z.literal('system'), subtype: z.literal('notice'), uuid: z.string(), level: z.enum(['info', 'warning', 'error']), text: z.string() }),
    z.looseObject({
      type: z.literal('result'),
      subtype: z.string(),
      is_error: z.boolean(),
      uuid: z.string(),
      duration_ms: z.number(),
      num_turns: z.number(),
      turn_cost_usd: z.number().nullable(),
      turn_models: z.array(z.string()),
      usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
      errors: z.array(z.string()),
    }),
    z.looseObject({ type: z.literal('user'), uuid: z.string(), isLocal: z.literal(true), message: z.looseObject({ content: contentSchema }) }),
  ]),
}));

/** What the user calls the session; goes before an `ai-title`. Claude Code writes the same line. */
export const customTitleLineSchema = z.lazy(() => z.looseObject({ ...common, type: z.literal('custom-title'), customTitle: z.string() }));

/** The session stands above the others in lists, or no longer does. */
export const pinLineSchema = z.lazy(() => z.looseObject({ ...common, type: z.literal('session-pin'), pinned: z.boolean() }));

export const titleLineSchema = z.lazy(() => z.looseObject({ ...common, type: z.literal('ai-title'), aiTitle: z.string() }));

/** Written after each turn: what the next process restores. */
export const sessionStateLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('session-state'),
  model: z.string(),
  permissionMode: z.string(),
  cost: z.unknown(),
  /** The beginning of the conversation that the server had in its cache. */
  cache: z.unknown().optional(),
  thinking: thinkingChoiceSchema.optional().catch(undefined),
  effort: effortSchema.optional().catch(undefined),
  /** What a list shows: said again and again, so that it stands near the end of a long file. */
  customTitle: z.string().optional(),
  aiTitle: z.string().optional(),
  pinned: z.boolean().optional(),
  /** Permission rules that allow something in this session alone. */
  allowRules: z.array(z.string()).optional().catch(undefined),
}));

/** Written when the user is asked; without a decision that follows it, the call is offered again at resume. */
export const permissionRequestLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('permission-request'),
  toolUseId: z.string(),
  toolName: z.string(),
  /** Files that a proposal is for, links resolved, and the SHA-256 of the text (UTF-8) that it was made from; null for a new file. */
  files: z.array(z.object({ path: z.string(), hash: z.string().nullable() })).optional(),
}));

/** What was decided about a call: also by a rule or a mode, without a question. Reading in the workspace needs no decision. */
export const permissionLineSchema = z.lazy(() => z.looseObject({
  ...common,
  type: z.literal('permission-decision'),
  toolUseId: z.string(),
  toolName: z.string(),
  behavior: z.string(),
  /** A `Decider`; absent in older transcripts. */
  decidedBy: z.string().optional(),
  reason: z.string().optional(),
  /** The rule that allowed it, and where it stands. */
  rule: z.string().optional(),
  /** The rule that was to be kept beside the answer. */
  remembered: z.object({ rule: z.string(), level: z.string() }).optional(),
  /** Of an edit that was accepted otherwise than as proposed: what the user decided about each hunk. */
  hunks: z.array(z.looseObject({ firstLine: z.number(), lineCount: z.number(), verdict: z.string(), reason: z.string().optional() })).optional(),
  /** The file had changed while the proposal waited, and the proposal was merged onto it. */
  rebased: z.boolean().optional(),
}));

export type UserLine = z.infer<typeof userLineSchema>;
export type AssistantLine = z.infer<typeof assistantLineSchema>;
export type SnapshotLine = z.infer<typeof snapshotLineSchema>;
export type RewindLine = z.infer<typeof rewindLineSchema>;
export type ChangeSetLine = z.infer<typeof changeSetLineSchema>;
export type SessionStateLine = z.infer<typeof sessionStateLineSchema>;
export type SystemLine = z.infer<typeof systemLineSchema>;
export type ProgressLine = z.infer<typeof progressLineSchema>;
export type TombstoneLine = z.infer<typeof tombstoneLineSchema>;
export type CollapseLine = z.infer<typeof collapseLineSchema>;
export type RequestRepairLine = z.infer<typeof requestRepairLineSchema>;
export type ChargeLine = z.infer<typeof chargeLineSchema>;
export type PartialLine = z.infer<typeof partialLineSchema>;
export type CustomTitleLine = z.infer<typeof customTitleLineSchema>;
export type PinLine = z.infer<typeof pinLineSchema>;
export type TitleLine = z.infer<typeof titleLineSchema>;
export type PermissionLine = z.infer<typeof permissionLineSchema>;
export type PermissionRequestLine = z.infer<typeof permissionRequestLineSchema>;

/** The named fields of a line that we write, without those that the transcript fills in. */
type Written<Line> = {
  [Field in keyof Line as string extends Field ? never : Field extends 'sessionId' | 'timestamp' ? never : Field]: Line[Field];
};

export type WrittenRequestRepair = Written<RequestRepairLine>;
export type WrittenPartial = Written<PartialLine>;

/** Lines that stand beside the conversation's tree. */
export type BesideLine =
  | Written<ProgressLine>
  | Written<TombstoneLine>
  | Written<SnapshotLine>
  | Written<RewindLine>
  | Written<ChangeSetLine>
  | Written<CollapseLine>
  | WrittenRequestRepair
  | WrittenPartial
  | Written<ChargeLine>
  | ({ readonly type: 'told' } & Told)
  | Written<TitleLine>
  | Written<SessionStateLine>
  | Written<PermissionLine>
  | Written<PermissionRequestLine>;
