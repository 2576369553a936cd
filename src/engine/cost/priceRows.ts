import { DEMO_MODEL } from '../../base/demoModel.ts';

/** USD per million tokens of one model, for requests of one size, in one span of time. */
export interface PriceRow {
  readonly model: string;
  /** First day, ISO date; left out when the model was never priced otherwise. */
  readonly from?: string;
  /** Last day, inclusive; left out while it lasts. */
  readonly until?: string;
  /** Only for requests whose prompt (cached tokens included) has more tokens than this … */
  readonly promptOver?: number;
  /** … and at most this many. The band prices every token of the request, output included. */
  readonly promptUpTo?: number;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** Fast mode; cache prices rise with the input price. */
  readonly fastInput?: number;
  readonly fastOutput?: number;
}

type Numbers = readonly [input: number, output: number, cacheWrite5m: number, cacheWrite1h: number, cacheRead: number];

/**
 * What Anthropic charges, as of November 2026. Sources: the pricing page at platform.claude.com; where it was not at
 * hand, the public trackers genai-prices 0.1.8, LiteLLM, models.dev, claudit and PromptFuel. Claude Mythos 5.2 is
 * absent: no price for it was found.
 */
export const PRICE_ROWS: readonly PriceRow[] = [
  row('claude-fable-5-2', [8, 40, 10, 16, 0.2], { from: '2026-11-09' }),
  row('claude-fable-5-1', [10, 50, 12.5, 20, 0.25], { from: '2026-09-01' }),
  row('claude-fable-5', [10, 50, 12.5, 20, 1], { from: '2026-06-09' }),
  row('claude-mythos-5-1', [10, 50, 12.5, 20, 0.25], { from: '2026-09-01' }),
  row('claude-mythos-5', [10, 50, 12.5, 20, 1], { from: '2026-06-09' }),

  // The first day of Opus 5.5 is from trackers alone.
  row('claude-opus-5-5', [4, 20, 5, 8, 0.2], { from: '2026-09-22', fastInput: 8, fastOutput: 40 }),
  row('claude-opus-5', [5, 25, 6.25, 10, 0.5], { from: '2026-07-24', fastInput: 10, fastOutput: 50 }),
  row('claude-opus-4-8', [5, 25, 6.25, 10, 0.5], { from: '2026-05-28', fastInput: 10, fastOutput: 50 }),
  row('claude-opus-4-7', [5, 25, 6.25, 10, 0.5], { from: '2026-04-16', fastInput: 30, fastOutput: 150 }),
  row('claude-opus-4-6', [5, 25, 6.25, 10, 0.5], { from: '2026-03-13', fastInput: 30, fastOutput: 150 }),
  row('claude-opus-4-6', [5, 25, 6.25, 10, 0.5], { from: '2026-02-05', until: '2026-03-12', promptUpTo: 200_000, fastInput: 30, fastOutput: 150 }),
  row('claude-opus-4-6', [10, 37.5, 12.5, 20, 1], { from: '2026-02-05', until: '2026-03-12', promptOver: 200_000 }),
  row('claude-opus-4-5', [5, 25, 6.25, 10, 0.5], { from: '2025-11-24' }),
  row('claude-opus-4-1', [15, 75, 18.75, 30, 1.5], { from: '2025-08-05' }),
  row('claude-opus-4-0', [15, 75, 18.75, 30, 1.5], { from: '2025-05-22' }),
  row('claude-3-opus', [15, 75, 18.75, 30, 1.5], {}),

  row('claude-sonnet-5-5', [2, 10, 2.5, 4, 0.1], { from: '2026-10-07' }),
  row('claude-sonnet-5-5', [2, 10, 2.5, 4, 0.2], { from: '2026-09-28', until: '2026-10-06' }),
  row('claude-sonnet-5', [2, 10, 2.5, 4, 0.2], { from: '2026-06-30' }),
  row('claude-sonnet-4-6', [3, 15, 3.75, 6, 0.3], { from: '2026-03-13' }),
  row('claude-sonnet-4-6', [3, 15, 3.75, 6, 0.3], { from: '2026-02-17', until: '2026-03-12', promptUpTo: 200_000 }),
  row('claude-sonnet-4-6', [6, 22.5, 7.5, 12, 0.6], { from: '2026-02-17', until: '2026-03-12', promptOver: 200_000 }),
  row('claude-sonnet-4-5', [3, 15, 3.75, 6, 0.3], { from: '2025-09-29', promptUpTo: 200_000 }),
  row('claude-sonnet-4-5', [6, 22.5, 7.5, 12, 0.6], { from: '2025-09-29', until: '2026-04-30', promptOver: 200_000 }),
  row('claude-sonnet-4-0', [3, 15, 3.75, 6, 0.3], { from: '2025-05-22', promptUpTo: 200_000 }),
  row('claude-sonnet-4-0', [6, 22.5, 7.5, 12, 0.6], { from: '2025-08-12', promptOver: 200_000 }),
  row('claude-3-7-sonnet', [3, 15, 3.75, 6, 0.3], {}),
  row('claude-3-5-sonnet', [3, 15, 3.75, 6, 0.3], {}),
  row('claude-3-sonnet', [3, 15, 3.75, 6, 0.3], {}),

  row('claude-haiku-5-5', [0.1, 0.5, 0.125, 0.2, 0.01], { from: '2026-10-07', promptUpTo: 100_000 }),
  row('claude-haiku-5-5', [0.5, 2.5, 0.625, 1, 0.05], { from: '2026-10-07', promptOver: 100_000 }),
  row('claude-haiku-4-5', [1, 5, 1.25, 2, 0.1], { from: '2025-10-15' }),
  row('claude-3-5-haiku', [0.8, 4, 1, 1.6, 0.08], {}),
  row('claude-3-haiku', [0.25, 1.25, 0.3, 0.5, 0.03], {}),

  // Priced like Haiku 4.5.
  row(DEMO_MODEL, [1, 5, 1.25, 2, 0.1], {}),
];

type Conditions = Pick<PriceRow, 'from' | 'until' | 'promptOver' | 'promptUpTo' | 'fastInput' | 'fastOutput'>;

function row(model: string, [input, output, cacheWrite5m, cacheWrite1h, cacheRead]: Numbers, conditions: Conditions): PriceRow {
  return { model, ...conditions, input, output, cacheWrite5m, cacheWrite1h, cacheRead };
}
