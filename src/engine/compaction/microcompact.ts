import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ToolResultBlock } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import { resultText, toolResultsOf, withContent } from './toolCalls.ts';
import type { ToolCalls } from './toolCalls.ts';

/** What stands in place of a result that was left out. */
export const LEFT_OUT_RESULT = '(This result was left out to save room. If its content is needed, make the call again, for a smaller part where that is enough.)';

/** Tools whose results can be had again. */
const repeatable = new Set(['Read', 'Bash', 'BashOutput', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'Diagnostics']);
/** Results that stay, counted back from the point where the cache was cold. */
const keptResults = 5;
/** UTF-16 units; what is shorter costs less than its loss. */
const worthClearing = 400;

/**
 * Stage 3: contents of old results that can be had again are replaced by a marker, beyond the newest few
 * before `coldPoint` (the last message that met a cold cache; -1 for none, then nothing happens).
 */
export function microcompact(messages: readonly SessionMessage[], calls: ToolCalls, coldPoint: number): readonly SessionMessage[] {
  const upTo = lastBeyondNewest(messages, calls, coldPoint);
  return upTo < 0 ? messages : clearResults(messages, upTo, (name) => repeatable.has(name), calls);
}

/** Leaves out every result up to the message at `upTo`, of whatever tool: for a conversation that no longer fits. */
export function clearAllResults(messages: readonly SessionMessage[], calls: ToolCalls, upTo: number): readonly SessionMessage[] {
  return upTo < 0 ? messages : clearResults(messages, upTo, () => true, calls);
}

/** UTF-16 units that leaving out a message's results would save. */
export function clearableLength(message: SessionMessage): number {
  return toolResultsOf(message).filter(isWorthClearing).reduce((sum, block) => sum + resultLength(block) - LEFT_OUT_RESULT.length, 0);
}

function lastBeyondNewest(messages: readonly SessionMessage[], calls: ToolCalls, coldPoint: number): number {
  let kept = 0;
  for (let index = coldPoint - 1; index >= 0; index--) {
    const results = toolResultsOf(messages[index]!).filter((block) => isRepeatable(block, calls));
    if (results.length === 0) continue;
    if (kept >= keptResults) return index;
    kept += results.length;
  }
  return -1;
}

function isRepeatable(block: ToolResultBlock, calls: ToolCalls): boolean {
  return repeatable.has(calls.get(block.tool_use_id)?.name ?? '');
}

function clearResults(messages: readonly SessionMessage[], upTo: number, fits: (toolName: string) => boolean, calls: ToolCalls): readonly SessionMessage[] {
  return messages.map((message, index) => (index > upTo || message.type !== 'user' ? message : cleared(message, (block) => fits(calls.get(block.tool_use_id)?.name ?? ''))));
}

/** What was made of a message before, so that it stays the same object. */
const made = new WeakMap<SDKUserMessage, { readonly key: string; readonly message: SDKUserMessage }>();

function cleared(message: SDKUserMessage, fits: (block: ToolResultBlock) => boolean): SDKUserMessage {
  const ids = toolResultsOf(message).filter((block) => fits(block) && isWorthClearing(block)).map((block) => block.tool_use_id);
  if (ids.length === 0 || typeof message.message.content === 'string') return message;
  const key = ids.join('\n');
  const known = made.get(message);
  if (known?.key === key) return known.message;
  const content = message.message.content.map((block) => (isBlock(block, 'tool_result') && ids.includes(block.tool_use_id) ? { ...block, content: LEFT_OUT_RESULT } : block));
  const shorter = withContent(message, content);
  made.set(message, { key, message: shorter });
  return shorter;
}

function isWorthClearing(block: ToolResultBlock): boolean {
  return resultLength(block) > worthClearing;
}

/** Images count as what they cost. */
function resultLength(block: ToolResultBlock): number {
  const images = typeof block.content === 'string' ? 0 : (block.content ?? []).filter((part) => !isBlock(part, 'text')).length;
  return resultText(block).length + images * imageLength;
}

/** About 1,600 tokens, as an image of the largest size that is not scaled down costs; at 3.5 characters each. */
const imageLength = 5_600;
