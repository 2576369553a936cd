import { textOf } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import type { CollapseLine } from '../../protocol/transcript.ts';
import { clearMedia } from './dropMedia.ts';
import { clearAllResults } from './microcompact.ts';
import type { ToolCalls } from './toolCalls.ts';

/**
 * Stage 4: replays the log of what is told shorter. The messages stay where they are; entries about messages
 * that are not there (another branch, dropped by a compaction) do nothing.
 */
export function applyCollapses(messages: readonly SessionMessage[], log: readonly CollapseLine[], calls: ToolCalls): readonly SessionMessage[] {
  if (log.length === 0) return messages;
  const position = new Map(messages.map((message, index) => [message.uuid, index]));
  const lastOf = (kind: CollapseLine['kind']): number => Math.max(-1, ...log.filter((entry) => entry.kind === kind).map((entry) => position.get(entry.tailUuid) ?? -1));
  const cleared = clearAllResults(messages, calls, lastOf('outputs'));
  return replaceRanges(clearMedia(cleared, lastOf('media')), rangesOf(log, position));
}

interface Range {
  readonly head: number;
  readonly tail: number;
  readonly entry: CollapseLine;
}

/** The newest entry about a message counts. */
function rangesOf(log: readonly CollapseLine[], position: ReadonlyMap<string, number>): Range[] {
  const ranges: Range[] = [];
  for (const entry of log.toReversed()) {
    const head = position.get(entry.headUuid);
    const tail = position.get(entry.tailUuid);
    if (entry.kind !== 'summary' || head === undefined || tail === undefined || tail < head) continue;
    if (ranges.every((range) => tail < range.head || head > range.tail)) ranges.push({ head, tail, entry });
  }
  return ranges.sort((one, other) => one.head - other.head);
}

function replaceRanges(messages: readonly SessionMessage[], ranges: readonly Range[]): readonly SessionMessage[] {
  if (ranges.length === 0) return messages;
  const replaced: SessionMessage[] = [];
  let next = 0;
  for (const { head, tail, entry } of ranges) {
    replaced.push(...messages.slice(next, head), summaryOf(entry, messages[head]!.session_id), ...messages.slice(head, tail + 1).filter(isContextNote));
    next = tail + 1;
  }
  return [...replaced, ...messages.slice(next)];
}

/** Instructions and facts of the environment: no summary may blur them. */
export function isContextNote(message: SessionMessage): message is SDKUserMessage {
  return message.type === 'user' && message.isMeta === true && /^<context name="/m.test(textOf(message.message.content));
}

/** Made once per entry, so that it stays the same object. */
const summaries = new WeakMap<CollapseLine, SDKUserMessage>();

function summaryOf(entry: CollapseLine, sessionId: string): SDKUserMessage {
  const known = summaries.get(entry);
  if (known) return known;
  const text = `A part of this conversation was summarised to save room. Its summary:\n\n<summary>\n${entry.summary ?? ''}\n</summary>`;
  const message: SDKUserMessage = {
    type: 'user',
    uuid: entry.uuid,
    session_id: sessionId,
    parent_tool_use_id: null,
    isMeta: true,
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
  summaries.set(entry, message);
  return message;
}
