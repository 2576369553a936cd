import type { SessionMessage } from '../protocol/messages.ts';
import { formatUsd } from '../base/formatUsd.ts';
import { DEFAULT_MAX_TOKENS } from './buildRequest.ts';
import { affordableTokens, leastAnswer } from './cost/budget.ts';
import type { BudgetFacts } from './cost/budget.ts';
import { modelInfo } from './model/modelCatalog.ts';

/** Limits of one turn; undefined for none. */
export interface TurnLimits extends BudgetFacts {
  readonly maxTurns: number | undefined;
  /** Of all requests of the turn together. */
  readonly maxOutputTokensPerTurn?: number | undefined;
}

export interface TurnProgress {
  /** Requests answered so far. */
  readonly iteration: number;
  /** The output limit was raised to the model's own. */
  readonly raised: boolean;
}

export type RequestRoom =
  /** Tokens the next answer may have; undefined where nothing limits it but the default. */
  | { readonly maxTokens: number | undefined }
  | { readonly reason: 'max_turns' | 'max_budget' | 'max_output_tokens'; readonly error: string };

/** Whether the turn may ask the model once more, and how long the answer may become. Decided before every request. */
export function requestRoom(limits: TurnLimits, { iteration, raised }: TurnProgress, messages: readonly SessionMessage[]): RequestRoom {
  const { maxTurns, maxOutputTokensPerTurn: outputLimit, call } = limits;
  if (maxTurns !== undefined && iteration >= maxTurns) return { reason: 'max_turns', error: `The limit of ${maxTurns} requests for one turn was reached.` };
  const affordable = affordableTokens(limits, messages);
  if (affordable === 0) return { reason: 'max_budget', error: whyNoRoom(limits) };
  const left = outputLimit === undefined ? undefined : outputLimit - call.cost.turnUsage().output_tokens;
  // The first request of a turn is made however small the limit is: a turn that says nothing helps nobody.
  if (left !== undefined && left < Math.min(leastAnswer, outputLimit ?? 0)) return { reason: 'max_output_tokens', error: `The limit of ${outputLimit} output tokens for one turn was reached. What was done so far is kept; ask to go on when you are ready.` };
  if (affordable === undefined && left === undefined && !raised) return { maxTokens: undefined };
  const most = raised ? modelInfo(call.model).maxOutput : DEFAULT_MAX_TOKENS;
  return { maxTokens: Math.min(most, affordable ?? Infinity, left ?? Infinity) };
}

function whyNoRoom({ maxBudgetUsd = 0, call }: TurnLimits): string {
  const { totalCostUsd } = call.cost.summary();
  const howOn = 'What was done so far is kept. To go on, raise the limit (turnstone.maxBudgetUsd in the settings, --max-budget-usd on the command line) and say “go on”.';
  const isKnown = totalCostUsd !== null && call.cost.price({ input_tokens: 0, output_tokens: 0 }, call.model, new Date(call.clock.now())) !== null;
  if (!isKnown) return `Stopped: this session may cost ${formatUsd(maxBudgetUsd)}, but a model of unknown price takes part in it, so the limit cannot be kept. What was done so far is kept. To go on, set a price for the model (turnstone.prices in the settings, --prices on the command line), choose another one, or take the limit away.`;
  return `Stopped before it was passed: this session has cost ${formatUsd(totalCostUsd)} of the ${formatUsd(maxBudgetUsd)} that it may cost, and another request could go beyond. ${howOn}`;
}
