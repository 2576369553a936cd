import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { addUsd, chargesOf, costOf, totalUsd } from '../../../../src/engine/cost/charges.ts';
import { pricesWith } from '../../../../src/engine/cost/ownPrices.ts';
import { PRICE_ROWS } from '../../../../src/engine/cost/priceRows.ts';
import { costEntries } from '../../../../src/engine/cost/transcriptCost.ts';
import type { Usage } from '../../../../src/protocol/usage.ts';

const today = new Date('2026-11-30T12:00:00Z');

describe('chargesOf', () => {
  it('charges an advisor under its own model, beside the message’s counts', () => {
    const usage = {
      input_tokens: 2_411,
      output_tokens: 145,
      iterations: [
        { type: 'message', input_tokens: 1_128, output_tokens: 135 },
        { type: 'advisor_message', model: 'claude-opus-4-8', input_tokens: 2_543, output_tokens: 18 },
        { type: 'message', input_tokens: 1_283, output_tokens: 10 },
      ],
    };
    // Sonnet 5: 2,411×2 + 145×10 = 6,272. Opus 4.8: 2,543×5 + 18×25 = 13,165. Together 19,437 millionths.
    assert.equal(costOf(usage, 'claude-sonnet-5', today), 0.019437);
    assert.deepEqual(chargesOf(usage, 'claude-sonnet-5', today).map(({ model, amounts, usd }) => [model, amounts.input, usd && totalUsd(usd)]), [
      ['claude-sonnet-5', 1_128, 0.003606],
      ['claude-opus-4-8', 2_543, 0.013165],
      ['claude-sonnet-5', 1_283, 0.002666],
    ]);
  });

  it('charges what the server summarised, though the message does not count it', () => {
    const usage = { input_tokens: 181, output_tokens: 8, iterations: [{ type: 'compaction', input_tokens: 100, output_tokens: 83, cache_read_input_tokens: 55_096 }, { type: 'message', input_tokens: 181, output_tokens: 8 }] };
    // Sonnet 4.6: 281×3 + 91×15 + 55,096×0.3 = 843 + 1,365 + 16,528.8 = 18,736.8 millionths.
    assert.equal(costOf(usage, 'claude-sonnet-4-6', today), 0.0187368);
  });

  it('charges a model that declined before another one answered', () => {
    const hop = { type: 'message', model: 'claude-fable-5', input_tokens: 2, output_tokens: 2, cache_creation_input_tokens: 21_874, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 21_874 }, cache_read_input_tokens: 32_238 };
    const served = { type: 'fallback_message', model: 'claude-opus-4-8', input_tokens: 2, output_tokens: 136, cache_read_input_tokens: 54_112 };
    const usage = { input_tokens: 2, output_tokens: 136, cache_read_input_tokens: 54_112, iterations: [hop, served] };
    // Fable 5: 2×10 + 2×50 + 21,874×20 + 32,238×1 = 469,838. Opus 4.8: 2×5 + 136×25 + 54,112×0.5 = 30,466.
    assert.equal(costOf(usage, 'claude-opus-4-8', today), 0.500304);
  });

  it('charges what no pass names, searches included', () => {
    const usage = { input_tokens: 1_000, output_tokens: 50, server_tool_use: { web_search_requests: 2 }, iterations: [{ type: 'message', input_tokens: 600, output_tokens: 50 }] };
    // Haiku 4.5: 1,000×1 + 50×5 = 1,250 millionths, and two searches at $0.01.
    assert.equal(costOf(usage, 'claude-haiku-4-5', today), 0.02125);
  });

  it('takes passes in the large band for themselves: each prompt has its own size', () => {
    const pass = { type: 'message', input_tokens: 60_000, output_tokens: 0 };
    const usage = { input_tokens: 120_000, output_tokens: 0, iterations: [pass, pass] };
    // Haiku 5.5 up to 100,000: 2 × 60,000×0.1 = 12,000 millionths; one prompt of 120,000 would be 120,000×0.5 = 60,000.
    assert.equal(costOf(usage, 'claude-haiku-5-5', today), 0.012);
    assert.equal(costOf({ input_tokens: 120_000, output_tokens: 0 }, 'claude-haiku-5-5', today), 0.06);
  });

  it('has no figure where one of the models has no price, and keeps the amounts', () => {
    const usage = { input_tokens: 10, output_tokens: 10, iterations: [{ type: 'message', input_tokens: 10, output_tokens: 10 }, { type: 'advisor_message', model: 'new-model', input_tokens: 5, output_tokens: 5 }] };
    assert.equal(costOf(usage, 'claude-haiku-4-5', today), null);
    assert.deepEqual(chargesOf(usage, 'claude-haiku-4-5', today).map(({ model, amounts, usd }) => [model, amounts.output, usd === null]), [['claude-haiku-4-5', 10, false], ['new-model', 5, true]]);
  });

  it('never loses a token or a cent, however the counts are split into passes', () => {
    const tokens = fc.nat({ max: 90_000 });
    const pass = fc.record({ type: fc.constant('message'), input_tokens: tokens, output_tokens: tokens, cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens });
    fc.assert(
      fc.property(fc.array(pass, { minLength: 1, maxLength: 4 }), fc.constantFrom('claude-opus-5-5', 'claude-haiku-4-5', 'claude-fable-5-2'), (passes, model) => {
        const sum = (field: keyof (typeof passes)[number]) => passes.reduce((all, each) => all + Number(each[field]), 0);
        const whole: Usage = { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens'), cache_read_input_tokens: sum('cache_read_input_tokens'), cache_creation_input_tokens: sum('cache_creation_input_tokens') };
        const parts = chargesOf({ ...whole, iterations: passes }, model, today).reduce<number | null>((all, { usd }) => addUsd(all, usd && totalUsd(usd)), 0);
        assert.ok(Math.abs(parts! - costOf(whole, model, today)!) < 1e-9);
      }),
    );
  });
});

describe('pricesWith', () => {
  it('puts the user’s own prices first, by exact or undated name, and fills cache prices in', () => {
    const { rows, problems } = pricesWith({ 'claude-haiku-4-5': { input: 2, output: 4, cacheRead: 0 }, 'us.anthropic.claude-x-v1:0': { input: 1, output: 1 } });
    assert.deepEqual(problems, []);
    const million = { input_tokens: 1_000_000, output_tokens: 1_000_000, cache_read_input_tokens: 1_000_000, cache_creation_input_tokens: 1_000_000 };
    // 2 + 4 + 0 + 2 (a cache write is left out: as input).
    assert.equal(costOf(million, 'claude-haiku-4-5-20251001', today, rows), 8);
    assert.equal(costOf(million, 'us.anthropic.claude-x-v1:0', today, rows), 4);
    assert.equal(costOf(million, 'claude-opus-5', today, rows), costOf(million, 'claude-opus-5', today));
  });

  it('takes what is not clear for no price at all, and says which and why', () => {
    const own = { a: 3, b: { input: 1 }, c: { input: '1', output: 2 }, d: { input: 1, output: 2, reads: 1 }, e: { input: -1, output: 2 } };
    const { rows, problems } = pricesWith(own);
    assert.equal(rows, PRICE_ROWS);
    const why = problems.map((text) => /^The price set for (.*?\.) A price looks like/.exec(text)?.[1]);
    assert.deepEqual(why, [
      'a is not used: it is not a set of prices.',
      'b is not used: “output” is missing.',
      'c is not used: “input” must be a number from 0 to 1000000.',
      'd is not used: “reads” is no kind of price.',
      'e is not used: “input” must be a number from 0 to 1000000.',
    ]);
  });
});

describe('costEntries', () => {
  const line = (id: string | undefined, usage: unknown, more: object = {}) => ({ type: 'assistant', uuid: crypto.randomUUID(), timestamp: today.toISOString(), ...more, message: { id, model: 'claude-haiku-4-5', role: 'assistant', content: [], usage } });
  const usage = (output: number) => ({ input_tokens: 1, output_tokens: output });

  it('counts several lines of one message once, with the usage of the last', () => {
    const entries = costEntries([line('m', usage(1)), line('m', usage(1)), line('m', usage(40)), line('n', usage(2))]);
    assert.deepEqual(entries.map(({ messageId, usage: each }) => [messageId, each.output_tokens]), [['m', 40], ['n', 2]]);
  });

  it('tells sub-agents and taken-back answers apart, and leaves out what was never charged', () => {
    const withdrawn = line('w', usage(5));
    const made = { ...line('s', usage(9)), message: { id: 's', model: '<synthetic>', usage: usage(9) } };
    const lines = [withdrawn, line('side', usage(3), { isSidechain: true }), line('error', usage(1), { isApiErrorMessage: true }), made, line('none', undefined), { type: 'user' }, { type: 'assistant' }, { type: 'assistant', message: 7 }];
    assert.deepEqual(costEntries(lines, new Set([withdrawn.uuid])).map(({ messageId, purpose }) => [messageId, purpose]), [['w', 'retry'], ['side', 'subAgent']]);
  });

  it('has no price for an answer whose day or model is not said', () => {
    const entries = costEntries([line('m', usage(1), { timestamp: '[cut]' }), { ...line('n', usage(1)), message: { id: 'n', usage: usage(1) } }]);
    assert.deepEqual(entries.map(({ usage: each, model, date }) => costOf(each, model, date)), [null, null]);
  });
});
