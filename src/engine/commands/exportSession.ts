import { isBlock, textOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import type { Session } from '../session.ts';

/** The conversation as Markdown or JSON, for `/export`. Meta messages are left out of Markdown; JSON holds everything. */
export function exportText(format: string, session: Session): string {
  if (session.messages.length === 0) return 'There is nothing to export yet.';
  if (format === 'json') return JSON.stringify({ sessionId: session.sessionId, title: session.title, model: session.model, cwd: session.cwd, messages: session.messages }, undefined, 2);
  if (format !== '' && format !== 'md' && format !== 'markdown') return `"${format}" is no known form. Use /export md or /export json.`;
  return sessionMarkdown(session);
}

/** Ends with a line feed. */
export function sessionMarkdown({ title, sessionId, cwd, messages }: Pick<Session, 'title' | 'sessionId' | 'cwd' | 'messages'>): string {
  return [`# ${title}`, `Session ${sessionId} in ${cwd}`, ...messages.flatMap(markdownOf)].join('\n\n') + '\n';
}

function markdownOf(message: SessionMessage): string[] {
  if (message.type === 'system') return ['---', '*What came before was compacted.*'];
  if (message.type === 'user' && message.isMeta) return [];
  const { content } = message.message;
  const parts = typeof content === 'string' ? [content.trim()] : content.flatMap(markdownOfBlock);
  const isPrompt = message.type === 'user' && (typeof content === 'string' || !content.some((block) => isBlock(block, 'tool_result')));
  return isPrompt ? ['## You', ...parts] : parts;
}

function markdownOfBlock(block: ContentBlock): string[] {
  if (isBlock(block, 'text')) return block.text.trim() === '' ? [] : [block.text.trim()];
  if (isBlock(block, 'tool_use')) return [`**${block.name}**\n\n${fenced(JSON.stringify(block.input, undefined, 2), 'json')}`];
  if (isBlock(block, 'tool_result')) return [fenced(typeof block.content === 'string' ? block.content : textOf(block.content ?? []), '')];
  if (isBlock(block, 'image')) return ['*(an image)*'];
  if (isBlock(block, 'document')) return ['*(a document)*'];
  return [];
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
