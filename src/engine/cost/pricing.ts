import type { Usage } from '../../protocol/usage.ts';
import type { PriceRow } from './priceRows.ts';
import { DEMO_MODEL, PRICE_ROWS } from './priceRows.ts';

/** USD for one web search: $10 per 1,000, the same for every model (platform.claude.com pricing). */
const USD_PER_WEB_SEARCH = 0.01;

/** Tokens of one API message by what is charged for them. */
export interface TokenClasses {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
}

/**
 * The row that prices a request sent at `date` whose prompt has `promptTokens` tokens, cached ones included.
 * undefined when the price is not known.
 */
export function priceOf(model: string, date: Date, promptTokens: number, rows: readonly PriceRow[] = PRICE_ROWS): PriceRow | undefined {
  const name = priceName(model);
  const day = date.toISOString().slice(0, 10);
  return rows.find(
    (row) =>
      row.model === name &&
      day >= (row.from ?? '') &&
      day <= (row.until ?? '9999-12-31') &&
      promptTokens > (row.promptOver ?? -1) &&
      promptTokens <= (row.promptUpTo ?? Number.POSITIVE_INFINITY),
  );
}

/** USD for one API message; null where the price is not known, never a guess. */
export function costOf(usage: Usage, model: string, date: Date, rows: readonly PriceRow[] = PRICE_ROWS): number | null {
  if (isPricedElsewhere(usage)) return null;
  const tokens = tokenClasses(usage);
  const row = priceOf(model, date, tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h, rows);
  const rates = row && (usage.speed === 'fast' ? fastRates(row) : row);
  if (rates === undefined) return null;
  const picoDollars =
    tokens.input * pico(rates.input) +
    tokens.output * pico(rates.output) +
    tokens.cacheWrite5m * pico(rates.cacheWrite5m) +
    tokens.cacheWrite1h * pico(rates.cacheWrite1h) +
    tokens.cacheRead * pico(rates.cacheRead) +
    tokens.webSearches * USD_PER_WEB_SEARCH * 1e12;
  return picoDollars / 1e12;
}

/** Cache writes whose lifetime the API did not state are the five-minute ones, its default. */
export function tokenClasses(usage: Usage): TokenClasses {
  const cacheWrite1h = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const stated5m = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  const unstated = Math.max(0, (usage.cache_creation_input_tokens ?? 0) - stated5m - cacheWrite1h);
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheWrite5m: stated5m + unstated,
    cacheWrite1h,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    webSearches: usage.server_tool_use?.web_search_requests ?? 0,
  };
}

/** True for a model whose figure is for show: nobody is billed. Say so beside it. */
export function isPretendPrice(model: string): boolean {
  return model === DEMO_MODEL;
}

/** "claude-haiku-4-5-20251001" and "claude-opus-5[1m]" cost what the plain name costs. Names of other providers have prices of their own. */
function priceName(model: string): string {
  const plain = model.replace(/\[1m\]$/, '').replace(/-(?:latest|20\d{6})$/, '');
  return /^claude-(?:opus|sonnet)-4$/.test(plain) ? `${plain}-0` : plain;
}

/** Batch and priority traffic and processing kept to one country have prices of their own, which the table does not hold. */
function isPricedElsewhere(usage: Usage): boolean {
  return usage.service_tier === 'batch' || usage.service_tier === 'priority' || usage['inference_geo'] === 'us';
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
