import { isBlock, toolUsesOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { SessionMessage } from '../protocol/messages.ts';
import type { ReadFileState } from './tools/readFileState.ts';

/** Calls at the end of a conversation that were left when its process ended. */
export interface OrphanedCalls {
  /** The one that the user was asked about and did not decide. */
  readonly asked: ToolUseBlock;
  /** It and what follows it in the same answer: never begun. */
  readonly waiting: readonly ToolUseBlock[];
  /** Calls before it without a result: they ran, and nobody knows how far. */
  readonly interrupted: readonly ToolUseBlock[];
  /** What those that wait were made from. */
  readonly files: readonly AskedFile[];
}

/** A file that a proposal was for, and the hash of its text then; null for a new file. */
export interface AskedFile {
  readonly path: string;
  readonly hash: string | null;
}

/** What can be offered once more. `undecided` holds, by id, calls that were asked about without an answer, and their files. Pure. */
export function orphanedCalls(messages: readonly SessionMessage[], undecided: ReadonlyMap<string, readonly AskedFile[]>): OrphanedCalls | undefined {
  if (undecided.size === 0) return undefined;
  const last = messages.findLast((message) => message.type === 'assistant');
  if (last?.type !== 'assistant') return undefined;
  const calls = messages.flatMap((message) => (message.type === 'assistant' && message.message.id === last.message.id ? toolUsesOf(message.message.content) : []));
  const after = messages.slice(messages.lastIndexOf(last) + 1);
  // Something was said after the calls: the conversation has gone on without them.
  if (after.some((message) => message.type !== 'user' || !isOnlyResults(message.message.content))) return undefined;
  const answered = new Set(messages.flatMap((message) => (message.type === 'user' ? answeredIn(message.message.content) : [])));
  const open = calls.filter((call) => !answered.has(call.id));
  const at = open.findIndex((call) => undecided.has(call.id));
  if (at < 0) return undefined;
  const waiting = open.slice(at);
  return { asked: open[at]!, waiting, interrupted: open.slice(0, at), files: waiting.flatMap(({ id }) => undecided.get(id) ?? []) };
}

/**
 * The model had read what it proposes to change: a proposal that is made once more fits as long as the file is as it was,
 * and is out of date where it has moved on.
 */
export function rememberAsked(files: readonly AskedFile[], readFileState: ReadFileState): void {
  // Of several proposals for one file, the first one was made from what the file held.
  for (const { path, hash } of files) if (hash !== null && !readFileState.get(path)) readFileState.record(path, { hash, onDisk: undefined, verifiedAtMs: 0, whole: true });
}

function isOnlyResults(content: string | readonly ContentBlock[]): boolean {
  return typeof content !== 'string' && content.every((block) => isBlock(block, 'tool_result'));
}

function answeredIn(content: string | readonly ContentBlock[]): string[] {
  return typeof content === 'string' ? [] : content.flatMap((block) => (isBlock(block, 'tool_result') ? [block.tool_use_id] : []));
}
