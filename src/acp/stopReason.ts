import type * as acp from '@agentclientprotocol/sdk';
import type { SDKResultMessage } from '../protocol/messages.ts';

/** Pure. How a turn ended, in the words of the protocol; undefined for a failure, for which it has none. */
export function stopReason({ subtype, stop_reason: reason }: SDKResultMessage, isCancelled: boolean): acp.StopReason | undefined {
  if (isCancelled) return 'cancelled';
  if (subtype === 'error_max_turns' || subtype === 'error_max_budget_usd') return 'max_turn_requests';
  if (reason === 'refusal') return 'refusal';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'max_tokens';
  return subtype === 'success' ? 'end_turn' : undefined;
}
