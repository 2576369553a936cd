import type { CacheControl } from '../../protocol/contentBlocks.ts';

const mark: CacheControl = { type: 'ephemeral' };

/** A message as it goes over the wire. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

/**
 * Marks the prefix that the server should keep: the system prompt's stable part is marked where it is made; here the
 * last two user messages are, so that a request finds what the one before it wrote. Three marks of the four allowed.
 */
export function markForCache(messages: readonly WireMessage[]): WireMessage[] {
  const marked = messages.slice();
  let left = 2;
  for (let i = marked.length - 1; i >= 0 && left > 0; i--) {
    const message = marked[i]!;
    if (message.role !== 'user' || message.content.length === 0) continue;
    marked[i] = { ...message, content: [...message.content.slice(0, -1), { ...message.content.at(-1)!, cache_control: mark }] };
    left--;
  }
  return marked;
}
