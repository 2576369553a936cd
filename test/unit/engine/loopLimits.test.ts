import assert from 'node:assert/strict';
import { ErrorRing } from '../../../src/engine/errorRing.ts';
import type { QueryEnd } from '../../../src/engine/query.ts';
import { judgeTurn } from '../../../src/engine/turnResult.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { SessionMessage } from '../../../src/protocol/messages.ts';
import type { EngineOptions } from '../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

const text: ContentBlock = { type: 'text', text: 'x' };
const thought: ContentBlock = { type: 'thinking', thinking: 'x', signature: 's' };
const call: ContentBlock = { type: 'tool_use', id: 't', name: 'Read', input: {} };
const result: ContentBlock = { type: 'tool_result', tool_use_id: 't', content: 'x' };

function says(type: 'user' | 'assistant', ...content: ContentBlock[]): SessionMessage {
  const base = { uuid: 'u', session_id: 's', parent_tool_use_id: null };
  if (type === 'user') return { ...base, type, message: { role: 'user', content } };
  return { ...base, type, message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content, stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } } };
}

describe('how a turn is judged', () => {
  const verdicts: [what: string, reason: QueryEnd['reason'], stopReason: string | null, last: SessionMessage | undefined, verdict: string, line?: RegExp][] = [
    ['ends in a text', 'completed', null, says('assistant', text), 'success'],
    ['ends in thinking', 'completed', null, says('assistant', text, thought), 'success'],
    ['ends in results only', 'completed', null, says('user', result, result), 'success'],
    ['stopped by itself, whatever came last', 'completed', 'end_turn', says('assistant', call), 'success'],
    ['ends in a call', 'completed', 'tool_use', says('assistant', text, call), 'error_during_execution', /^Last message: assistant; last block: tool_use; stop reason: tool_use\.$/],
    ['ends in results and a text', 'completed', null, says('user', result, text), 'error_during_execution', /^Last message: user; last block: text; stop reason: none\.$/],
    ['ends in nothing', 'completed', null, undefined, 'error_during_execution', /^Last message: none; last block: none; stop reason: none\.$/],
    ['was interrupted', 'interrupted', null, says('assistant', text), 'error_during_execution', /^Interrupted\. Last message: assistant; last block: text/],
    ['ran into the limit of requests', 'max_turns', null, says('user', result), 'error_max_turns'],
    ['ran out of money', 'max_budget', null, says('user', result), 'error_max_budget_usd'],
    ['ran out of output tokens', 'max_output_tokens', null, says('user', result), 'error_during_execution'],
    ['failed', 'failed', null, says('assistant', text), 'error_during_execution'],
  ];
  for (const [what, reason, stopReason, last, verdict, line] of verdicts) {
    it(`a turn that ${what}: ${verdict}`, () => {
      const judged = judgeTurn({ reason, stopReason, iterations: 1 }, last ? [says('user', text), last] : []);
      assert.equal(judged.subtype, verdict);
      assert.equal(judged.errors.length, verdict === 'success' ? 0 : 1);
      if (line) assert.match(judged.errors[0]!, line);
    });
  }
});

describe('errors of a turn', () => {
  function ringOf(count: number): ErrorRing {
    const ring = new ErrorRing();
    for (let i = 0; i < count; i++) ring.push(`before ${i}`);
    return ring;
  }

  it('are those after the watermark', () => {
    for (const before of [0, 1, 99, 100, 250]) {
      const ring = ringOf(before);
      const mark = ring.watermark();
      assert.deepEqual(ring.since(mark), []);
      ring.push('a');
      ring.push('b');
      assert.deepEqual(ring.since(mark), ['a', 'b'], `${before} before`);
    }
  });

  it('are still those when the ring rotates in mid-turn', () => {
    const ring = ringOf(60);
    const mark = ring.watermark();
    const mine = Array.from({ length: 99 }, (_, i) => `mine ${i}`);
    for (const each of mine) ring.push(each);
    assert.deepEqual(ring.since(mark), mine);
  });

  it('are all that is left when the watermark itself has been rotated out', () => {
    const ring = ringOf(60);
    const mark = ring.watermark();
    for (let i = 0; i < 130; i++) ring.push(`mine ${i}`);
    assert.deepEqual(ring.since(mark), Array.from({ length: 100 }, (_, i) => `mine ${i + 30}`));
  });

  it('are told apart by object: the same text before and after is two errors', () => {
    const ring = new ErrorRing();
    ring.push('disk full');
    const mark = ring.watermark();
    ring.push('disk full');
    assert.deepEqual(ring.since(mark), ['disk full']);
  });
});

describe('limits of a turn', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  /** A model that would go on looking for ever, 1,000 tokens at a time. */
  async function endless(): Promise<void> {
    const usage = { input_tokens: 1_000, output_tokens: 1_000 };
    harness = await EngineHarness.start([turn({ reply: () => message([toolUse('Glob', { pattern: '*.none' })], { usage }), times: Infinity })]);
  }

  const lastOf = (session: { readonly messages: readonly SessionMessage[] }) => session.messages.at(-1);

  it('maxTurns counts requests; the turn ends in its own result, with every call answered', async () => {
    await endless();
    const session = await harness.open({ maxTurns: 3 });
    const end = resultOf(await runTurn(session, 'go'));
    assert.deepEqual([end.subtype, end.num_turns, harness.server.requests.length], ['error_max_turns', 3, 3]);
    assert.match(end.errors[0]!, /limit of 3 requests/);
    assert.equal(lastOf(session)?.type, 'user');
    harness.server.assertClean();
  });

  it('maxBudgetUsd stops before a request that could go beyond it, and is never overspent', async () => {
    await endless();
    const end = resultOf(await runTurn(await harness.open({ model: 'claude-opus-5-5', maxBudgetUsd: 0.1 }), 'go'));
    assert.equal(end.subtype, 'error_max_budget_usd');
    assert.match(end.errors[0]!, /^Stopped before it was passed: this session has cost \$0\.0\d+ of the \$0\.10 .* raise the limit/);
    assert.ok(end.total_cost_usd! <= 0.1, `${end.total_cost_usd} spent`);
    assert.ok(harness.server.requests.length > 1);
    for (const { body } of harness.server.requests) assert.ok(body.max_tokens >= 1_000 && body.max_tokens < 32_000, String(body.max_tokens));
    harness.server.assertClean();
  });

  it('maxBudgetUsd keeps room for every web search that a request may make: $0.01 each', async () => {
    await endless();
    const room = async (webSearch: EngineOptions['webSearch']): Promise<number> => {
      const before = harness.server.requests.length;
      await runTurn(await harness.open({ model: 'claude-opus-5-5', maxBudgetUsd: 0.2, maxTurns: 1, webSearch }), 'go');
      return harness.server.requests[before]?.body.max_tokens ?? 0;
    };
    const [plain, five] = [await room(undefined), await room({ maxUses: 5 })];
    assert.ok(five > 0 && plain > five, `${plain} and ${five}`);
    assert.equal(await room({ maxUses: 20 }), 0, 'twenty searches alone would spend it');
    harness.server.assertClean();
  });

  it('maxOutputTokensPerTurn counts the answers of one turn together, and begins anew with the next', async () => {
    await endless();
    const session = await harness.open({ maxOutputTokensPerTurn: 3_500 });
    const end = resultOf(await runTurn(session, 'go'));
    assert.deepEqual([end.subtype, end.is_error], ['error_during_execution', true]);
    assert.match(end.errors[0]!, /limit of 3500 output tokens for one turn was reached.*kept/);
    assert.deepEqual(harness.server.requests.map(({ body }) => body.max_tokens), [3_500, 2_500, 1_500]);
    await runTurn(session, 'more');
    assert.equal(harness.server.requests[3]!.body.max_tokens, 3_500);
    harness.server.assertClean();
  });

  it('a limit smaller than any answer still gives one', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hi.', { usage: { output_tokens: 50 } }) })]);
    const end = resultOf(await runTurn(await harness.open({ maxOutputTokensPerTurn: 100 }), 'go'));
    assert.equal(end.result, 'Hi.');
    assert.equal(harness.server.requests[0]!.body.max_tokens, 100);
  });
});
