import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/abort.ts';
import type { Clock } from '../../../../src/base/abort.ts';
import { CACHE_TTL_MS, judgeCache, keptAfter, keptPrefix, lookOf } from '../../../../src/engine/cost/cacheWatch.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import { noticesIn } from '../compaction/engineSupport.ts';

/** The system's time, moved on by hand. */
class MovedClock implements Clock {
  aheadMs = 0;
  now = (): number => systemClock.now() + this.aheadMs;
  setTimeout = systemClock.setTimeout;
}

const answer = (read: number, written: number, more: object = {}): ScriptedTurn => turn({ reply: message('ok', { usage: { input_tokens: 10, output_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: written, ...more } }) });

describe('notices about money', () => {
  let harness: EngineHarness;
  const clock = new MovedClock();
  afterEach(() => harness.close());

  const start = async (turns: readonly ScriptedTurn[], options: object = {}) => {
    harness = await EngineHarness.start(turns);
    return harness.open({ model: 'claude-opus-5-5', clock, ...options });
  };
  const told = async (session: Awaited<ReturnType<typeof start>>) => noticesIn(await runTurn(session, 'go'));

  it('says that the cache was missed, what it cost and why: idle, another model, unknown', async () => {
    const session = await start([answer(0, 100_000), answer(100_000, 500), answer(0, 101_000), answer(0, 102_000, {}), answer(102_000, 0), answer(0, 102_000)]);
    assert.deepEqual([await told(session), await told(session)], [[], []]);
    clock.aheadMs += 42 * 60_000;
    // Opus 5.5: 100,500 tokens written at $5 per million in place of read at $0.2: 100,500 × 4.8 = 482,400 millionths.
    assert.deepEqual(await told(session), ['100,500 tokens were not read from the prompt cache but processed anew, about $0.48 more than from the cache. The last request was 42 minutes ago, and the server keeps a prompt for 5.']);
    session.setModel('claude-fable-5-2');
    // Fable 5.2: $10 to write, $0.2 to read: 101,000 × 9.8 = 989,800.
    assert.deepEqual(await told(session), ['101,000 tokens were not read from the prompt cache but processed anew, about $0.99 more than from the cache. Another model answered: each has a cache of its own.']);
    assert.deepEqual(await told(session), []);
    assert.match((await told(session))[0]!, /^102,000 tokens .* What was sent began exactly as before/);
  });

  it('says it after a restart too, and that thinking was changed', async () => {
    const session = await start([answer(0, 100_000), answer(0, 100_000)]);
    await told(session);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId, clock });
    again.setEffort('low');
    assert.match((await told(again))[0]!, /about \$0\.48 more .* Thinking or effort was changed/);
  });

  it('is silent where a new beginning was meant, and where it costs next to nothing', async () => {
    const session = await start([answer(0, 100_000), answer(0, 100_000), answer(0, 100_000), answer(0, 2_100), answer(0, 2_200)]);
    await told(session);
    await told(session);
    const [first] = session.rewindTargets();
    await session.rewind(first!.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    assert.deepEqual(await told(session), []);
    await runTurn(session, '/clear');
    await told(session);
    // Haiku 5.5: 2,100 × (0.125 − 0.01) = 241.5 millionths.
    session.setModel('claude-haiku-5-5');
    assert.deepEqual(await told(session), []);
  });

  it('reminds each time the amount was spent once more, never twice for the same, also after a restart', async () => {
    // Opus 5.5 output: 100,000 × $20 per million = $2.
    const two = turn({ reply: message('ok', { usage: { input_tokens: 0, output_tokens: 100_000 } }), times: 6 });
    const session = await start([two], { costReminderUsd: 3 });
    assert.deepEqual(await told(session), []);
    assert.deepEqual(await told(session), ['A reminder: this session has cost $4.00 so far. It goes on; /cost says what for. The next reminder comes at $6.00.']);
    assert.deepEqual(await told(session), ['A reminder: this session has cost $6.00 so far. It goes on; /cost says what for. The next reminder comes at $9.00.']);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId, clock, costReminderUsd: 3 });
    assert.deepEqual(await told(again), []);
    assert.match((await told(again))[0]!, /has cost \$10\.00/);
    await again.dispose();
    const silent = await harness.open({ resume: session.sessionId, clock });
    assert.deepEqual(await told(silent), []);
  });

  it('knows what the next request costs, from the cache and without', async () => {
    const session = await start([answer(0, 100_000), answer(0, 100_000)]);
    assert.deepEqual([session.nextRequest.cachedTokens, session.nextRequest.warmUntil], [0, undefined]);
    await told(session);
    const next = session.nextRequest;
    assert.equal(next.cachedTokens, 100_000);
    const added = next.tokens - 100_000;
    assert.ok(added > 0 && added < 1_000, `${next.tokens}`);
    // 100,000×0.2 = 20,000 and the rest ×5; without the cache all of it ×5.
    assert.ok(Math.abs(next.warmUsd! - (0.02 + (added * 5) / 1e6)) < 1e-9, `${next.warmUsd}`);
    assert.ok(Math.abs(next.coldUsd! - (next.tokens * 5) / 1e6) < 1e-9, `${next.coldUsd}`);
    assert.ok(next.warmUntil! - clock.now() <= CACHE_TTL_MS && next.warmUntil! > clock.now());
    clock.aheadMs += CACHE_TTL_MS + 1;
    assert.deepEqual([session.nextRequest.cachedTokens, session.nextRequest.warmUntil, session.nextRequest.warmUsd === session.nextRequest.coldUsd], [0, undefined, true]);
    session.setModel('somebody-elses-model');
    assert.deepEqual([session.nextRequest.warmUsd, session.nextRequest.coldUsd], [null, null]);
  });

  it('stops before a budget is passed, says how to go on, and does with a higher one', async () => {
    const usage = { input_tokens: 0, output_tokens: 4_000 };
    const session = await start([turn({ reply: message('ok', { usage }), times: 3 })], { maxBudgetUsd: 0.1 });
    await told(session);
    const end = resultOf(await runTurn(session, 'again'));
    assert.deepEqual([end.subtype, harness.server.requests.length], ['error_max_budget_usd', 1]);
    assert.match(end.errors[0]!, /^Stopped before it was passed: this session has cost \$0\.08 of the \$0\.10 that it may cost, .* raise the limit \(turnstone\.maxBudgetUsd in the settings, --max-budget-usd on the command line\) and say “go on”\.$/);
    await session.dispose();
    const richer = await harness.open({ resume: session.sessionId, clock, maxBudgetUsd: 1 });
    assert.equal(resultOf(await runTurn(richer, 'go on')).subtype, 'success');
    richer.setModel('somebody-elses-model');
    assert.match(resultOf(await runTurn(richer, 'go on')).errors[0]!, /a model of unknown price takes part in it, so the limit cannot be kept.*set a price for the model/);
  });

  it('uses the user’s own prices, and says which of them it does not', async () => {
    const session = await start([turn({ reply: message('ok', { usage: { input_tokens: 1_000_000, output_tokens: 0 } }) })], { model: 'claude-haiku-4-5', prices: { 'claude-haiku-4-5': { input: 7, output: 7 }, other: { input: 1 } } });
    assert.match(session.notices[0]!, /^The price set for other is not used: “output” is missing\./);
    assert.equal(resultOf(await runTurn(session, 'go')).total_cost_usd, 7);
  });
});

describe('the prompt cache over a restart', () => {
  it('O32: five turns with tools, quit, resume: all that was sent is read from the cache, and the first request costs what the next would have', async () => {
    const turns = Array.from({ length: 5 }, (_, index) => [
      turn({ reply: message([toolUse('Read', { file_path: 'a.txt' }), toolUse('Bash', { command: `echo ${index}` })]) }),
      turn({ reply: message(`Done ${index}. ${'word '.repeat(500)}`) }),
    ]).flat();
    const harness = await EngineHarness.start([...turns, turn({ reply: message('Still here.') })], { simulateCache: true, files: { 'a.txt': 'text '.repeat(2_000) } });
    try {
      const session = await harness.open({ model: 'claude-opus-5-5', permissionMode: 'bypassPermissions' });
      for (let index = 0; index < 5; index++) assert.deepEqual(noticesIn(await runTurn(session, `Look ${index}.`)), []);
      const expected = session.nextRequest;
      const before = session.cost.totalCostUsd!;
      await session.dispose();
      const again = await harness.open({ resume: session.sessionId, permissionMode: 'bypassPermissions' });
      assert.deepEqual([again.nextRequest.cachedTokens, again.nextRequest.warmUntil], [expected.cachedTokens, expected.warmUntil]);
      const messages = await runTurn(again, 'Still there?');
      const { usage, total_cost_usd } = resultOf(messages);
      assert.equal(usage.cache_read_input_tokens, expected.cachedTokens);
      assert.ok(expected.cachedTokens > 5_000);
      assert.deepEqual(noticesIn(messages), []);
      const written = usage.cache_creation_input_tokens ?? 0;
      // Opus 5.5: what was read at $0.2 per million, what is new at $5, the answer at $20.
      const byHand = (expected.cachedTokens * 0.2 + written * 5 + usage.input_tokens * 4 + usage.output_tokens * 20) / 1e6;
      assert.ok(Math.abs(total_cost_usd! - before - byHand) < 1e-9, `${total_cost_usd! - before} is not ${byHand}`);
      harness.server.assertClean();
    } finally {
      await harness.close();
    }
  });
});

describe('the look of a request to the cache', () => {
  const request = { model: 'm', tools: [{ name: 'Read' }], system: [{ text: 's' }], thinking: undefined };
  const kept = { ...lookOf(request, 0), tokens: 50_000 };
  const nothing = { input_tokens: 50_000, output_tokens: 1 };

  it('gives the likeliest reason first', () => {
    const why = (other: object, sentAt = 1_000) => judgeCache(kept, lookOf({ ...request, ...other }, sentAt), nothing)?.why;
    assert.deepEqual(
      [why({ model: 'n' }), why({ tools: [] }), why({ system: [] }), why({}, CACHE_TTL_MS + 1), why({ thinking: { type: 'adaptive' } }), why({ output_config: { effort: 'low' } }), why({})],
      ['model', 'tools', 'instructions', 'idle', 'reasoning', 'reasoning', 'unknown'],
    );
  });

  it('takes rounding for no miss', () => {
    assert.equal(judgeCache(kept, lookOf(request, 1), { ...nothing, cache_read_input_tokens: 48_000 }), undefined);
    assert.equal(judgeCache({ ...kept, tokens: 1_999 }, lookOf(request, 1), nothing), undefined);
  });

  it('does not guess what is kept where the server adds up several passes', () => {
    const look = lookOf(request, 0);
    assert.equal(keptAfter(look, { ...nothing, cache_read_input_tokens: 9, server_tool_use: { web_search_requests: 1 } }), undefined);
    const passes = [{ type: 'message', cache_read_input_tokens: 5 }, { type: 'message', cache_read_input_tokens: 7, cache_creation_input_tokens: 2 }, { type: 'compaction' }];
    assert.equal(keptAfter(look, { ...nothing, server_tool_use: { web_search_requests: 1 }, iterations: passes })?.tokens, 9);
    assert.deepEqual([keptPrefix(JSON.parse(JSON.stringify(kept))), keptPrefix(undefined), keptPrefix({ tokens: 1 })], [kept, undefined, undefined]);
  });
});
