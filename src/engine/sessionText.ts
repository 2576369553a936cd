import { cutText } from '../base/text.ts';
import { textOf } from '../protocol/contentBlocks.ts';
import type { SessionMessage } from '../protocol/messages.ts';

/** The text of the last API message, all its blocks together. */
export function lastText(messages: readonly SessionMessage[]): string {
  const last = messages.at(-1);
  if (last?.type !== 'assistant') return '';
  const blocks = messages.filter((message) => message.type === 'assistant' && message.message.id === last.message.id);
  return blocks.map((message) => (message.type === 'assistant' ? textOf(message.message.content) : '')).filter(Boolean).join('\n');
}

/** A title until there is a better one. */
export function firstWords(prompt: string): string {
  const text = prompt.replace(/\s+/g, ' ').trim();
  return text.length > 60 ? `${cutText(text, 59).trimEnd()}…` : text || 'New session';
}
