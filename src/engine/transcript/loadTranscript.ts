import type * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { TurnstoneError } from '../../base/errors.ts';
import { textOf, type ContentBlock } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage, Todo, Told } from '../../protocol/messages.ts';
import {
  changeSetLineSchema,
  collapseLineSchema,
  permissionRequestLineSchema,
  requestRepairLineSchema,
  rewindLineSchema,
  sessionStateLineSchema,
  snapshotLineSchema,
  toldLineSchema,
  type ChangeSetLine,
  type CollapseLine,
  type RequestRepairLine,
  type RewindLine,
  type SessionStateLine,
  type SnapshotLine,
} from '../../protocol/transcript.ts';
import type { AskedFile } from '../orphanedCalls.ts';
import type { FileSystem } from '../ports.ts';
import { costInTranscript } from './costInTranscript.ts';
import type { CostInTranscript } from './costInTranscript.ts';
import { messageOfAssistantLine, messageOfBoundaryLine, messageOfUserLine } from './messageLines.ts';
import { isCutOffNote } from './partialEntries.ts';
import { readTranscript } from './readTranscript.ts';
import { labelsOf, type SessionLabels } from './sessionLabels.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';
import { afterCompaction, tombstonedUuids } from './transcriptTree.ts';
import { isCompactBoundary, isSoundContent } from './usableLine.ts';

/** A prompt of the person, as a place to go back to. */
export interface PromptEntry {
  readonly uuid: string;
  /** What it followed: the leaf of the conversation after going back to before it. */
  readonly parentUuid: string | null;
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface LoadedTranscript {
  readonly path: string;
  readonly sessionId: string;
  readonly cwd: string | undefined;
  /** The active branch; after a compaction its boundary and what follows. `message` objects are those of the file. */
  readonly messages: readonly SessionMessage[];
  readonly leafUuid: string | null;
  readonly endsWithNewline: boolean;
  /** Of the beginning of the file: they were not read, because it is too large. */
  readonly skippedBytes: number;
  readonly labels: SessionLabels;
  /** The newest. */
  readonly state?: SessionStateLine | undefined;
  readonly cost: CostInTranscript;
  /** In file order. */
  readonly snapshots: readonly SnapshotLine[];
  /** In file order. */
  readonly rewinds: readonly RewindLine[];
  /** In file order. */
  readonly changeSets: readonly ChangeSetLine[];
  /** In file order. */
  readonly collapses: readonly CollapseLine[];
  /** In file order. */
  readonly requestRepairs: readonly RequestRepairLine[];
  /** Prompts of the person on the active branch, oldest first, also those before a compaction. */
  readonly allUserMessages: readonly PromptEntry[];
  readonly todos: readonly Todo[];
  /** Beside the conversation, in the order in which it was told; each after a message that is not withdrawn. */
  readonly told: readonly Told[];
  /** Ids of calls that the user was asked about and did not decide. */
  readonly undecidedCalls: ReadonlyMap<string, readonly AskedFile[]>;
  /** What could not be read, for the user. */
  readonly notices: readonly string[];
}

export interface LoadOptions {
  /** Also what compactions replaced for the model, however large the file: as it was said, for people. Default: false. */
  readonly whole?: boolean | undefined;
}

/** Reads a session; never throws for what is in the file, only when there is none or it can't be read. */
export async function loadTranscript(files: FileSystem, path: string, { whole = false }: LoadOptions = {}): Promise<LoadedTranscript> {
  const size = (await files.stat(path))?.size;
  if (size === undefined) throw new TurnstoneError('not_found', `There is no session at ${path}.`);
  const { entries, branch, ...read } = await readTranscript(files, path, { size, need: whole ? 'all' : 'view' });
  const sessionId = sessionIdOf(entries, path);
  const tombstoned = tombstonedUuids(entries);
  const kept = (entry: TranscriptEntry): boolean => !tombstoned.has(entry.value['uuid'] as string);
  const visible = branch.entries.filter(kept);
  const notices = [...read.notices];
  if (read.skippedBytes > 0) notices.unshift('This session is larger than 50 MB. What came before the last compaction was not loaded; it is still in the file.');
  for (const number of branch.bridged) notices.push(`What line ${number} followed could not be read; the conversation was joined there.`);
  if (isCutOffNote(branch.entries.at(-1)?.value)) notices.push('The last answer was cut off because the program ended while it was being written. What was shown of it is kept.');
  const messages = (whole ? branch.entries : afterCompaction(branch.entries)).filter(kept).flatMap((entry) => messageOf(entry, sessionId) ?? []);
  return {
    path,
    sessionId,
    cwd: firstString(entries, 'cwd'),
    messages,
    leafUuid: branch.leafUuid,
    endsWithNewline: read.endsWithNewline,
    skippedBytes: read.skippedBytes,
    labels: labelsOf(entries.flatMap(({ value, isIndexed }) => (isIndexed ? [] : [value]))),
    state: entries.findLast(isLineOf('session-state', sessionStateLineSchema))?.value as SessionStateLine | undefined,
    cost: costInTranscript(entries, sessionId, tombstoned),
    snapshots: linesOf(entries, 'file-history-snapshot', snapshotLineSchema) as SnapshotLine[],
    rewinds: linesOf(entries, 'rewind', rewindLineSchema) as RewindLine[],
    changeSets: linesOf(entries, 'change-set', changeSetLineSchema) as ChangeSetLine[],
    collapses: linesOf(entries, 'context-collapse', collapseLineSchema) as CollapseLine[],
    requestRepairs: linesOf(entries, 'request-repair', requestRepairLineSchema) as RequestRepairLine[],
    allUserMessages: promptsOf(visible, entries),
    todos: todosOf(visible),
    told: toldAmong(branch.entries, linesOf(entries, 'told', toldLineSchema) as readonly Told[], kept),
    undecidedCalls: undecidedCalls(entries),
    notices,
  };
}

/** What the person wrote, not what tools or we said in their name. */
export function isPrompt(line: JsonObject): boolean {
  if (line['type'] !== 'user' || line['isMeta'] === true || line['isCompactSummary'] === true || line['isSidechain'] === true) return false;
  const content = contentOf(line);
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0 && !content.some((block) => block.type === 'tool_result'));
}

/** Undefined also where it is not as expected. */
export function contentOf(line: JsonObject): string | readonly ContentBlock[] | undefined {
  const content = isJsonObject(line['message']) ? line['message']['content'] : undefined;
  return isSoundContent(content) ? (content as string | readonly ContentBlock[]) : undefined;
}

/** The objects themselves, not what the schema makes of them: keys keep their order. */
function linesOf(entries: readonly TranscriptEntry[], type: string, schema: z.ZodType): unknown[] {
  return entries.filter(isLineOf(type, schema)).map(({ value }) => value);
}

function isLineOf(type: string, schema: z.ZodType): (entry: TranscriptEntry) => boolean {
  return ({ value }) => value['type'] === type && schema.safeParse(value).success;
}

function messageOf({ value }: TranscriptEntry, sessionId: string): SessionMessage | undefined {
  if (value['type'] === 'user') return messageOfUserLine(value as never, sessionId);
  if (value['type'] === 'assistant') return messageOfAssistantLine(value as never, sessionId);
  return isCompactBoundary(value) ? messageOfBoundaryLine(value as never, sessionId) : undefined;
}

/** Where the line that a prompt followed is lost, it follows the one before: going back must lead to a line that is there. */
function promptsOf(branch: readonly TranscriptEntry[], entries: readonly TranscriptEntry[]): PromptEntry[] {
  const known = new Set(entries.map(({ value }) => value['uuid']));
  const parentOf = ({ value }: TranscriptEntry, index: number): string | null => {
    const isKnown = value['parentUuid'] === null || known.has(value['parentUuid']);
    return (isKnown ? value['parentUuid'] : (branch[index - 1]?.value['uuid'] ?? null)) as string | null;
  };
  return branch.flatMap((entry, index) => {
    const { value } = entry;
    if (!isPrompt(value)) return [];
    return { uuid: value['uuid'] as string, parentUuid: parentOf(entry, index), text: textOf(contentOf(value)!), timestamp: String(value['timestamp'] ?? '') };
  });
}

function todosOf(branch: readonly TranscriptEntry[]): readonly Todo[] {
  const newest = branch.findLast(({ value }) => (value['toolUseResult'] as SDKUserMessage['tool_use_result'] | null)?.kind === 'todos');
  return (newest?.value['toolUseResult'] as { todos?: readonly Todo[] } | undefined)?.todos ?? [];
}

/** What came after a message that was withdrawn came after the one before it. */
function toldAmong(branch: readonly TranscriptEntry[], lines: readonly Told[], kept: (entry: TranscriptEntry) => boolean): Told[] {
  const standIns = new Map<unknown, string | null>();
  let before: string | null = null;
  for (const entry of branch) {
    const uuid = entry.value['uuid'] as string;
    if (kept(entry)) before = uuid;
    else standIns.set(uuid, before);
  }
  return lines.map(({ afterUuid, message }) => ({ afterUuid: standIns.get(afterUuid) ?? afterUuid, message }));
}

function undecidedCalls(entries: readonly TranscriptEntry[]): ReadonlyMap<string, readonly AskedFile[]> {
  const calls = new Map<string, readonly AskedFile[]>();
  for (const { value } of entries) {
    const id = String(value['toolUseId']);
    if (value['type'] === 'permission-request') calls.set(id, [...(calls.get(id) ?? []), ...(permissionRequestLineSchema.safeParse(value).data?.files ?? [])]);
    if (value['type'] === 'permission-decision') calls.delete(id);
  }
  return calls;
}

/** A file is named after its session; one that was renamed says inside what it is. */
function sessionIdOf(entries: readonly TranscriptEntry[], path: string): string {
  const name = path.split(/[\\/]/).at(-1)!.replace(/\.jsonl$/, '');
  const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(name);
  return isUuid ? name : (firstString(entries, 'sessionId') ?? name);
}

function firstString(entries: readonly TranscriptEntry[], field: string): string | undefined {
  return entries.find(({ value }) => typeof value[field] === 'string')?.value[field] as string | undefined;
}
