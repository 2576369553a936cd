import { isWellFormed, wellFormed } from '../base/wellFormed.ts';
import { isBlock } from '../protocol/contentBlocks.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { ConversationMessage, SessionMessage } from '../protocol/messages.ts';
import { undatedModel } from './model/modelCatalog.ts';
import type { WireMessage } from './model/promptCache.ts';
import { pairToolCalls } from './pairToolCalls.ts';
import type { Draft } from './pairToolCalls.ts';
import { pairServerCalls } from './serverCalls.ts';

export { INTERRUPTED_RESULT } from './pairToolCalls.ts';

/**
 * Makes the request's messages from the session's. The originals are never modified, and the same history
 * always gives the same bytes: nothing here depends on what comes after a message, save the pairing of tool calls.
 */
export function normalizeMessagesForAPI(messages: readonly SessionMessage[], model: string): WireMessage[] {
  const drafts = mergeDrafts(answersOf(messages.filter(isSendable)).map((answer) => withOwnThinking(answer, model)));
  const paired = pairToolCalls(drafts.map(({ role, content }, index) => ({ role, content: role === 'user' ? content : pairServerCalls(content, index === drafts.length - 1) })));
  const cleaned = paired.map(clean).filter((draft) => draft.content.length > 0);
  const alternating = mergeDrafts(cleaned);
  if (alternating[0]?.role === 'assistant') alternating.unshift({ role: 'user', content: [{ type: 'text', text: '(earlier conversation left out)' }] });
  return alternating;
}

function isSendable(message: SessionMessage): message is ConversationMessage {
  return message.type === 'user' || (message.type === 'assistant' && !message.isApiErrorMessage);
}

interface Answer extends Draft {
  /** The API message it came in and the model that wrote it; undefined for the user. */
  readonly id: string | undefined;
  readonly model: string | undefined;
}

/** The blocks of one API message, which come as messages of their own, put together again. */
function answersOf(messages: readonly ConversationMessage[]): Answer[] {
  const answers: Answer[] = [];
  for (const { type, message } of messages) {
    const last = answers.at(-1);
    const content = blocksOf(message.content);
    if (type === 'assistant' && last?.id === message.id) last.content.push(...content);
    else answers.push({ role: message.role, content, id: type === 'assistant' ? message.id : undefined, model: type === 'assistant' ? message.model : undefined });
  }
  return answers;
}

function blocksOf(content: string | readonly ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
}

/**
 * Thinking is for the model that thought it, and the API refuses it at the end of a message. Decided for each answer by
 * itself: what follows later, after a pause for example, must not bring it back.
 */
function withOwnThinking(answer: Answer, model: string): Draft {
  const { role, content } = answer;
  if (role === 'user') return { role, content };
  if (undatedModel(answer.model ?? '') !== undatedModel(model)) return { role, content: content.filter((block) => !isThinking(block)) };
  // Thinking comes back as it came or not at all.
  const signed = content.filter((block) => !isThinking(block) || (isWellFormed(block) && block['signature'] !== ''));
  return { role, content: withoutThinkingAtEnd(signed) };
}

function withoutThinkingAtEnd(content: ContentBlock[]): ContentBlock[] {
  const end = content.findLastIndex((block) => !isThinking(block) && !isBlankText(block));
  return content.filter((block, index) => index <= end || !isThinking(block));
}

/** Neighbours of one role become one message. */
function mergeDrafts(drafts: readonly Draft[]): Draft[] {
  const merged: Draft[] = [];
  for (const draft of drafts) {
    const last = merged.at(-1);
    if (last?.role === draft.role) last.content.push(...draft.content);
    else merged.push({ role: draft.role, content: [...draft.content] });
  }
  return merged;
}

function clean({ role, content }: Draft): Draft {
  // A call that is left out because its id came before may have been all that stood behind some thinking.
  const kept = role === 'assistant' ? withoutThinkingAtEnd(content) : content;
  return { role, content: kept.filter((block) => !isBlankText(block)).map((block) => sendable(cleanResult(block))) };
}

function isThinking(block: ContentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isBlankText(block: ContentBlock): boolean {
  return isBlock(block, 'text') && block.text.trim() === '';
}

/** Half of a surrogate pair, from a text that was cut or a file that is not text, makes the API refuse the whole request. */
function sendable(block: ContentBlock): ContentBlock {
  return isThinking(block) ? block : wellFormed(block);
}

/** Blank texts are refused inside results too. */
function cleanResult(block: ContentBlock): ContentBlock {
  if (!isBlock(block, 'tool_result') || typeof block.content === 'string' || !block.content) return block;
  if (!block.content.some(isBlankText)) return block;
  const content = block.content.filter((part) => !isBlankText(part));
  return { ...block, content: content.length > 0 ? content : '(no output)' };
}
