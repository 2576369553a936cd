import { isJsonObject } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';

/**
 * Fields of the blocks that a user's message may hold, as the API takes them (`@anthropic-ai/sdk`, parameter types). An
 * answer may hold what only later versions know, and is sent back as it came; a question that holds anything else is refused.
 */
const fieldsOf: { readonly [type: string]: ReadonlySet<string> } = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control', 'transformations']),
  document: new Set(['type', 'source', 'cache_control', 'citations', 'context', 'title']),
  search_result: new Set(['type', 'content', 'source', 'title', 'cache_control', 'citations']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name']),
  tool_reference: new Set(['type', 'tool_name', 'cache_control']),
  container_upload: new Set(['type', 'file_id', 'cache_control']),
};

/** True where nothing has to be left out to send it. */
export function isSaid(content: unknown): boolean {
  return !Array.isArray(content) || content.every((block) => saidBlock(block) === block);
}

/** The content with what other tools add, and what damage made of it, left out. Blocks that need no change stay the same objects. */
export function saidContent(content: unknown): unknown {
  return Array.isArray(content) ? content.flatMap((block) => saidBlock(block) ?? []) : content;
}

/** Undefined for a kind that no question may hold. */
function saidBlock(block: unknown): JsonObject | undefined {
  const fields = isJsonObject(block) && typeof block['type'] === 'string' ? fieldsOf[block['type']] : undefined;
  if (!fields || !isJsonObject(block)) return undefined;
  const isPlain = Object.keys(block).every((field) => fields.has(field));
  const inner = block['type'] === 'tool_result' ? block['content'] : undefined;
  if (isPlain && isSaid(inner)) return block;
  const kept = Object.fromEntries(Object.entries(block).filter(([field]) => fields.has(field)));
  return isSaid(inner) ? kept : { ...kept, content: saidContent(inner) };
}
