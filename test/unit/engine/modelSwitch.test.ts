import assert from 'node:assert/strict';
import { EngineHarness, runTurn } from '../../support/engineHarness.ts';
import { message, redactedThinking, text, thinking, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const A = 'claude-opus-5-5';
const B = 'claude-haiku-4-5';

describe('Switching models in mid-session', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const start = async (turns: readonly ScriptedTurn[]) => (harness = await EngineHarness.start(turns, { files: { 'a.ts': 'a\n' } }));
  const read = (thought: string) => turn({ reply: () => message([thinking(thought), text('Reading.'), toolUse('Read', { file_path: harness.path('a.ts') })]) });
  const body = (n: number) => harness.server.requests[n]!.body as unknown as Record<string, unknown> & { messages: unknown };
  const thoughts = (n: number): string[] => [...JSON.stringify(body(n).messages).matchAll(/"thinking":"(\w+)"/g)].map((match) => match[1]!);

  it('leaves the other model’s thinking out of the request and keeps it in the file, there and back', async () => {
    await start([read('a1'), turn({ reply: message([thinking('a2'), text('From A.')]) }), read('b1'), turn({ reply: message([redactedThinking('b2'), text('From B.')]) }), turn({ reply: message('From A again.') })]);
    const session = await harness.open({ model: A });
    await runTurn(session, 'one');
    session.setModel('claude-haiku-4-5');
    await runTurn(session, 'two');
    session.setModel('opus');
    await runTurn(session, 'three');
    assert.deepEqual(harness.server.requests.map((request) => request.body.model), [A, A, B, B, A]);
    assert.deepEqual([1, 2, 3, 4].map(thoughts), [['a1'], [], ['b1'], ['a1', 'a2']]);
    assert.match(JSON.stringify(await harness.transcript(session)), /"a1"[\s\S]*"a2"[\s\S]*"b1"[\s\S]*"b2"/);
    harness.server.assertClean();
  });

  it('counts from the next request on, also within a turn', async () => {
    await start([read('a1'), turn({ reply: message('From B.') })]);
    const session = await harness.open({ model: A });
    for await (const each of session.submitMessage('one')) if (each.type === 'user') session.setModel(B);
    assert.deepEqual(harness.server.requests.map((request) => request.body.model), [A, B]);
    assert.deepEqual(thoughts(1), []);
    harness.server.assertClean();
  });

  it('keeps the thinking of a tool trace when the answer names a dated version of the model', async () => {
    await start([turn({ reply: () => ({ ...message([thinking('t1'), toolUse('Read', { file_path: harness.path('a.ts') })]), model: `${B}-20251001` }) }), turn({ reply: message('ok') })]);
    const session = await harness.open({ model: B });
    await runTurn(session, 'one');
    assert.deepEqual(thoughts(1), ['t1']);
    harness.server.assertClean();
  });

  it('follows window, output limit, thinking rules and price of the model', async () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    await start([turn({ reply: message('a', { usage }) }), turn({ reply: message('b', { usage: { input_tokens: 100_000, output_tokens: 0 } }) })]);
    const session = await harness.open({ model: A, thinking: 40_000, effort: 'high' });
    await runTurn(session, 'one');
    const windowOfA = session.contextUse.window;
    session.setModel(B);
    assert.ok(session.contextUse.window < windowOfA / 4);
    // What was reported for A fills B's window: here only what is sent matters.
    await runTurn(await harness.open({ model: B, thinking: 40_000, effort: 'high' }), 'two');
    const { model, max_tokens, thinking: asked, output_config } = body(0);
    assert.deepEqual({ model, max_tokens, asked, output_config }, { model: A, max_tokens: 32_000, asked: { type: 'adaptive' }, output_config: { effort: 'high' } });
    const second = body(1);
    assert.deepEqual([second['model'], second['max_tokens'], second['thinking'], second['output_config']], [B, 48_000, { type: 'enabled', budget_tokens: 40_000 }, undefined]);
    assert.equal(session.cost.modelUsage[A]?.costUSD, 4);
    harness.server.assertClean();
  });

  it('sends nothing about thinking and effort unless somebody chose', async () => {
    await start([turn({ reply: message('ok') })]);
    await runTurn(await harness.open(), 'hi');
    assert.deepEqual(Object.keys(body(0)).sort(), ['max_tokens', 'messages', 'model', 'stream', 'system', 'tools']);
  });

  it('keeps the choice with the session, also when it was made after the last turn', async () => {
    await start([turn({ reply: message('ok') }), turn({ reply: message('ok') })]);
    const session = await harness.open({ model: A });
    await runTurn(session, 'one');
    session.setModel('sonnet');
    session.setThinking('auto');
    session.setEffort('low');
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([again.model, again.thinking, again.effort], ['claude-sonnet-5-5', 'auto', 'low']);
    await runTurn(again, 'two');
    assert.deepEqual([body(1)['model'], body(1)['thinking'], body(1)['output_config']], ['claude-sonnet-5-5', { type: 'adaptive' }, { effort: 'low' }]);
  });
});
