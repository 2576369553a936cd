import { isJsonObject } from '../../base/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import { PRICE_ROWS } from './priceRows.ts';
import type { PriceRow } from './priceRows.ts';
import { priceOf, usdPerWebSearch } from './pricing.ts';

/** What is charged for, by kind: tokens, and searches by number. */
export interface Amounts {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
}

/** What one API message has used of one model. `usd` has the same kinds; null where the price is not known. */
export interface Charge {
  readonly model: string;
  readonly amounts: Amounts;
  readonly usd: Amounts | null;
}

/**
 * Everything that one API message is charged for. One answer may be the work of several models and several passes: an
 * advisor, a compaction on the server, a model that declined before another one answered. `usage.iterations` lists them,
 * each priced for itself; what the message's own counts say beyond it is charged too, so that nothing falls between.
 */
export function chargesOf(usage: Usage, model: string, date: Date, rows: readonly PriceRow[] = PRICE_ROWS): Charge[] {
  const passes = passesOf(usage, model);
  const charged = passes.length === 0 ? [{ model, usage }] : [...passes, { model, usage: remainder(usage, passes) }];
  const charges = charged.map((pass) => ({ model: pass.model, amounts: amountsOf(pass.usage), usage: pass.usage }));
  return charges
    .filter(({ amounts }, index) => index === 0 || Object.values(amounts).some((amount) => amount > 0))
    .map(({ model: name, amounts, usage: own }) => ({ model: name, amounts, usd: usdOf(amounts, name, { usage: { ...usage, ...own }, date, rows }) }));
}

/** USD for one API message; null where the price is not known, never a guess. */
export function costOf(usage: Usage, model: string, date: Date, rows: readonly PriceRow[] = PRICE_ROWS): number | null {
  return chargesOf(usage, model, date, rows).reduce<number | null>((sum, { usd }) => addUsd(sum, usd && totalUsd(usd)), 0);
}

/** Cache writes whose lifetime the API did not state are the five-minute ones, its default. */
export function amountsOf(usage: Usage): Amounts {
  const cacheWrite1h = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const stated5m = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  // Both are of the same tokens, and a later report may bring only one of them up to date: the larger one counts.
  const unstated = Math.max(0, (usage.cache_creation_input_tokens ?? 0) - stated5m - cacheWrite1h);
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheWrite5m: stated5m + unstated,
    cacheWrite1h,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    webSearches: usage.server_tool_use?.web_search_requests ?? 0,
  };
}

export const noAmounts: Amounts = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, webSearches: 0 };

export function addAmounts(a: Amounts, b: Amounts, add: (a: number, b: number) => number = (x, y) => x + y): Amounts {
  return {
    input: add(a.input, b.input),
    output: add(a.output, b.output),
    cacheWrite5m: add(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: add(a.cacheWrite1h, b.cacheWrite1h),
    cacheRead: add(a.cacheRead, b.cacheRead),
    webSearches: add(a.webSearches, b.webSearches),
  };
}

export function totalUsd(usd: Amounts): number {
  return Object.values(usd).reduce(roundedSum, 0);
}

/** Rounded to picodollars, so that the order of adding leaves no trace; unknown stays unknown. */
export function addUsd(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : roundedSum(a, b);
}

export function roundedSum(a: number, b: number): number {
  return Math.round((a + b) * 1e12) / 1e12;
}

interface Pass {
  readonly model: string;
  readonly usage: Usage;
}

/** Its entries say whose work they are; those of the message's own model may leave it out. */
function passesOf(usage: Usage, model: string): Pass[] {
  const iterations = usage['iterations'];
  if (!Array.isArray(iterations)) return [];
  return iterations.filter(isJsonObject).map((entry) => ({
    model: typeof entry['model'] === 'string' ? entry['model'] : model,
    usage: { ...(entry as unknown as Usage), server_tool_use: null, iterations: undefined },
  }));
}

/** Not part of the message's own counts; the other passes are. */
const countedApart: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

/** What the message's own counts hold beyond its passes: the searches, and tokens that no pass names. */
function remainder(usage: Usage, passes: readonly Pass[]): Usage {
  const listed = passes.filter((pass) => !countedApart.has(pass.usage['type'])).reduce((sum, pass) => addAmounts(sum, amountsOf(pass.usage)), noAmounts);
  const rest = addAmounts(amountsOf(usage), listed, (all, known) => Math.max(0, all - known));
  return {
    input_tokens: rest.input,
    output_tokens: rest.output,
    cache_read_input_tokens: rest.cacheRead,
    cache_creation_input_tokens: rest.cacheWrite5m + rest.cacheWrite1h,
    cache_creation: { ephemeral_5m_input_tokens: rest.cacheWrite5m, ephemeral_1h_input_tokens: rest.cacheWrite1h },
    server_tool_use: usage.server_tool_use,
  };
}

interface PricedHow {
  readonly usage: Usage;
  readonly date: Date;
  readonly rows: readonly PriceRow[];
}

function usdOf(amounts: Amounts, model: string, { usage, date, rows }: PricedHow): Amounts | null {
  // Batch and priority traffic have prices of their own, which the table does not hold.
  if (usage.service_tier === 'batch' || usage.service_tier === 'priority') return null;
  const promptTokens = amounts.input + amounts.cacheRead + amounts.cacheWrite5m + amounts.cacheWrite1h;
  const row = priceOf(model, date, promptTokens, rows) ?? (amounts.webSearches > 0 ? largestPrompt(model, date, rows) : undefined);
  const rates = row && (usage.speed === 'fast' ? fastRates(row) : row);
  if (!rates) return null;
  const rise = usage['inference_geo'] === 'us' ? oneCountryRise : 1;
  const price = (tokens: number, usdPerMillion: number): number => (tokens * pico(usdPerMillion * rise)) / 1e12;
  return {
    input: price(amounts.input, rates.input),
    output: price(amounts.output, rates.output),
    cacheWrite5m: price(amounts.cacheWrite5m, rates.cacheWrite5m),
    cacheWrite1h: price(amounts.cacheWrite1h, rates.cacheWrite1h),
    cacheRead: price(amounts.cacheRead, rates.cacheRead),
    webSearches: roundedSum(amounts.webSearches * usdPerWebSearch, 0),
  };
}

/** Tokens cost this much more where they are processed in the United States alone (platform.claude.com, data residency). */
const oneCountryRise = 1.1;

/**
 * Between searches the server asks the model again, and sums up what it read each time: the sum may be larger than any
 * prompt that the model takes. Then no single prompt was in a band above those that exist.
 */
function largestPrompt(model: string, date: Date, rows: readonly PriceRow[]): PriceRow | undefined {
  const limits = rows.map((row) => row.promptUpTo).filter((limit) => limit !== undefined);
  return limits.map((limit) => priceOf(model, date, limit, rows)).find((row) => row !== undefined);
}

function fastRates(row: PriceRow): PriceRow | undefined {
  if (row.fastInput === undefined || row.fastOutput === undefined) return undefined;
  const rise = row.fastInput / row.input;
  return {
    ...row,
    input: row.fastInput,
    output: row.fastOutput,
    cacheWrite5m: row.cacheWrite5m * rise,
    cacheWrite1h: row.cacheWrite1h * rise,
    cacheRead: row.cacheRead * rise,
  };
}

/** Picodollars per token are whole numbers, so that sums come out exact. */
function pico(usdPerMillion: number): number {
  return Math.round(usdPerMillion * 1e6);
}
