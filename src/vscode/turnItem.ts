import type { TurnItem } from '../protocol/chatView.ts';
import type { SDKResultMessage } from '../protocol/messages.ts';

/** The line that closes a turn. The cost is what the session's total grew by; null when either is unknown. */
export function turnItem(state: { totalCostUsd: number | null }, message: SDKResultMessage): TurnItem {
  const before = state.totalCostUsd;
  const total = message.total_cost_usd;
  state.totalCostUsd = total;
  const { usage } = message;
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    kind: 'turn',
    id: message.uuid,
    ok: message.subtype === 'success' && !message.is_error,
    error: message.subtype === 'success' ? undefined : whyNot(message),
    costUsd: total === null || before === null ? null : total - before,
    durationMs: message.duration_ms,
    inputTokens: usage.input_tokens + cached,
    outputTokens: usage.output_tokens,
  };
}

function whyNot(message: SDKResultMessage): string | undefined {
  switch (message.subtype) {
    case 'error_max_turns':
      return 'Stopped: the limit of requests for one turn was reached. Say “go on” to continue.';
    case 'error_max_budget_usd':
      return 'Stopped: the cost limit was reached. Raise “Turnstone: Max Budget” to continue.';
    default:
      return wasInterrupted(message) ? undefined : (message.errors[0] ?? 'The turn ended early.');
  }
}

/** The user's own doing needs no explanation. */
function wasInterrupted({ errors }: SDKResultMessage): boolean {
  return errors[0]?.startsWith('Interrupted.') === true;
}
