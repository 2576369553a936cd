import { toolUsesOf } from '../protocol/contentBlocks.ts';
import type { SDKResultMessage, SessionMessage } from '../protocol/messages.ts';
import type { QueryEnd } from './query.ts';

/** How a turn ended, and the three facts that say so (SPEC E7). */
export function judgeTurn(end: QueryEnd, messages: readonly SessionMessage[]): { readonly subtype: SDKResultMessage['subtype']; readonly errors: readonly string[] } {
  switch (end.reason) {
    case 'max_turns':
      return { subtype: 'error_max_turns', errors: [end.error ?? diagnosticLine(end, messages)] };
    case 'max_budget':
      return { subtype: 'error_max_budget_usd', errors: [end.error ?? diagnosticLine(end, messages)] };
    case 'failed':
      return { subtype: 'error_during_execution', errors: [end.error ?? diagnosticLine(end, messages)] };
    case 'interrupted':
      return { subtype: 'error_during_execution', errors: [`Interrupted. ${diagnosticLine(end, messages)}`] };
    case 'completed':
      return endedWell(end, messages) ? { subtype: 'success', errors: [] } : { subtype: 'error_during_execution', errors: [diagnosticLine(end, messages)] };
  }
}

function endedWell(end: QueryEnd, messages: readonly SessionMessage[]): boolean {
  if (end.stopReason === 'end_turn') return true;
  const last = messages.at(-1);
  if (!last || last.type === 'system') return false;
  if (last.type === 'assistant') {
    const block = last.message.content.at(-1)?.type;
    return block === 'text' || block === 'thinking' || block === 'redacted_thinking';
  }
  const { content } = last.message;
  return typeof content !== 'string' && content.length > 0 && content.every((block) => block.type === 'tool_result');
}

function diagnosticLine(end: QueryEnd, messages: readonly SessionMessage[]): string {
  const last = messages.at(-1);
  const content = last && last.type !== 'system' ? last.message.content : undefined;
  const block = typeof content === 'string' ? 'text' : content?.at(-1)?.type;
  const calls = content ? toolUsesOf(content).length : 0;
  return `Last message: ${last?.type ?? 'none'}; last block: ${block ?? 'none'}${calls > 1 ? ` (${calls} calls)` : ''}; stop reason: ${end.stopReason ?? 'none'}.`;
}
