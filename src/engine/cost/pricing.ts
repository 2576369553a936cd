import type { PriceRow } from './priceRows.ts';
import { PRICE_ROWS } from './priceRows.ts';

/** USD for one web search: $10 per 1,000, the same for every model (platform.claude.com pricing). */
export const usdPerWebSearch = 0.01;

/**
 * The row that prices a request sent at `date` whose prompt has `promptTokens` tokens, cached ones included. Of rows that
 * fit the first counts. undefined when the price is not known.
 */
export function priceOf(model: string, date: Date, promptTokens: number, rows: readonly PriceRow[] = PRICE_ROWS): PriceRow | undefined {
  if (Number.isNaN(date.getTime())) return undefined;
  const name = priceName(model);
  const day = date.toISOString().slice(0, 10);
  return rows.find(
    (row) =>
      (row.model === name || row.model === model) &&
      day >= (row.from ?? '') &&
      day <= (row.until ?? '9999-12-31') &&
      promptTokens > (row.promptOver ?? -1) &&
      promptTokens <= (row.promptUpTo ?? Number.POSITIVE_INFINITY),
  );
}

/** "claude-haiku-4-5-20251001" and "claude-opus-5[1m]" cost what the plain name costs. Names of other providers have prices of their own. */
function priceName(model: string): string {
  const plain = model.replace(/\[1m\]$/, '').replace(/-(?:latest|20\d{6})$/, '');
  return /^claude-(?:opus|sonnet)-4$/.test(plain) ? `${plain}-0` : plain;
}
