import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { CostTracker } from '../../../../src/engine/cost/costTracker.ts';
import type { Usage } from '../../../../src/protocol/usage.ts';

const date = new Date('2026-11-30T12:00:00Z');
const limitsOf = (model: string) => (model === 'claude-haiku-4-5' ? { contextWindow: 200_000, maxOutput: 64_000 } : undefined);
const read: Usage = { input_tokens: 9, output_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 17_102 };
const written: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 2000,
  cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 1000 },
};
const haiku = (messageId: string, usage: Usage) => ({ messageId, model: 'claude-haiku-4-5', usage, date });

const tokens = fc.nat({ max: 2_000_000 });
const anyEntry = fc.record({
  messageId: fc.constantFrom('a', 'b', 'c', 'd'),
  model: fc.constantFrom('claude-haiku-4-5', 'claude-haiku-5-5', 'claude-opus-5', 'unknown'),
  usage: fc.record({ input_tokens: tokens, output_tokens: tokens, cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens }),
  date: fc.constant(date),
});

describe('CostTracker', () => {
  it('sums what the API reported, per model', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('msg_1', read));
    tracker.add(haiku('msg_2', written));
    tracker.addApiDuration(1500, 900);
    tracker.addToolDuration(40);
    tracker.addLines(3, 1);
    tracker.addTurnDuration(2500);
    const { lines, ...summary } = tracker.summary();
    assert.deepEqual(lines.map(({ model, purpose, requests }) => [model, purpose, requests]), [['claude-haiku-4-5', 'answer', 2]]);
    assert.deepEqual(summary, {
      totalCostUsd: 0.0054692,
      knownCostUsd: 0.0054692,
      apiDurationMs: 1500,
      apiDurationWithoutRetriesMs: 900,
      toolDurationMs: 40,
      turnDurationMs: 2500,
      linesAdded: 3,
      linesRemoved: 1,
      inherited: undefined,
      modelUsage: {
        'claude-haiku-4-5': {
          inputTokens: 9,
          outputTokens: 100,
          cacheReadInputTokens: 17_102,
          cacheCreation5mInputTokens: 1000,
          cacheCreation1hInputTokens: 1000,
          webSearchRequests: 0,
          costUSD: 0.0054692,
          contextWindow: 200_000,
          maxOutputTokens: 64_000,
        },
      },
    });
  });

  it('counts a message once, with its final usage', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('msg_1', { ...read, output_tokens: 1 }));
    tracker.add(haiku('msg_1', read));
    assert.equal(tracker.summary().totalCostUsd, 0.0022192);
  });

  it('counts a failed attempt beside the one that succeeded', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('attempt 1', { input_tokens: 9, output_tokens: 0 }));
    tracker.add(haiku('msg_1', { input_tokens: 9, output_tokens: 100 }));
    assert.equal(tracker.summary().totalCostUsd, 0.000518);
  });

  it('has no total once a model of unknown price took part, but keeps the known figures', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('msg_1', read));
    tracker.add({ messageId: 'msg_2', model: 'somebody-elses-model', usage: read, date });
    const { totalCostUsd, modelUsage } = tracker.summary();
    const costs = Object.fromEntries(Object.entries(modelUsage).map(([model, use]) => [model, use.costUSD]));
    assert.deepEqual({ totalCostUsd, costs }, { totalCostUsd: null, costs: { 'claude-haiku-4-5': 0.0022192, 'somebody-elses-model': null } });
    assert.equal(modelUsage['somebody-elses-model']?.outputTokens, 100);
  });

  it('tells the usage of the turn apart', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('msg_1', read));
    tracker.mark();
    tracker.add(haiku('msg_2', written));
    tracker.add(haiku('msg_1', { ...read, output_tokens: 200 }));
    assert.deepEqual(tracker.turnUsage(), {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 2000,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 1000 },
      server_tool_use: { web_search_requests: 0 },
    });
  });

  it('is the same after saving and restoring, and goes on from there', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), fc.array(anyEntry), (earlier, later) => {
        const straight = new CostTracker(limitsOf);
        for (const entry of earlier) straight.add(entry);
        const resumed = new CostTracker(limitsOf);
        assert.equal(resumed.restore(JSON.parse(JSON.stringify(straight))), true);
        assert.deepEqual(resumed.summary(), straight.summary());
        for (const entry of later) for (const tracker of [straight, resumed]) tracker.add({ ...entry, messageId: `later ${entry.messageId}` });
        assert.deepEqual(resumed.summary(), straight.summary());
      }),
    );
  });

  it('comes to the same whenever it is asked in between', () => {
    const entry = fc.tuple(anyEntry, fc.constantFrom(undefined, 'streaming' as const, 'cut' as const)).map(([each, state]) => ({ ...each, state }));
    const step = fc.oneof(entry, fc.constantFrom('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean())), (steps) => {
        const [asked, notAsked] = [new CostTracker(limitsOf), new CostTracker(limitsOf)];
        for (const [what, ask] of steps) {
          for (const tracker of [asked, notAsked]) {
            if (typeof what === 'string') tracker.withdraw(what);
            else tracker.add(what);
          }
          if (ask) asked.summary();
        }
        assert.deepEqual([asked.toJSON(), asked.summary()], [notAsked.toJSON(), notAsked.summary()]);
      }),
    );
  });

  it('counts a new message whose id was used before the restart', () => {
    const before = new CostTracker(limitsOf);
    before.add(haiku('msg_1', read));
    const after = new CostTracker(limitsOf);
    after.restore(before.toJSON());
    after.add(haiku('msg_1', read));
    assert.equal(after.summary().totalCostUsd, 0.0044384);
  });

  it('refuses what it did not save and keeps what it has', () => {
    const tracker = new CostTracker(limitsOf);
    tracker.add(haiku('msg_1', read));
    assert.deepEqual([undefined, null, {}, { lines: [{ model: 'x' }] }].map((json) => tracker.restore(json)), [false, false, false, false]);
    assert.equal(tracker.summary().totalCostUsd, 0.0022192);
  });
});
