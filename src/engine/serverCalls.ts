import type { ContentBlock } from '../protocol/contentBlocks.ts';

/**
 * Calls of tools that the API runs itself (a web search) stand with their results in one message, and the API takes
 * neither alone. A call at the very end may lack its result: the answer was paused there and goes on with it.
 */
export function pairServerCalls(content: readonly ContentBlock[], isLast: boolean): ContentBlock[] {
  const answered = new Set(content.flatMap((block) => (isServerResult(block) ? [block.tool_use_id] : [])));
  const asked = new Set<unknown>();
  return content.filter((block) => {
    if (isServerResult(block)) return asked.has(block.tool_use_id);
    if (block.type !== 'server_tool_use') return true;
    asked.add(block.id);
    return isLast || answered.has(block.id);
  });
}

/** `web_search_tool_result`, `web_fetch_tool_result` …: each server tool has a type of its own. */
function isServerResult(block: ContentBlock): boolean {
  return block.type !== 'tool_result' && block.type.endsWith('_tool_result');
}
