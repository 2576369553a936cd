import type { ModelUsage, UnreportedUse } from '../../protocol/usage.ts';
import type { Amounts } from './charges.ts';

/** What a request was made for. `retry`: its answer was taken back and asked for again; it was paid for all the same. */
export const costPurposes = ['answer', 'retry', 'subAgent', 'title', 'summary', 'webPage'] as const;
export type CostPurpose = (typeof costPurposes)[number];

/** Of a transcript; one that a later version may have written counts as an answer. */
export function costPurpose(name: string): CostPurpose {
  return costPurposes.find((purpose) => purpose === name) ?? 'answer';
}

/** What one model has used for one purpose. */
export interface CostLine {
  readonly model: string;
  readonly purpose: CostPurpose;
  /** API messages, those that failed after they had begun included. */
  readonly requests: number;
  readonly amounts: Amounts;
  /** USD by kind; null when the price of one of them was not known. */
  readonly usd: Amounts | null;
}

/** What the conversation that a fork began with had cost, where it was held. `usd` is null where a price is not known. */
export interface InheritedCost {
  readonly sessionId: string;
  readonly usd: number | null;
}

/** What the totals of a session are made of. Durations in milliseconds. */
export interface CostSummary {
  /** USD; null when a model of unknown price took part. */
  readonly totalCostUsd: number | null;
  /** USD of the models whose price is known: the same, or a lower bound where that is null. */
  readonly knownCostUsd: number;
  readonly apiDurationMs: number;
  readonly apiDurationWithoutRetriesMs: number;
  readonly toolDurationMs: number;
  /** Of all turns, from the prompt to the result. */
  readonly turnDurationMs: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly modelUsage: { readonly [model: string]: ModelUsage };
  /** The same by model and purpose: they add up to the total. */
  readonly lines: readonly CostLine[];
  /** Set where the figures here are lower bounds. Not part of any of them. */
  readonly unreported?: UnreportedUse | undefined;
  /** Of a fork. Not part of any figure here. */
  readonly inherited?: InheritedCost | undefined;
}
