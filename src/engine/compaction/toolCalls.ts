import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';

/** Every tool call of a conversation, by its id. */
export type ToolCalls = ReadonlyMap<string, ToolUseBlock>;

export function toolCallsOf(messages: readonly SessionMessage[]): ToolCalls {
  const calls = new Map<string, ToolUseBlock>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) if (isBlock(block, 'tool_use')) calls.set(block.id, block);
  }
  return calls;
}

export function toolResultsOf(message: SessionMessage): readonly ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.message.content === 'string') return [];
  return message.message.content.filter((block): block is ToolResultBlock => isBlock(block, 'tool_result'));
}

/** What a result says, without its images. */
export function resultText({ content }: ToolResultBlock): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.flatMap((part) => (isBlock(part, 'text') ? [part.text] : [])).join('\n');
}

/** What the person wrote, not what tools or we said in their name. */
export function isRequest(message: SessionMessage): message is SDKUserMessage {
  return message.type === 'user' && !message.isMeta && toolResultsOf(message).length === 0;
}

/** The same message with other content. */
export function withContent(message: SDKUserMessage, content: readonly ContentBlock[]): SDKUserMessage {
  return { ...message, message: { ...message.message, content } };
}
