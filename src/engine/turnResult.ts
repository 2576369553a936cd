import type { Clock } from '../base/abort.ts';
import { textOf, toolUsesOf } from '../protocol/contentBlocks.ts';
import type { SDKResultMessage, SessionMessage } from '../protocol/messages.ts';
import type { PermissionDenial } from '../protocol/permissions.ts';
import type { CostTracker } from './cost/costTracker.ts';
import type { SessionTelemetry } from './ports.ts';
import type { QueryEnd } from './query.ts';
import { lastText } from './sessionText.ts';

export interface TurnFacts {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly cost: CostTracker;
  readonly messages: readonly SessionMessage[];
  /** Times in milliseconds. */
  readonly turn: { readonly startedAt: number; readonly apiMsBefore: number; readonly permissionDenials: readonly PermissionDenial[] };
  /** What went wrong beside the model, in this turn. */
  readonly errors: readonly string[];
  /** Set for a sub-agent, whose turns are part of another one. */
  readonly config: { readonly agentId?: string | undefined };
  readonly telemetry?: SessionTelemetry | undefined;
}

/** The one message that a turn ends with; whoever measures is told of it. */
export function turnResult(end: QueryEnd, facts: TurnFacts): SDKResultMessage {
  const result = resultMessage(end, facts);
  if (facts.config.agentId === undefined) facts.telemetry?.turnEnded(result, lastPrompt(facts.messages));
  return result;
}

function resultMessage(end: QueryEnd, { sessionId, clock, cost, messages, turn, errors, config }: TurnFacts): SDKResultMessage {
  const verdict = judgeTurn(end, messages);
  const summary = cost.summary();
  const unreported = cost.turnUnreported();
  return {
    type: 'result',
    subtype: verdict.subtype,
    is_error: verdict.subtype !== 'success',
    uuid: crypto.randomUUID(),
    session_id: sessionId,
    duration_ms: Math.max(0, clock.now() - turn.startedAt),
    duration_api_ms: summary.apiDurationMs - turn.apiMsBefore,
    num_turns: end.iterations,
    ...(verdict.subtype === 'success' && { result: end.text ?? lastText(messages) }),
    total_cost_usd: summary.totalCostUsd,
    // A sub-agent's turn is a part of another one, which is still open.
    turn_cost_usd: config.agentId === undefined ? cost.closeTurn() : null,
    turn_models: cost.turnModels(),
    ...(unreported && { unreported }),
    usage: cost.turnUsage(),
    speed: cost.turnSpeed(),
    modelUsage: summary.modelUsage,
    permission_denials: turn.permissionDenials,
    stop_reason: end.stopReason,
    errors: [...verdict.errors, ...errors],
  };
}

/** How a turn ended, and the three facts that say so. */
export function judgeTurn(end: QueryEnd, messages: readonly SessionMessage[]): { readonly subtype: SDKResultMessage['subtype']; readonly errors: readonly string[] } {
  switch (end.reason) {
    case 'max_turns':
      return { subtype: 'error_max_turns', errors: [end.error ?? diagnosticLine(end, messages)] };
    case 'max_budget':
      return { subtype: 'error_max_budget_usd', errors: [end.error ?? diagnosticLine(end, messages)] };
    case 'failed':
    case 'max_output_tokens':
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

function lastPrompt(messages: readonly SessionMessage[]): string {
  const isPrompt = (text: string): boolean => text.trim() !== '';
  const prompts = messages.flatMap((message) => (message.type === 'user' && !message.isMeta ? [textOf(message.message.content)] : []));
  return prompts.findLast(isPrompt) ?? '';
}
