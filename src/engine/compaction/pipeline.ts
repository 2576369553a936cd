import type { SessionMessage } from '../../protocol/messages.ts';

/** What one stage needs to know of the request that is being prepared. Tokens. */
export interface PreparationFacts {
  readonly contextWindow: number;
  readonly maxOutput: number;
}

export type PreparationStage = (messages: readonly SessionMessage[], facts: PreparationFacts) => readonly SessionMessage[];

/**
 * Runs before every request, cheapest stage first (SPEC Q2). So far one stage is needed: everything before the last
 * compaction boundary stays out of the request. Tools bound their results themselves.
 */
export const preparationStages: readonly PreparationStage[] = [afterLastBoundary];

export function prepareMessages(messages: readonly SessionMessage[], facts: PreparationFacts): readonly SessionMessage[] {
  return preparationStages.reduce((prepared, stage) => stage(prepared, facts), messages);
}

function afterLastBoundary(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  const boundary = messages.findLastIndex((message) => message.type === 'system');
  return boundary < 0 ? messages : messages.slice(boundary + 1);
}
