import type { ContentBlock, ToolResultBlock } from '../../../../src/protocol/contentBlocks.ts';
import type { SDKAssistantMessage, SDKCompactBoundaryMessage, SDKUserMessage, SessionMessage } from '../../../../src/protocol/messages.ts';

/** Messages of a made-up conversation. Times in seconds after a fixed moment. */
export function timeAt(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 30) + seconds * 1000).toISOString();
}

export function said(uuid: string, content: string | readonly ContentBlock[], more: Partial<SDKUserMessage> & { readonly at?: number } = {}): SDKUserMessage {
  const { at = 0, ...rest } = more;
  return { type: 'user', uuid, session_id: 's', parent_tool_use_id: null, timestamp: timeAt(at), message: { role: 'user', content }, ...rest };
}

export function note(uuid: string, value: string): SDKUserMessage {
  return said(uuid, [text(value)], { isMeta: true });
}

export function answered(uuid: string, content: readonly ContentBlock[], more: { readonly at?: number; readonly id?: string; readonly promptTokens?: number } = {}): SDKAssistantMessage {
  const { at = 0, id = `m-${uuid}`, promptTokens = 0 } = more;
  return {
    type: 'assistant',
    uuid,
    session_id: 's',
    parent_tool_use_id: null,
    timestamp: timeAt(at),
    message: { id, type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: promptTokens, output_tokens: promptTokens > 0 ? 10 : 0 } },
  };
}

export function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

export function call(id: string, name: string, input: { readonly [field: string]: unknown } = {}): ContentBlock {
  return { type: 'tool_use', id, name, input };
}

export function result(id: string, content: ToolResultBlock['content'], isError = false): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) };
}

/** One call and its result: messages `<id>` and `<id>-result`. */
export function exchange(id: string, name: string, output: string, more: { readonly input?: { readonly [field: string]: unknown }; readonly isError?: boolean; readonly at?: number } = {}): SessionMessage[] {
  const { input = {}, isError = false, at = 0 } = more;
  return [answered(id, [call(id, name, input)], { at }), said(`${id}-result`, [result(id, output, isError)], { at })];
}

export function boundary(uuid: string, metadata: Partial<SDKCompactBoundaryMessage['compact_metadata']> = {}): SDKCompactBoundaryMessage {
  return { type: 'system', subtype: 'compact_boundary', uuid, session_id: 's', compact_metadata: { trigger: 'auto', pre_tokens: 1, ...metadata } };
}

export function uuids(messages: readonly SessionMessage[]): string {
  return messages.map((message) => message.uuid).join(' ');
}

/** Results as the model sees them, by call id. */
export function resultsIn(messages: readonly SessionMessage[]): Record<string, unknown> {
  const results: Record<string, unknown> = {};
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) if (block.type === 'tool_result') results[String(block['tool_use_id'])] = block['content'];
  }
  return results;
}
