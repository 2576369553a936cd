import type { UnreportedUse, Usage } from '../../protocol/usage.ts';
import { addUsd, costOf } from './charges.ts';
import type { PriceRow } from './priceRows.ts';

/** What is known of an answer, whole or not. */
export interface AnswerUse {
  readonly model: string;
  readonly usage: Usage;
  /** When the request was sent: prices change by date. */
  readonly date: Date;
  /** Of one that broke off: output tokens that had come, estimated. */
  readonly receivedTokens?: number | undefined;
}

/** Of texts that models write; code has fewer. Characters in UTF-16 units. */
const charactersPerToken = 3.5;

/** Of output that came, however it was made up: text, thinking, the input of calls. */
export function outputTokensIn(characters: number): number {
  return Math.round(characters / charactersPerToken);
}

/**
 * What an answer that broke off has probably used beyond what the server told: the prompt is told at the beginning, the
 * output at the end, which never came. Estimated from what was received, so that it is said beside a figure and never
 * part of one.
 */
export function useBeyond({ model, usage, date, receivedTokens = 0 }: AnswerUse, rows: readonly PriceRow[]): UnreportedUse {
  const outputTokens = Math.max(0, receivedTokens - (usage.output_tokens ?? 0));
  const told = costOf(usage, model, date, rows);
  const whole = costOf({ ...usage, output_tokens: (usage.output_tokens ?? 0) + outputTokens }, model, date, rows);
  return { answers: 1, outputTokens, usd: told === null || whole === null ? null : addUsd(whole, -told) };
}

export function addUnreported(a: UnreportedUse | undefined, b: UnreportedUse | undefined): UnreportedUse | undefined {
  if (!a || !b) return a ?? b;
  return { answers: a.answers + b.answers, outputTokens: a.outputTokens + b.outputTokens, usd: addUsd(a.usd, b.usd) };
}
