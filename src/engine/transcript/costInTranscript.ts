import { baseName } from '../../base/paths.ts';
import { isSavedCost } from '../cost/costTracker.ts';
import type { CostEntry, CostTracker } from '../cost/costTracker.ts';
import { addUsd } from '../cost/charges.ts';
import { costEntries } from '../cost/transcriptCost.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';

/** What a transcript knows of its session's cost. */
export interface CostInTranscript {
  /** What `CostTracker.toJSON` made last; undefined when nothing was saved yet. */
  readonly saved?: unknown;
  /** Answers of which nothing was saved: the process was killed before it came to it. */
  readonly uncounted: readonly CostEntry[];
  /** Of a fork: the answers that it began with, which another session has paid for. */
  readonly inherited?: { readonly sessionId: string; readonly entries: readonly CostEntry[] } | undefined;
}

/** Only what this very session has spent: lines that name another one were copied from there. */
export function costInTranscript(entries: readonly TranscriptEntry[], sessionId: string, tombstoned: ReadonlySet<string>): CostInTranscript {
  const states = entries.findLastIndex(({ value }) => value['type'] === 'session-state' && value['sessionId'] === sessionId && isSavedCost(value['cost']));
  const origin = entries.find(({ value }) => value['type'] === 'fork-origin')?.value;
  const copied = typeof origin?.['leafUuid'] === 'string' ? entries.findLastIndex(({ value }) => value['uuid'] === origin['leafUuid']) : -1;
  const valuesIn = (from: number, to?: number) => entries.slice(from, to).filter((entry) => !entry.isDamaged).map(({ value }) => value);
  const saved = entries[states]?.value['cost'];
  const own = valuesIn(copied + 1).filter((value) => value['sessionId'] === undefined || value['sessionId'] === sessionId);
  const counted = countedIds(costEntries(valuesIn(0, Math.max(states, copied) + 1)), saved as SavedAnswers | undefined);
  return {
    saved,
    uncounted: costEntries(own, tombstoned).filter(({ messageId }) => !counted.has(messageId)),
    ...(origin && copied >= 0 && { inherited: { sessionId: baseName(String(origin['source'])).replace(/\.jsonl$/, ''), entries: costEntries(valuesIn(0, copied + 1)) } }),
  };
}

/** Part of what {@link isSavedCost} has looked at. */
type SavedAnswers = { readonly cutAnswers?: readonly string[] | undefined };

/** What the last state holds: of the answers before it those that were complete, and of the others those that it names. */
function countedIds(before: readonly CostEntry[], saved: SavedAnswers | undefined): ReadonlySet<string> {
  const cutAnswers = saved?.cutAnswers;
  // Before answers that broke off were named, they were all counted where they stood.
  const complete = before.filter(({ state }) => state === undefined || cutAnswers === undefined);
  return new Set([...complete.map(({ messageId }) => messageId), ...(cutAnswers ?? [])]);
}

export function restoreCost(cost: CostTracker, { saved, uncounted, inherited }: CostInTranscript): void {
  cost.restore(saved);
  for (const entry of uncounted) cost.add(entry);
  cost.closeTurn();
  if (inherited) {
    const usd = inherited.entries.reduce<number | null>((sum, { usage, model, date }) => addUsd(sum, cost.price(usage, model, date)), 0);
    cost.inherit({ sessionId: inherited.sessionId, usd });
  }
}
