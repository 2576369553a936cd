import type { MessagesRequest, WireBlock } from './apiTypes.ts';

/** Prompt tokens as the usage splits them. */
export interface CacheUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

interface Part {
  readonly text: string;
  readonly marked: boolean;
}

/**
 * Imitates the prompt cache: what stands before a mark is stored, and a later request that begins with the same bytes
 * reads it. A part is a tool, a system block or a message block; the marks themselves may move without harm.
 */
export class PromptCacheSimulation {
  private readonly stored = new Set<string>();

  /** The usage of this request; what it marks is stored for the next one. */
  record(request: MessagesRequest): CacheUsage {
    const parts = partsOf(request);
    let prefix = request.model;
    let tokens = 0;
    let read = 0;
    let marked = 0;
    const toStore: string[] = [];
    for (const part of parts) {
      prefix += `\n${part.text}`;
      tokens += estimateTokens(part.text);
      if (this.stored.has(prefix)) read = tokens;
      if (!part.marked) continue;
      marked = tokens;
      toStore.push(prefix);
    }
    for (const marker of toStore) this.stored.add(marker);
    const written = Math.max(0, marked - read);
    return { input_tokens: tokens - read - written, cache_read_input_tokens: read, cache_creation_input_tokens: written };
  }
}

/** The usual rough estimate: a token per four bytes. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4));
}

/** The prompt in the order the cache sees it, one text per part, without marks: equal prefixes mean a warm cache. */
export function promptParts(request: MessagesRequest): string[] {
  return partsOf(request).map(part => part.text);
}

function partsOf(request: MessagesRequest): Part[] {
  const parts = (request.tools ?? []).map(tool => partOf(tool, 'tool'));
  if (typeof request.system === 'string') parts.push({ text: `system ${request.system}`, marked: false });
  else parts.push(...(request.system ?? []).map(block => partOf(block, 'system')));
  for (const message of request.messages) {
    if (typeof message.content === 'string') parts.push({ text: `${message.role} ${JSON.stringify(message.content)}`, marked: false });
    else parts.push(...message.content.map(block => partOf(block, message.role)));
  }
  return parts;
}

function partOf(block: WireBlock, label: string): Part {
  const { cache_control: mark, ...rest } = block;
  return { text: `${label} ${JSON.stringify(rest)}`, marked: mark !== undefined && mark !== null };
}
