import { isBlock, toolUsesOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import { CallIds } from './callIds.ts';

/** What the model is told about a call that has no result. */
export const INTERRUPTED_RESULT = 'Interrupted before it finished. Nothing is known about its result.';

/** Of a tool, in UTF-16 units, as the API says. */
const longestName = 128;

/** A message of a request in the making. */
export interface Draft {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock[];
}

/**
 * Each call is answered exactly once, first in the next user message; results without a call are dropped. The API wants
 * ids that occur once in a request, and of letters, digits, `_` and `-`; proxies number anew in each answer (`call_0`).
 * So a call whose id was used before goes under another name, which depends on nothing but what stands before it.
 * Of calls with one id in one message only the first was run, and only it is sent.
 */
export function pairToolCalls(drafts: readonly Draft[]): Draft[] {
  const answered: Draft[] = [];
  const names = new CallIds();
  for (let i = 0; i < drafts.length; i++) {
    const draft = drafts[i]!;
    if (draft.role === 'user') {
      if (answered.at(-1)?.role !== 'user') answered.push({ ...draft, content: draft.content.filter((block) => !isBlock(block, 'tool_result')) });
      continue;
    }
    const own = withoutRepeatedCalls(draft.content);
    const calls = toolUsesOf(own);
    const wireIds = new Map(calls.map((call) => [call.id, names.take(call.id.replace(/[^\w-]/g, '_') || 'call')]));
    answered.push({ ...draft, content: own.map((block) => (isBlock(block, 'tool_use') ? renamed(block, wireIds.get(block.id)!) : block)) });
    if (calls.length === 0) continue;
    const next = drafts[i + 1]?.role === 'user' ? drafts[i + 1]!.content : [];
    const results = calls.map((call) => resultFor(call, wireIds.get(call.id)!, next));
    answered.push({ role: 'user', content: [...results, ...next.filter((block) => !isBlock(block, 'tool_result'))] });
  }
  return answered;
}

function withoutRepeatedCalls(content: readonly ContentBlock[]): ContentBlock[] {
  const seen = new Set<string>();
  return content.filter((block) => !isBlock(block, 'tool_use') || (!seen.has(block.id) && seen.add(block.id)));
}

/** A name that no tool can have is refused as well: of one that the model made up, or a gateway cut. */
function renamed(call: ToolUseBlock, id: string): ToolUseBlock {
  const name = call.name.replace(/[^\w-]/g, '_').slice(0, longestName) || 'unnamed';
  return call.id === id && call.name === name ? call : { ...call, id, name };
}

function resultFor(call: ToolUseBlock, id: string, next: readonly ContentBlock[]): ToolResultBlock {
  const result = next.find((block): block is ToolResultBlock => isBlock(block, 'tool_result') && block.tool_use_id === call.id);
  if (!result) return { type: 'tool_result', tool_use_id: id, content: INTERRUPTED_RESULT, is_error: true };
  return result.tool_use_id === id ? result : { ...result, tool_use_id: id };
}
