import { isPretendPrice } from '../base/demoModel.ts';
import type { TurnItem } from '../protocol/chatView.ts';
import type { SDKResultMessage } from '../protocol/messages.ts';

/** The line that closes a turn. The cost is what the session's total grew by, to a picodollar; null when either is unknown. */
export function turnItem(state: { totalCostUsd: number | null; pretendUsd: number }, message: SDKResultMessage): TurnItem {
  const { totalCostUsd: before, pretendUsd: pretendBefore } = state;
  const total = message.total_cost_usd;
  state.totalCostUsd = total;
  state.pretendUsd = pretendUsd(message);
  const { usage } = message;
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    kind: 'turn',
    id: message.uuid,
    ok: message.subtype === 'success' && !message.is_error,
    error: message.subtype === 'success' ? undefined : whyNot(message),
    costUsd: total === null || before === null ? null : Math.round((total - before) * 1e12) / 1e12,
    ...(state.pretendUsd > pretendBefore && { isPretend: true }),
    durationMs: message.duration_ms,
    inputTokens: usage.input_tokens + cacheReadTokens + cacheWriteTokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(message.unreported && { unreported: message.unreported }),
    ...(message.speed && { speed: message.speed }),
  };
}

/** Of what a session has cost: what nobody is billed for. */
export function pretendUsd({ modelUsage }: Pick<SDKResultMessage, 'modelUsage'>): number {
  return Object.entries(modelUsage).reduce((sum, [model, { costUSD }]) => sum + (isPretendPrice(model) ? (costUSD ?? 0) : 0), 0);
}

function whyNot(message: SDKResultMessage): string | undefined {
  switch (message.subtype) {
    case 'error_max_turns':
      return 'Stopped: the limit of requests for one turn was reached. Say “go on” to continue.';
    default:
      return wasInterrupted(message) ? undefined : (message.errors[0] ?? 'The turn ended early.');
  }
}

/** The user's own doing needs no explanation. */
function wasInterrupted({ errors }: SDKResultMessage): boolean {
  return errors[0]?.startsWith('Interrupted.') === true;
}
