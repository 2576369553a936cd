import { cutText } from '../../base/text.ts';
import { isBlock, textOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import { resultText } from './toolCalls.ts';

/** UTF-16 units of what reaches a summary that is made of text. */
const longestText = 8_000;
const longestInput = 600;
const longestResult = 1_500;

/** Messages as plain text, for a model that is to summarise them without being given the conversation itself. */
export function renderConversation(messages: readonly SessionMessage[]): string {
  return messages.map(renderMessage).filter(Boolean).join('\n\n');
}

function renderMessage(message: SessionMessage): string {
  if (message.type === 'system') return message.compact_metadata.summary === undefined ? '' : `Summary of what came before:\n${message.compact_metadata.summary}`;
  if (message.type === 'assistant' && message.isApiErrorMessage) return '';
  const { content } = message.message;
  const speaker = message.type === 'assistant' ? 'Agent' : message.isMeta ? 'Note to the agent' : 'User';
  if (typeof content === 'string') return `${speaker}: ${cut(content, longestText)}`;
  return content.map((block) => renderBlock(block, speaker)).filter(Boolean).join('\n');
}

function renderBlock(block: ContentBlock, speaker: string): string {
  if (isBlock(block, 'text')) return block.text.trim() === '' ? '' : `${speaker}: ${cut(block.text, longestText)}`;
  if (isBlock(block, 'tool_use')) return `Call of ${block.name}: ${cut(JSON.stringify(block.input), longestInput)}`;
  if (isBlock(block, 'tool_result')) return `Result${block.is_error ? ' (error)' : ''}: ${cut(resultText(block), longestResult) || '(no text)'}`;
  if (isBlock(block, 'image') || isBlock(block, 'document')) return `${speaker}: (${block.type} not shown here)`;
  return '';
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${cutText(text, limit)} […]`;
}

/** The text of an answer, its thinking left out. */
export function answerText(blocks: readonly SessionMessage[]): string {
  return blocks.map((message) => (message.type === 'assistant' ? textOf(message.message.content) : '')).filter((text) => text.trim() !== '').join('\n').trim();
}
