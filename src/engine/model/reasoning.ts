import type { ReasoningChoice, ThinkingChoice } from '../../protocol/reasoning.ts';
import { modelInfo } from './modelCatalog.ts';
import type { ModelInfo } from './modelCatalog.ts';
import type { WireMessage } from './promptCache.ts';

/** The API's smallest budget, in tokens. */
export const minBudget = 1_024;
/** Room beside the budget for what is said after thinking, in tokens. */
const roomForAnswer = 8_000;
/** Where a model that wants a budget is told to think as it likes. */
const autoBudget = 10_000;

/** Fields of the request that say how much to think; none where nothing was chosen or the model takes none. */
export interface ReasoningFields {
  readonly max_tokens: number;
  readonly thinking?: { readonly type: 'adaptive' } | { readonly type: 'disabled' } | { readonly type: 'enabled'; readonly budget_tokens: number };
  readonly output_config?: { readonly effort: string };
}

export interface ReasoningFacts {
  readonly model: string;
  readonly choice: ReasoningChoice;
  /** As it would be without thinking. */
  readonly maxTokens: number;
  /** True when `maxTokens` is what can still be paid for: then it is not raised. */
  readonly isLimited: boolean;
  readonly messages: readonly WireMessage[];
}

/** Pure. A budget stays below `max_tokens`, which is raised for it as far as the model goes. */
export function reasoningFields(facts: ReasoningFacts): ReasoningFields {
  const info = modelInfo(facts.model);
  const effort = nearestEffort(info, facts.choice.effort);
  const output = effort === undefined ? {} : { output_config: { effort } };
  const { thinking } = facts.choice;
  const budget = thinking === undefined || thinking === 'off' ? undefined : budgetFor(info, thinking);
  if (budget !== undefined) return { ...withBudget(budget, info, facts), ...output };
  return { max_tokens: facts.maxTokens, ...withoutBudget(info, thinking), ...output };
}

/** What a choice comes to with a model, for `/thinking` and `/effort`; undefined when it is taken as it is. */
export function whyNotTaken(model: string, { thinking, effort }: ReasoningChoice): string | undefined {
  const info = modelInfo(model);
  if (effort !== undefined && info.efforts.length === 0) return `${model} is not known to take an effort, so nothing is sent to it; it counts for models that do.`;
  if (effort !== undefined && nearestEffort(info, effort) !== effort) return `The most that ${model} takes is ${nearestEffort(info, effort)}.`;
  if (thinking === undefined) return undefined;
  if (info.thinking === 'none') return `${model} is not known to take a choice of thinking, so nothing is sent to it; it counts for models that do.`;
  if (typeof thinking === 'number' && info.thinking === 'adaptive') return `${model} takes no number: it decides for itself how long it thinks.`;
  return undefined;
}

function nearestEffort(info: ModelInfo, effort: ReasoningChoice['effort']): string | undefined {
  if (effort === undefined) return undefined;
  return info.efforts.includes(effort) ? effort : info.efforts.at(-1);
}

function budgetFor(info: ModelInfo, thinking: Exclude<ThinkingChoice, 'off'>): number | undefined {
  if (info.thinking === 'budget') return thinking === 'auto' ? autoBudget : thinking;
  return info.thinking === 'either' && typeof thinking === 'number' ? thinking : undefined;
}

function withoutBudget(info: ModelInfo, thinking: ThinkingChoice | undefined): Pick<ReasoningFields, 'thinking'> {
  // Models that want a budget do not think unless asked.
  if (thinking === undefined || info.thinking === 'none' || info.thinking === 'budget') return {};
  return { thinking: { type: thinking === 'off' ? 'disabled' : 'adaptive' } };
}

function withBudget(wanted: number, info: ModelInfo, { maxTokens, isLimited, messages }: ReasoningFacts): Pick<ReasoningFields, 'max_tokens' | 'thinking'> {
  const most = isLimited ? maxTokens : Math.min(info.maxOutput, Math.max(maxTokens, wanted + roomForAnswer));
  const budget = Math.min(wanted, most - minBudget);
  if (budget < minBudget || endsInTraceWithoutThinking(messages)) return { max_tokens: maxTokens };
  return { max_tokens: most, thinking: { type: 'enabled', budget_tokens: budget } };
}

/**
 * With a budget the API wants the tool calls it is to go on from to begin with thinking. They don't when thinking or
 * the model was switched between a call and its result: then it is turned on with the next prompt.
 */
function endsInTraceWithoutThinking(messages: readonly WireMessage[]): boolean {
  if (!messages.at(-1)?.content.some((block) => block.type === 'tool_result')) return false;
  const first = messages.findLast((message) => message.role === 'assistant')?.content[0]?.type;
  return first !== 'thinking' && first !== 'redacted_thinking';
}
