import assert from 'node:assert/strict';
import { CostTracker } from '../../../src/engine/cost/costTracker.ts';
import { costTooltip, trueUntil } from '../../../src/vscode/costTooltip.ts';

const now = Date.UTC(2026, 10, 30, 12);
const contextUse = { used: 76_000, window: 200_000 };
const cold = { tokens: 12_300, cachedTokens: 0, warmUntil: undefined, warmUsd: 0.0615, coldUsd: 0.0615 };
const date = new Date(now);

describe('costTooltip', () => {
  it('has a row per model, what retries, sub-agents and background requests were, times and lines', () => {
    const tracker = new CostTracker(() => undefined);
    const usage = { input_tokens: 1_200, output_tokens: 34, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 };
    tracker.add({ messageId: 'a', model: 'claude-haiku-4-5', usage, date });
    tracker.add({ messageId: 'b', model: 'claude-haiku-4-5', usage, date, purpose: 'retry' });
    tracker.add({ messageId: 'c', model: 'claude-haiku-4-5', usage: { input_tokens: 10, output_tokens: 0 }, date, purpose: 'title' });
    tracker.add({ messageId: 'd', model: 'odd', usage, date, purpose: 'subAgent' });
    tracker.addApiDuration(1_500, 900);
    tracker.addToolDuration(250);
    tracker.addTurnDuration(2_000);
    tracker.addLines(3, 1);
    assert.equal(
      costTooltip({ cost: tracker.summary(), contextUse, model: 'claude-haiku-4-5', nextRequest: cold }, now),
      [
        '**Turnstone, this session: price unknown**',
        '',
        '| Model | Input | Output | Cache written | Cache read | Cost |',
        '|:--|--:|--:|--:|--:|--:|',
        // 2 × (1,200×1 + 34×5 + 7×1.25 + 5×0.1) + 10×1 = 2 × 1,379.25 + 10 = 2,768.5 millionths.
        '| claude-haiku-4-5 | 2,410 | 68 | 14 | 10 | $0.0028 |',
        '| odd | 1,200 | 34 | 7 | 5 | price unknown |',
        '',
        'Of it: answers asked for again $0.0014, sub-agents price unknown, titles and summaries $0.00001',
        '',
        'Next request: about 12,300 tokens before it is answered, $0.06. Nothing of it is known to be in the prompt cache',
        '',
        'Context: 76,000 of 200,000 tokens · Lines: +3 −1',
        '',
        'Turns 2 s · model 1.5 s (0.9 s without failed attempts) · tools 0.3 s',
      ].join('\n'),
    );
  });

  it('counts the prompt cache down by minutes, and says when that changes', () => {
    const cost = tracked();
    const text = (leftMs: number): string | undefined => /Next request.*/.exec(costTooltip({ cost, contextUse, model: 'claude-haiku-4-5', nextRequest: { tokens: 12_300, cachedTokens: 11_900, warmUntil: now + leftMs, warmUsd: 0.0044, coldUsd: 0.0615 } }, now))?.[0];
    assert.equal(text(299_000), 'Next request: about 12,300 tokens before it is answered, $0.0044 while 11,900 of them are in the prompt cache (5 minutes more), $0.06 after that');
    assert.match(text(60_000)!, /\(less than a minute more\)/);
    assert.match(text(0)!, /Nothing of it is known to be in the prompt cache$/);
    const next = (leftMs: number) => trueUntil({ ...cold, warmUntil: now + leftMs }, now)! - now;
    assert.deepEqual([next(299_000), next(240_000), next(60_001), next(60_000), next(5)], [59_000, 60_000, 1, 60_000, 5]);
    assert.deepEqual([trueUntil(cold, now), trueUntil({ ...cold, warmUntil: now }, now)], [undefined, undefined]);
  });

  it('says of a demo that nobody is billed, also where a real model took over', () => {
    const tracker = new CostTracker(() => undefined);
    const usage = { input_tokens: 1_200, output_tokens: 34 };
    tracker.add({ messageId: 'a', model: 'turnstone-demo', usage, date });
    const demo = costTooltip({ cost: tracker.summary(), contextUse, model: 'turnstone-demo', nextRequest: cold }, now);
    assert.equal(demo.match(/\$0\.0014 \(not billed\)/g)?.length, 2);
    assert.match(demo, /known to be in the prompt cache \(not billed\)$/m);
    tracker.add({ messageId: 'b', model: 'claude-haiku-4-5', usage, date });
    assert.match(costTooltip({ cost: tracker.summary(), contextUse, model: 'claude-haiku-4-5', nextRequest: cold }, now), /this session: \$0\.0027 \(partly not billed\)[\s\S]*turnstone-demo .* \(not billed\) \|\n\| claude-haiku-4-5 .* \$0\.0014 \|/);
  });

  it('has nothing to tell of an empty session', () => {
    const empty = new CostTracker(() => undefined).summary();
    assert.match(costTooltip({ cost: empty, contextUse, model: 'claude-haiku-4-5', nextRequest: cold }, now), /^\*\*Turnstone, this session: \$0\.00\*\*\n\nNothing was sent yet\.\n\nContext:/);
  });
});

function tracked() {
  const tracker = new CostTracker(() => undefined);
  tracker.add({ messageId: 'a', model: 'claude-haiku-4-5', usage: { input_tokens: 1, output_tokens: 1 }, date });
  return tracker.summary();
}
