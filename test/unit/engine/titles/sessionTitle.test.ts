import assert from 'node:assert/strict';
import type { MessagesRequest } from '../../../support/apiTypes.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message } from '../../../support/scriptedMessage.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { startDemoModel } from '../../../../src/demo/startDemoModel.ts';

const asksForTitle = (request: MessagesRequest): boolean => JSON.stringify(request.system).includes('Write a title');

describe('Titles', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const start = async (title: ScriptedTurn, answers = 2): Promise<void> => {
    harness = await EngineHarness.start([turn({ reply: message('ok', { usage: { input_tokens: 1_000, output_tokens: 100 } }), times: answers })], { aside: [{ ...title, when: asksForTitle }] });
  };
  /** As a host would: the title may come some time after the turn. */
  async function titled(session: Session, expected: string): Promise<void> {
    while (session.title !== expected) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const titleRequests = () => harness.server.requests.filter((request) => asksForTitle(request.body));

  it('asks a small model once, keeps the title for the next start, and counts what it costs', async () => {
    await start(turn({ reply: message('"Rename total to sum."\n', { usage: { input_tokens: 400, output_tokens: 10 } }) }));
    const session = await harness.open({ titles: true });
    await runTurn(session, 'please rename total to sum everywhere');
    await titled(session, 'Rename total to sum');
    await runTurn(session, 'and now?');
    assert.deepEqual(titleRequests().map((request) => [request.body.model, request.body.tools, request.body.max_tokens]), [['claude-haiku-5-5', undefined, 512]]);
    assert.equal(session.cost.modelUsage['claude-haiku-5-5']?.inputTokens, 400);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId, titles: true });
    assert.equal(again.title, 'Rename total to sum');
    assert.deepEqual(again.cost, session.cost);
    assert.doesNotMatch(JSON.stringify(again.messages), /Rename total/);
    harness.server.assertClean({ allowUnused: true });
  });

  it('keeps the first words when the model is overloaded, and never asks again', async () => {
    await start(fault.overloaded('0'));
    const session = await harness.open({ titles: true });
    const result = resultOf(await runTurn(session, 'fix the bug'));
    assert.equal(result.subtype, 'success');
    await runTurn(session, 'and that one');
    assert.equal(titleRequests().length, 1);
    assert.equal(session.title, 'fix the bug');
    assert.deepEqual(result.errors, []);
  });

  it('makes no turn and no closing wait for it', async () => {
    await start(turn({ reply: message('Too late'), stallAfter: { events: 1 } }));
    const session = await harness.open({ titles: true });
    assert.equal(resultOf(await runTurn(session, 'hello')).result, 'ok');
    await session.dispose();
    assert.equal(session.title, 'hello');
    const lines = await harness.transcript(session);
    assert.ok(!lines.some((line) => line['type'] === 'ai-title'));
  });

  it('is off unless asked for, and not begun by a command or by what we say ourselves', async () => {
    await start(turn({ reply: message('Never') }), 4);
    await runTurn(await harness.open(), 'hello');
    const session = await harness.open({ titles: true });
    await runTurn(session, '/cost');
    for await (const each of session.submitMessage('a note', { isMeta: true })) void each;
    assert.equal(titleRequests().length, 0);
  });

  it('gives a new conversation after /clear a title of its own', async () => {
    await start(turn({ reply: (request) => message(JSON.stringify(request.messages).includes('second') ? 'Second thing' : 'First thing') }));
    const session = await harness.open({ titles: true });
    await runTurn(session, 'the first');
    await titled(session, 'First thing');
    await runTurn(session, '/clear');
    assert.equal(session.title, 'New session');
    await runTurn(session, 'the second');
    await titled(session, 'Second thing');
  });

  it('is answered by the demo model too', async () => {
    await start(turn({ reply: message('Never') }));
    const demo = await startDemoModel({ pace: 'instant' });
    try {
      const session = await harness.open({ titles: true, model: 'turnstone-demo', endpoint: { baseUrl: demo.url, apiKey: async () => demo.apiKey, apiKeySource: 'demo' } });
      await runTurn(session, 'hello there, dear demo model, how are you');
      await titled(session, 'Hello there, dear demo model, how');
      await session.dispose();
    } finally {
      await demo.close();
    }
  });
});
