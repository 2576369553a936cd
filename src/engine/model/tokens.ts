import type { Usage } from '../../protocol/usage.ts';

/** Every token that a request put into the window: fresh, written to the cache and read from it. */
export function promptTokens(usage: Usage): number {
  return usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
}
