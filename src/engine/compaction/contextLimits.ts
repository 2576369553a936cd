/** Tokens that a model can take and give. */
export interface ModelLimits {
  readonly contextWindow: number;
  readonly maxOutput: number;
}

/** Room for the answer in which the conversation is summarised. Tokens. */
export const SUMMARY_TOKENS = 20_000;
/** What a turn may still add before the next look at the size. Tokens. */
const reserve = 13_000;

/**
 * The size of the conversation, in tokens, from which on it is summarised; also what the context meter calls full.
 * Windows so small that the formula would leave less than half of them are used by half.
 */
export function compactionTrigger({ contextWindow, maxOutput }: ModelLimits): number {
  return Math.max(contextWindow - Math.min(maxOutput, SUMMARY_TOKENS) - reserve, Math.floor(contextWindow / 2));
}

/** What stays word for word at the end, as far as it can be cut there. Tokens. */
export function preservedTokens(trigger: number): number {
  return Math.min(20_000, Math.floor(trigger / 5));
}
