import { isBlock, toolUsesOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock, ToolResultBlock } from '../protocol/contentBlocks.ts';
import type { ConversationMessage, SessionMessage } from '../protocol/messages.ts';
import { undatedModel } from './model/modelCatalog.ts';
import type { WireMessage } from './model/promptCache.ts';

/** What the model is told about a call that has no result. */
export const INTERRUPTED_RESULT = 'Interrupted before it finished. Nothing is known about its result.';

interface Draft {
  role: 'user' | 'assistant';
  content: ContentBlock[];
  /** The model that wrote it; undefined for the user. */
  model: string | undefined;
}

/**
 * Makes the request's messages from the session's (SPEC Q5). The originals are never modified, and the same history
 * always gives the same bytes: nothing here depends on what comes after a message, save the pairing of tool calls.
 */
export function normalizeMessagesForAPI(messages: readonly SessionMessage[], model: string): WireMessage[] {
  const drafts = merge(messages.filter(isSendable));
  const paired = pairToolCalls(drafts);
  const cleaned = paired.map((draft) => clean(draft, model)).filter((draft) => draft.content.length > 0);
  const alternating = mergeDrafts(cleaned);
  if (alternating[0]?.role === 'assistant') alternating.unshift({ role: 'user', content: [{ type: 'text', text: '(earlier conversation left out)' }], model: undefined });
  return alternating.map(({ role, content }) => ({ role, content }));
}

function isSendable(message: SessionMessage): message is ConversationMessage {
  return message.type === 'user' || (message.type === 'assistant' && !message.isApiErrorMessage);
}

function merge(messages: readonly ConversationMessage[]): Draft[] {
  return mergeDrafts(
    messages.map((message) => ({
      role: message.message.role,
      content: blocksOf(message.message.content),
      model: message.type === 'assistant' ? message.message.model : undefined,
    })),
  );
}

function blocksOf(content: string | readonly ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
}

/** Neighbours of one role become one message; assistant blocks of different models stay told apart. */
function mergeDrafts(drafts: readonly Draft[]): Draft[] {
  const merged: Draft[] = [];
  for (const draft of drafts) {
    const last = merged.at(-1);
    if (last?.role !== draft.role) merged.push({ ...draft, content: [...draft.content] });
    else if (last.model === draft.model) last.content.push(...draft.content);
    // Thinking was judged by its own model in `clean`; before that, two models must not be lumped together.
    else last.content.push(...withoutThinking(draft.content));
  }
  return merged;
}

/** Each call is answered exactly once, first in the next user message; results without a call are dropped. */
function pairToolCalls(drafts: readonly Draft[]): Draft[] {
  const answered: Draft[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < drafts.length; i++) {
    const draft = drafts[i]!;
    if (draft.role === 'user') {
      if (answered.at(-1)?.role !== 'user') answered.push({ ...draft, content: draft.content.filter((block) => !isBlock(block, 'tool_result')) });
      continue;
    }
    const content = draft.content.filter((block) => !isBlock(block, 'tool_use') || (!seen.has(block.id) && seen.add(block.id)));
    answered.push({ ...draft, content });
    const calls = toolUsesOf(content);
    if (calls.length === 0) continue;
    const next = drafts[i + 1]?.role === 'user' ? drafts[i + 1]!.content : [];
    const results = calls.map((call) => next.find((block): block is ToolResultBlock => isBlock(block, 'tool_result') && block.tool_use_id === call.id) ?? missingResult(call.id));
    answered.push({ role: 'user', model: undefined, content: [...results, ...next.filter((block) => !isBlock(block, 'tool_result'))] });
  }
  return answered;
}

function missingResult(toolUseId: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: INTERRUPTED_RESULT, is_error: true };
}

function clean(draft: Draft, model: string): Draft {
  let content = draft.content.filter((block) => !isBlankText(block));
  if (draft.role === 'assistant') {
    if (undatedModel(draft.model ?? '') !== undatedModel(model)) content = withoutThinking(content);
    content = content.filter((block) => !isBlock(block, 'thinking') || block.signature !== '');
    // The API refuses an assistant message that ends in thinking.
    while (content.length > 0 && isThinking(content.at(-1)!)) content.pop();
  }
  return { ...draft, content: content.map(cleanResult) };
}

function withoutThinking(content: readonly ContentBlock[]): ContentBlock[] {
  return content.filter((block) => !isThinking(block));
}

function isThinking(block: ContentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isBlankText(block: ContentBlock): boolean {
  return isBlock(block, 'text') && block.text.trim() === '';
}

/** Blank texts are refused inside results too. */
function cleanResult(block: ContentBlock): ContentBlock {
  if (!isBlock(block, 'tool_result') || typeof block.content === 'string' || !block.content) return block;
  if (!block.content.some(isBlankText)) return block;
  const content = block.content.filter((part) => !isBlankText(part));
  return { ...block, content: content.length > 0 ? content : '(no output)' };
}
