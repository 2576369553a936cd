import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { SDKAssistantMessage, SessionMessage } from '../../protocol/messages.ts';
import type { CollapseLine } from '../../protocol/transcript.ts';
import { promptTokens } from '../model/tokens.ts';
import { lastColdPoint } from './coldPoint.ts';

/**
 * Characters per token. No tokenizer of current Claude models is public; English and code run at 3.5 to 4.5, logs and
 * JSON lower, so this errs towards too many tokens.
 */
const charactersPerToken = 3.5;
/** An image of the largest size that is not scaled down. Tokens. */
const imageTokens = 1_600;
/** A page of a PDF has about 50 kB and costs about 2,500 tokens. Base64 characters per token. */
const documentCharactersPerToken = 26;

export interface ContextFacts {
  /** As the session holds them. */
  readonly messages: readonly SessionMessage[];
  /** What {@link ./pipeline.ts} made of them. */
  readonly prepared: readonly SessionMessage[];
  readonly collapses: readonly CollapseLine[];
  /** System prompt and tools, in tokens. */
  readonly overhead: number;
}

/**
 * Tokens of the next request: what the server counted last, with an estimate for what was added since; an estimate of
 * all of it where the last count is of a request that looked different (before a compaction, before something was left out).
 */
export function contextSize({ messages, prepared, collapses, overhead }: ContextFacts): number {
  const counted = lastCounted(messages, collapses);
  const from = counted ? prepared.findLastIndex((message) => message.uuid === counted.uuid) : -1;
  if (!counted || from < 0) return overhead + estimateMessages(prepared);
  const { usage } = counted.message;
  return promptTokens(usage) + usage.output_tokens + estimateMessages(prepared.slice(from + 1));
}

/** Estimated tokens, from the characters alone. */
export function estimateMessages(messages: readonly SessionMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/** Estimated tokens of texts that are no messages. */
export function estimateJson(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / charactersPerToken);
}

const estimates = new WeakMap<SessionMessage, number>();

function estimateMessage(message: SessionMessage): number {
  if (message.type === 'system' || (message.type === 'assistant' && message.isApiErrorMessage)) return 0;
  let estimate = estimates.get(message);
  if (estimate === undefined) {
    const { content } = message.message;
    estimate = typeof content === 'string' ? estimateText(content) : content.reduce((sum, block) => sum + estimateBlock(block), 0);
    estimates.set(message, estimate);
  }
  return estimate;
}

function estimateBlock(block: ContentBlock): number {
  if (isBlock(block, 'text')) return estimateText(block.text);
  if (isBlock(block, 'image')) return imageTokens;
  if (isBlock(block, 'document')) return Math.ceil(JSON.stringify(block.source).length / documentCharactersPerToken);
  if (!isBlock(block, 'tool_result')) return estimateJson(block);
  if (block.content === undefined || typeof block.content === 'string') return estimateText(block.content ?? '');
  return block.content.reduce((sum, part) => sum + estimateBlock(part), 0);
}

/** With a few tokens for what surrounds it. */
function estimateText(text: string): number {
  return Math.ceil(text.length / charactersPerToken) + 4;
}

/** The newest answer whose count still describes what is sent. */
function lastCounted(messages: readonly SessionMessage[], collapses: readonly CollapseLine[]): SDKAssistantMessage | undefined {
  const changedAfter = new Set(collapses.map((entry) => entry.afterUuid));
  const boundary = messages.findLastIndex((message) => message.type === 'system');
  const system = messages[boundary];
  const tail = system?.type === 'system' ? system.compact_metadata.preserved_segment?.tail_uuid : undefined;
  const first = Math.max(lastColdPoint(messages), boundary);
  for (let index = messages.length - 1; index > first; index--) {
    const message = messages[index]!;
    if (message.uuid === tail || changedAfter.has(message.uuid)) return undefined;
    if (message.type === 'assistant' && !message.isApiErrorMessage && promptTokens(message.message.usage) > 0) return message;
  }
  return undefined;
}
