import type { SessionMessage } from '../../protocol/messages.ts';
import { estimateMessages } from './contextSize.ts';
import { isRequest, toolResultsOf } from './toolCalls.ts';

/** Where a conversation is cut for a compaction. */
export interface Segment {
  /** Index of the first message that stays as it is; those after it do, too. */
  readonly head: number;
  /** Index of the request being worked on, where it lies before the head; it stays, too. */
  readonly request: number | undefined;
}

/**
 * The last exchanges that stay word for word: at most `budget` tokens (estimated), but always the last one. Undefined when
 * there is nothing before them.
 */
export function choosePreserved(messages: readonly SessionMessage[], budget: number): Segment | undefined {
  const cuts = safeCuts(messages, firstCut(messages));
  let head = cuts.at(-1);
  if (head === undefined) return undefined;
  let size = estimateMessages(messages.slice(head));
  for (const cut of cuts.toReversed()) {
    if (cut < head) size += estimateMessages(messages.slice(cut, head));
    if (size > budget && cut < head) break;
    head = cut;
  }
  const request = messages.findLastIndex(isRequest);
  return { head, request: request >= 0 && request < head ? request : undefined };
}

/** Indices, from `first` on, before which a conversation may be cut: no call is parted from its result, no answer in two. */
export function safeCuts(messages: readonly SessionMessage[], first: number): number[] {
  const cuts: number[] = [];
  const answers = new Set<string>();
  const open = new Set<string>();
  for (let index = first; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.type === 'system') continue;
    const results = toolResultsOf(message);
    const continues = message.type === 'assistant' && answers.has(message.message.id);
    if (index > 0 && open.size === 0 && results.length === 0 && !continues) cuts.push(index);
    for (const result of results) open.delete(result.tool_use_id);
    if (message.type !== 'assistant') {
      if (isRequest(message)) open.clear();
      continue;
    }
    answers.add(message.message.id);
    for (const block of message.message.content) if (block.type === 'tool_use') open.add(String(block['id']));
  }
  return cuts;
}

/** Behind a boundary, and behind the request that it kept apart from the segment: what lay between is no longer there. */
function firstCut(messages: readonly SessionMessage[]): number {
  const boundary = messages.findLastIndex((message) => message.type === 'system');
  const system = messages[boundary];
  const headUuid = system?.type === 'system' ? system.compact_metadata.preserved_segment?.head_uuid : undefined;
  return Math.max(boundary + 1, messages.findIndex((message) => message.uuid === headUuid));
}
