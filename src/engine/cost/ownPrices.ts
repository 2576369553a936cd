import * as z from 'zod';
import { isJsonObject } from '../../base/json.ts';
import { PRICE_ROWS } from './priceRows.ts';
import type { PriceRow } from './priceRows.ts';

/** What a model costs where you use it, in USD per million tokens. Cache prices that are left out are the price of input. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly cacheRead?: number | undefined;
}

/** By model id. From a settings file, so nothing about it is certain. */
export type OwnPrices = { readonly [model: string]: unknown };

const usdPerMillion = z.number().nonnegative().max(1_000_000);
const ownPriceSchema = z.lazy(() => z.strictObject({
  input: usdPerMillion,
  output: usdPerMillion,
  cacheWrite5m: usdPerMillion.optional(),
  cacheWrite1h: usdPerMillion.optional(),
  cacheRead: usdPerMillion.optional(),
})) satisfies z.ZodType<OwnPrice>;

/**
 * All prices, the user's own ones first. An entry that is not clear is left out as a whole, and said: half of a price
 * would make wrong figures.
 */
export function pricesWith(own: OwnPrices = {}): { readonly rows: readonly PriceRow[]; readonly problems: readonly string[] } {
  const rows: PriceRow[] = [];
  const problems: string[] = [];
  for (const [model, given] of Object.entries(own)) {
    const price = ownPriceSchema.safeParse(given);
    if (price.success) rows.push(rowOf(model, price.data));
    else problems.push(`The price set for ${model} is not used: ${whatIsWrong(given, price.error.issues)} A price looks like { "input": 3, "output": 15, "cacheWrite5m": 3.75, "cacheWrite1h": 6, "cacheRead": 0.3 }, in US dollars per million tokens.`);
  }
  return { rows: rows.length > 0 ? [...rows, ...PRICE_ROWS] : PRICE_ROWS, problems };
}

function rowOf(model: string, { input, output, cacheWrite5m = input, cacheWrite1h = input, cacheRead = input }: OwnPrice): PriceRow {
  return { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead };
}

function whatIsWrong(given: unknown, issues: readonly { readonly code: string; readonly path: readonly PropertyKey[]; readonly keys?: readonly string[] }[]): string {
  const [issue] = issues;
  if (!isJsonObject(given) || !issue) return 'it is not a set of prices.';
  if (issue.code === 'unrecognized_keys') return `“${issue.keys?.[0]}” is no kind of price.`;
  const field = String(issue.path[0]);
  return given[field] === undefined ? `“${field}” is missing.` : `“${field}” must be a number from 0 to 1000000.`;
}
