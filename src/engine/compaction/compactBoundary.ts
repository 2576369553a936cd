import type { SDKCompactBoundaryMessage, SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';

/**
 * The conversation as a compaction leaves it: the boundary, the request being worked on, the preserved segment. The same
 * as `afterCompaction` makes of the transcript, so that a session that goes on and one that is resumed hold the same.
 */
export function applyBoundary(messages: readonly SessionMessage[], boundary: SDKCompactBoundaryMessage): readonly SessionMessage[] {
  const segment = boundary.compact_metadata.preserved_segment;
  const head = messages.findIndex((message) => message.uuid === segment?.head_uuid);
  if (!segment || head < 0) return [boundary];
  const request = messages.slice(0, head).filter((message) => message.uuid === segment.request_uuid);
  return [boundary, ...request, ...messages.slice(head).filter((message) => message.type !== 'system')];
}

/** Everything before the last boundary stays out of the request; its summary is told in place of it. */
export function afterLastBoundary(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  const at = messages.findLastIndex((message) => message.type === 'system');
  if (at < 0) return messages;
  const boundary = messages[at] as SDKCompactBoundaryMessage;
  const summary = summaryMessage(boundary);
  return [boundary, ...(summary ? [summary] : []), ...messages.slice(at + 1)];
}

/** Made once per boundary, so that it stays the same object. */
const summaries = new WeakMap<SDKCompactBoundaryMessage, SDKUserMessage>();

function summaryMessage(boundary: SDKCompactBoundaryMessage): SDKUserMessage | undefined {
  const { summary } = boundary.compact_metadata;
  if (summary === undefined) return undefined;
  const known = summaries.get(boundary);
  if (known) return known;
  const text = `The conversation up to here was summarised to save room. Its summary:\n\n<summary>\n${summary}\n</summary>\n\nWhat follows is word for word.`;
  const message: SDKUserMessage = {
    type: 'user',
    uuid: boundary.uuid,
    session_id: boundary.session_id,
    parent_tool_use_id: null,
    isMeta: true,
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
  summaries.set(boundary, message);
  return message;
}
