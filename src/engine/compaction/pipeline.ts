import type { SessionMessage } from '../../protocol/messages.ts';
import type { CollapseLine } from '../../protocol/transcript.ts';
import { lastColdPoint } from './coldPoint.ts';
import { afterLastBoundary } from './compactBoundary.ts';
import { applyCollapses } from './contextCollapse.ts';
import { microcompact } from './microcompact.ts';
import { snip } from './snip.ts';
import { toolCallsOf } from './toolCalls.ts';
import { applyResultBudget } from './toolResultBudget.ts';
import type { StoredResult } from './toolResultBudget.ts';
import { uniqueCallIds } from './uniqueCallIds.ts';

export interface PreparationFacts {
  /** Takes the results that are too large to be sent. */
  readonly resultFolder: string;
  /** What is told shorter, oldest first. */
  readonly collapses: readonly CollapseLine[];
}

export interface PreparedMessages {
  /** What the model will see. Messages that no stage changed are the same objects as before. */
  readonly messages: readonly SessionMessage[];
  /** Results that have to be in files before the request leaves. */
  readonly stored: readonly StoredResult[];
}

/**
 * What runs before every request, cheapest stage first: pure, so that the same conversation gives the same
 * bytes. The stage that costs a request is {@link ./autocompact.ts}.
 */
export function prepareMessages(messages: readonly SessionMessage[], facts: PreparationFacts): PreparedMessages {
  const current = uniqueCallIds(afterLastBoundary(messages));
  const calls = toolCallsOf(current);
  const coldPoint = lastColdPoint(current);
  const budgeted = applyResultBudget(current, calls, facts.resultFolder);
  const snipped = snip(budgeted.messages, calls, coldPoint);
  const compacted = microcompact(snipped, calls, coldPoint);
  return { messages: applyCollapses(compacted, facts.collapses, calls), stored: budgeted.stored };
}
