import type { SessionMessage } from '../../protocol/messages.ts';
import { contextSize } from '../compaction/contextSize.ts';
import type { CostTracker } from './costTracker.ts';

/** An answer shorter than this is not worth its prompt. In tokens. */
export const leastAnswer = 1_000;

export interface BudgetFacts {
  readonly maxBudgetUsd: number | undefined;
  /** Searches that the server may make, and charge for, within one request. Default: none. */
  readonly maxWebSearches?: number | undefined;
  readonly call: { readonly model: string; readonly cost: CostTracker; readonly clock: { now(): number } };
}

/**
 * Output tokens that the budget has room for in the worst case: nothing comes from the cache, and the answer takes all
 * it may, and every search is made. Undefined without a budget, 0 when no useful answer fits. A model of unknown price has no room: a limit that
 * cannot be kept must not be pretended.
 */
export function affordableTokens(facts: BudgetFacts, messages: readonly SessionMessage[]): number | undefined {
  if (facts.maxBudgetUsd === undefined) return undefined;
  const { model, cost, clock } = facts.call;
  const date = new Date(clock.now());
  const prompt = contextSize({ messages, prepared: messages, collapses: [], overhead: 0 });
  const usage = { input_tokens: 0, cache_creation_input_tokens: prompt, server_tool_use: { web_search_requests: facts.maxWebSearches ?? 0 } };
  const promptCost = cost.price({ ...usage, output_tokens: 0 }, model, date);
  const withOutput = cost.price({ ...usage, output_tokens: 1_000 }, model, date);
  const spent = cost.summary().totalCostUsd;
  if (promptCost === null || withOutput === null || spent === null) return 0;
  const tokens = Math.floor(((facts.maxBudgetUsd - spent - promptCost) / (withOutput - promptCost)) * 1_000);
  return tokens < leastAnswer ? 0 : tokens;
}
