import type { SessionMessage } from '../../protocol/messages.ts';
import type { Usage } from '../../protocol/usage.ts';

/** Every token that a request put into the window: fresh, written to the cache and read from it. */
export function promptTokens(usage: Usage): number {
  return usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
}

/**
 * Characters per token. No tokenizer of current Claude models is public; English and code run at 3.5 to 4.5, logs and
 * JSON lower, so this errs towards too many tokens.
 */
const charactersPerToken = 3.5;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Tokens in the window after the last answer: exact up to there, estimated for what was added since. */
export function contextTokens(messages: readonly SessionMessage[]): number {
  let added = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.type === 'assistant' && !message.isApiErrorMessage && promptTokens(message.message.usage) > 0) {
      return promptTokens(message.message.usage) + message.message.usage.output_tokens + added;
    }
    if (message.type !== 'system') added += estimateTokens(JSON.stringify(message.message.content));
  }
  return added;
}
