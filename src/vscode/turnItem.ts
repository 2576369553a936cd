import { isPretendPrice } from '../base/demoModel.ts';
import type { TurnItem } from '../protocol/chatView.ts';
import type { SDKResultMessage } from '../protocol/messages.ts';

/** The line that closes a turn. */
export function turnItem(message: SDKResultMessage): TurnItem {
  const { usage } = message;
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    kind: 'turn',
    id: message.uuid,
    ok: message.subtype === 'success' && !message.is_error,
    error: message.subtype === 'success' ? undefined : whyNot(message),
    costUsd: message.turn_cost_usd,
    ...(message.turn_models.some(isPretendPrice) && { isPretend: true }),
    durationMs: message.duration_ms,
    inputTokens: usage.input_tokens + cacheReadTokens + cacheWriteTokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(message.unreported && { unreported: message.unreported }),
    ...(message.speed && { speed: message.speed }),
  };
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
