import * as z from 'zod';
import type { ModelUsage, Usage } from '../../protocol/usage.ts';
import type { CostSummary } from '../session.ts';
import { costOf, tokenClasses } from './pricing.ts';
import type { TokenClasses } from './pricing.ts';

/** One API message, or one attempt that failed after it had reported usage. */
export interface CostEntry {
  /** The API message's id; for an attempt without one, a key of its own. The same id again replaces what was said before. */
  readonly messageId: string;
  readonly model: string;
  readonly usage: Usage;
  /** When the request was sent: prices change by date. */
  readonly date: Date;
}

/** Window and output limit of a model in tokens; undefined for a model that is not known. */
export type LimitsOf = (model: string) => { readonly contextWindow: number; readonly maxOutput: number } | undefined;

/**
 * What a session has cost. Invariants: every API message counts once, with the last usage it reported; what was
 * priced stays priced as it was; a model with one message of unknown price has no figure at all.
 */
export class CostTracker {
  private readonly limitsOf: LimitsOf;
  private readonly messages = new Map<string, { readonly turn: number; readonly model: string; readonly use: PricedUse }>();
  private readonly restoredUse = new Map<string, PricedUse>();
  private turn = 0;
  private totals = noTotals;

  constructor(limitsOf: LimitsOf) {
    this.limitsOf = limitsOf;
  }

  add({ messageId, model, usage, date }: CostEntry): void {
    const turn = this.messages.get(messageId)?.turn ?? this.turn;
    const use = { ...tokenClasses(usage), costUsd: costOf(usage, model, date) };
    this.messages.set(messageId, { turn, model, use });
  }

  /** Milliseconds from the first attempt to the end of the answer, and of the attempt that succeeded alone. */
  addApiDuration(ms: number, msWithoutRetries: number): void {
    const { apiDurationMs, apiDurationWithoutRetriesMs } = this.totals;
    this.totals = { ...this.totals, apiDurationMs: apiDurationMs + ms, apiDurationWithoutRetriesMs: apiDurationWithoutRetriesMs + msWithoutRetries };
  }

  addToolDuration(ms: number): void {
    this.totals = { ...this.totals, toolDurationMs: this.totals.toolDurationMs + ms };
  }

  addLines(added: number, removed: number): void {
    this.totals = { ...this.totals, linesAdded: this.totals.linesAdded + added, linesRemoved: this.totals.linesRemoved + removed };
  }

  /** Starts a turn: {@link turnUsage} counts what is added from here on. */
  mark(): void {
    this.turn += 1;
  }

  /** Tokens since the last mark, all models together, in the API's field names. */
  turnUsage(): Usage {
    let use = noUse;
    for (const message of this.messages.values()) if (message.turn === this.turn) use = addUse(use, message.use);
    return {
      input_tokens: use.input,
      output_tokens: use.output,
      cache_creation_input_tokens: use.cacheWrite5m + use.cacheWrite1h,
      cache_read_input_tokens: use.cacheRead,
      cache_creation: { ephemeral_5m_input_tokens: use.cacheWrite5m, ephemeral_1h_input_tokens: use.cacheWrite1h },
      server_tool_use: { web_search_requests: use.webSearches },
    };
  }

  summary(): CostSummary {
    const useByModel = this.useByModel();
    const costs = [...useByModel.values()].map((use) => use.costUsd);
    const modelUsage = Object.fromEntries([...useByModel].map(([model, use]) => [model, this.modelUsage(model, use)]));
    return { totalCostUsd: costs.reduce(addUsd, 0), ...this.totals, modelUsage };
  }

  /** For the session-state line; {@link restore} reads it. */
  toJSON(): unknown {
    const saved: SavedCost = { ...this.totals, models: Object.fromEntries(this.useByModel()) };
    return saved;
  }

  /**
   * Takes over what a session had cost when it was saved, in place of everything counted so far. False, with nothing
   * changed, when `json` is not what {@link toJSON} made.
   */
  restore(json: unknown): boolean {
    const parsed = savedCostSchema.safeParse(json);
    if (!parsed.success) return false;
    const { models, ...totals } = parsed.data;
    this.messages.clear();
    this.restoredUse.clear();
    for (const [model, use] of Object.entries(models)) this.restoredUse.set(model, use);
    this.totals = totals;
    return true;
  }

  private useByModel(): Map<string, PricedUse> {
    const uses = new Map(this.restoredUse);
    for (const { model, use } of this.messages.values()) uses.set(model, addUse(uses.get(model) ?? noUse, use));
    return uses;
  }

  private modelUsage(model: string, use: PricedUse): ModelUsage {
    const limits = this.limitsOf(model);
    return {
      inputTokens: use.input,
      outputTokens: use.output,
      cacheReadInputTokens: use.cacheRead,
      cacheCreation5mInputTokens: use.cacheWrite5m,
      cacheCreation1hInputTokens: use.cacheWrite1h,
      webSearchRequests: use.webSearches,
      costUSD: use.costUsd,
      contextWindow: limits?.contextWindow ?? 0,
      maxOutputTokens: limits?.maxOutput ?? 0,
    };
  }
}

interface PricedUse extends TokenClasses {
  readonly costUsd: number | null;
}

const count = z.number().nonnegative();

const savedCostSchema = z.lazy(() => z.object({
  apiDurationMs: count,
  apiDurationWithoutRetriesMs: count,
  toolDurationMs: count,
  linesAdded: count,
  linesRemoved: count,
  models: z.record(
    z.string(),
    z.object({
      input: count,
      output: count,
      cacheWrite5m: count,
      cacheWrite1h: count,
      cacheRead: count,
      webSearches: count,
      costUsd: count.nullable(),
    }),
  ),
}));
type SavedCost = z.infer<typeof savedCostSchema>;

const noTotals: Omit<SavedCost, 'models'> = { apiDurationMs: 0, apiDurationWithoutRetriesMs: 0, toolDurationMs: 0, linesAdded: 0, linesRemoved: 0 };

const noUse: PricedUse = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, webSearches: 0, costUsd: 0 };

function addUse(a: PricedUse, b: PricedUse): PricedUse {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    cacheRead: a.cacheRead + b.cacheRead,
    webSearches: a.webSearches + b.webSearches,
    costUsd: addUsd(a.costUsd, b.costUsd),
  };
}

/** Rounded to picodollars, so that the order of adding leaves no trace; unknown stays unknown. */
function addUsd(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round((a + b) * 1e12) / 1e12;
}
