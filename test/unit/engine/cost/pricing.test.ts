import assert from 'node:assert/strict';
import { calcPrice } from '@pydantic/genai-prices';
import { isPretendPrice } from '../../../../src/base/demoModel.ts';
import { existsSync, readFileSync } from 'node:fs';
import type { PriceRow } from '../../../../src/engine/cost/priceRows.ts';
import { PRICE_ROWS } from '../../../../src/engine/cost/priceRows.ts';
import { amountsOf, costOf } from '../../../../src/engine/cost/charges.ts';
import { priceOf } from '../../../../src/engine/cost/pricing.ts';
import type { Usage } from '../../../../src/protocol/usage.ts';

const today = new Date('2026-11-30T12:00:00Z');
const usage = (fields: Partial<Usage>): Usage => ({ input_tokens: 0, output_tokens: 0, ...fields });
const million = usage({ input_tokens: 1_000_000, output_tokens: 1_000_000 });

describe('pricing', () => {
  it('counts cached tokens once, at their own price', () => {
    const read = usage({ input_tokens: 9, output_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 17_102 });
    assert.equal(costOf(read, 'claude-haiku-4-5', today), 0.0022192);
    const written = usage({ cache_creation_input_tokens: 2000, cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 1000 } });
    assert.equal(costOf(written, 'claude-haiku-4-5', today), 0.00325);
  });

  it('takes cache writes of unstated lifetime for five-minute ones', () => {
    const unstated = usage({ cache_creation_input_tokens: 1000, cache_creation: null });
    const { cacheWrite5m, cacheWrite1h } = amountsOf(unstated);
    assert.deepEqual({ cacheWrite5m, cacheWrite1h }, { cacheWrite5m: 1000, cacheWrite1h: 0 });
    assert.equal(costOf(unstated, 'claude-haiku-4-5', today), 0.00125);
  });

  const prices: readonly [what: string, model: string, day: string, fields: Partial<Usage>, usd: number | null][] = [
    ['cache reads that are not a tenth of the input', 'claude-fable-5-1', '2026-11-30', { cache_read_input_tokens: 1_000_000 }, 0.25],
    ['a price before it changed', 'claude-sonnet-5-5', '2026-10-06', { cache_read_input_tokens: 1_000_000 }, 0.2],
    ['a price after it changed', 'claude-sonnet-5-5', '2026-10-07', { cache_read_input_tokens: 1_000_000 }, 0.1],
    ['the last prompt of the small band', 'claude-haiku-5-5', '2026-11-30', { input_tokens: 60_000, cache_read_input_tokens: 40_000, output_tokens: 1_000_000 }, 0.5064],
    ['the first prompt of the large band, output included', 'claude-haiku-5-5', '2026-11-30', { input_tokens: 60_000, cache_read_input_tokens: 40_001, output_tokens: 1_000_000 }, 2.53200005],
    ['fast mode', 'claude-opus-5-5', '2026-11-30', { ...million, speed: 'fast' }, 48],
    ['cache in fast mode', 'claude-opus-5-5', '2026-11-30', { cache_read_input_tokens: 1_000_000, speed: 'fast' }, 0.4],
    ['fast mode of a model that has none', 'claude-haiku-4-5', '2026-11-30', { ...million, speed: 'fast' }, null],
    ['standard speed', 'claude-opus-5-5', '2026-11-30', { ...million, speed: 'standard', service_tier: 'standard' }, 24],
    ['web searches', 'claude-haiku-4-5', '2026-11-30', { server_tool_use: { web_search_requests: 3 } }, 0.03],
    ['a dated name', 'claude-haiku-4-5-20251001', '2026-11-30', million, 6],
    ['an old dated name', 'claude-sonnet-4-20250514', '2026-01-01', { input_tokens: 1000 }, 0.003],
    ['a name with a window', 'claude-opus-5[1m]', '2026-11-30', million, 30],
    ['an unknown model', 'claude-haiku-9', '2026-11-30', million, null],
    ['a model whose price was not found', 'claude-mythos-5-2', '2026-11-30', million, null],
    ['a cloud provider’s name', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', '2026-11-30', million, null],
    ['a day before the model was there', 'claude-fable-5-2', '2026-11-08', million, null],
    ['a prompt beyond what was sold that day', 'claude-sonnet-4-5', '2026-05-01', { input_tokens: 200_001 }, null],
    ['a batch', 'claude-haiku-4-5', '2026-11-30', { ...million, service_tier: 'batch' }, null],
    ['processing kept to one country', 'claude-opus-5-5', '2026-11-30', { ...million, inference_geo: 'us' }, 26.4],
    ['fast mode within one country', 'claude-opus-5-5', '2026-11-30', { ...million, speed: 'fast', inference_geo: 'us' }, 52.8],
    ['processing anywhere', 'claude-opus-5-5', '2026-11-30', { ...million, inference_geo: 'global' }, 24],
    ['prompts between searches whose sum is beyond what was sold that day', 'claude-sonnet-4-5', '2026-05-01', { input_tokens: 200_001, server_tool_use: { web_search_requests: 1 } }, 0.610003],
    ['a day that cannot be read', 'claude-haiku-4-5', 'no day', million, null],
    ['the demo model, for show', 'turnstone-demo', '2026-11-30', million, 6],
  ];
  for (const [what, model, day, fields, usd] of prices) {
    it(`prices ${what}`, () => assert.equal(costOf(usage(fields), model, new Date(`${day}T12:00:00Z`)), usd));
  }

  it('takes overriding rows', () => {
    const own: PriceRow = { model: 'local-model', input: 1, output: 2, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
    assert.equal(costOf(million, 'local-model', today, [own]), 3);
  });

  it('names only the demo’s price a pretence', () => {
    assert.deepEqual(['turnstone-demo', 'claude-haiku-4-5'].map(isPretendPrice), [true, false]);
  });

  it('has at most one row for a model, a day and a prompt size', () => {
    const edges = PRICE_ROWS.flatMap((row) => [row.from, row.until]).filter((day) => day !== undefined);
    for (const row of PRICE_ROWS) {
      for (const day of [...edges, '2026-11-30']) {
        for (const tokens of [0, 100_000, 100_001, 200_000, 200_001]) {
          const matching = PRICE_ROWS.filter((each) => priceOf(row.model, new Date(day), tokens, [each]) !== undefined && each.model === row.model);
          assert.ok(matching.length <= 1, `${row.model} ${day} ${tokens}`);
        }
      }
    }
  });
});

const trackedPrices = new URL('../../../../../shared/corpus/prices/claude-prices-2026-11.tsv', import.meta.url);

describe('price table against the collected public prices', () => {
  if (!existsSync(trackedPrices)) {
    console.log('NOT RUN: price table against the collected public prices, which are not on this machine.');
    return;
  }
  it('agrees in every row of the models that were collected', () => {
    const [, ...lines] = readFileSync(trackedPrices, 'utf8').trim().split('\n');
    const expected = lines.map((line) => line.split('\t')).filter((cells) => cells[4] !== '').map(trackedRow);
    const collected = new Set(expected.map(({ model }) => model));
    const own = PRICE_ROWS.filter(({ model }) => collected.has(model));
    const byName = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    assert.deepEqual(own.map(inOrder).sort(byName), expected.map(inOrder).sort(byName));
    const others = PRICE_ROWS.filter(({ model }) => !collected.has(model) && !isPretendPrice(model));
    assert.deepEqual(others.map(({ model }) => model), ['claude-3-5-sonnet', 'claude-3-sonnet']);
  });
});

function trackedRow(cells: readonly string[]): PriceRow {
  const [model = '', from = '', until = '', band = '', ...numbers] = cells;
  const [input, output, cacheWrite5m, cacheWrite1h, cacheRead, fastInput, fastOutput] = numbers.map((cell) => (cell === '' ? undefined : Number(cell)));
  const size = Number(band.replace(/\D+/, ''));
  const row = {
    model,
    from: from.replace('?', '') || undefined,
    until: until || undefined,
    promptOver: band.startsWith('>') ? size : undefined,
    promptUpTo: band.startsWith('<=') ? size : undefined,
    input,
    output,
    cacheWrite5m,
    cacheWrite1h,
    cacheRead,
    fastInput,
    fastOutput,
  };
  return row as unknown as PriceRow;
}

/** Same key order, absent and undefined alike. */
function inOrder(row: PriceRow): object {
  const { model, from, until, promptOver, promptUpTo, input, output, cacheWrite5m, cacheWrite1h, cacheRead, fastInput, fastOutput } = row;
  return { model, from, until, promptOver, promptUpTo, input, output, cacheWrite5m, cacheWrite1h, cacheRead, fastInput, fastOutput };
}

describe('price table against the package genai-prices', () => {
  const date = new Date('2026-11-30T12:00:00Z');
  /** The same use in the terms of both. A prompt counts whole there, what the cache has of it included. */
  const uses = {
    input: [{ input_tokens: 1_000, output_tokens: 0 }, { input_tokens: 1_000, output_tokens: 0 }],
    output: [{ input_tokens: 0, output_tokens: 1_000 }, { input_tokens: 0, output_tokens: 1_000 }],
    'cache read': [{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 1_000 }, { input_tokens: 1_000, cache_read_tokens: 1_000 }],
    'cache write': [{ input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 1_000 }, { input_tokens: 1_000, cache_write_tokens: 1_000 }],
    'long prompt': [{ input_tokens: 300_000, output_tokens: 10 }, { input_tokens: 300_000, output_tokens: 10 }],
  } as const;
  /** It knows no price of these, takes one for another (Sonnet 5.5 for Sonnet 5), or has no large prompts of them. */
  const known = {
    unknown: ['claude-fable-5-2', 'claude-mythos-5-1', 'claude-mythos-5', 'claude-haiku-5-5'],
    different: ['claude-sonnet-5-5 cache read', 'claude-sonnet-4-5 long prompt', 'claude-sonnet-4-0 long prompt'],
  };

  it('agrees wherever that knows a model, but for what it has not caught up with', () => {
    const unknown: string[] = [];
    const different: string[] = [];
    for (const model of new Set(PRICE_ROWS.map((row) => row.model))) {
      if (isPretendPrice(model)) continue;
      const theirs = Object.entries(uses).map(([name, [ours, same]]) => ({ name, ours: costOf(ours, model, date), theirs: calcPrice(same, model, { providerId: 'anthropic', timestamp: date })?.total_price }));
      if (theirs.some((each) => each.theirs === undefined)) unknown.push(model);
      else different.push(...theirs.filter((each) => Math.abs((each.ours ?? -1) - each.theirs!) > 1e-12).map(({ name }) => `${model} ${name}`));
    }
    assert.deepEqual({ unknown, different }, known);
  });
});
