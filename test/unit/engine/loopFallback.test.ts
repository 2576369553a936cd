import assert from 'node:assert/strict';
import type { EngineOptions, Session } from '../../../src/sdk/index.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { frameEvent } from '../../support/messageEvents.ts';
import { message, text, thinking, toolUse } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';
import { TestClock } from '../../support/testClock.ts';

const A = 'claude-opus-5-5';
const B = 'claude-haiku-4-5';

/** `Hello wor`, the start of a call, then too many people at once. */
function overloadedInTheMiddle(id: string): ScriptedTurn {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const events = [
    { type: 'message_start', message: { id, type: 'message', role: 'assistant', model: A, content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello wor' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: `call_${id}`, name: 'Read', input: {} } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ];
  return turn({ raw: events.map((data) => frameEvent({ event: data.type, data })).join('') });
}

describe('fallback and retries after partial answers', () => {
  let harness: EngineHarness;
  let clock: TestClock;
  afterEach(() => harness.close());

  async function start(turns: readonly ScriptedTurn[], options: Partial<EngineOptions> = {}): Promise<Session> {
    harness = await EngineHarness.start(turns);
    clock = new TestClock();
    return harness.open({ model: A, clock, random: () => 0, includePartialMessages: true, ...options });
  }

  async function play(session: Session, prompt = 'go'): Promise<SDKMessage[]> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(prompt)) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') void clock.waitForTimer(each.retry_delay_ms).then(() => clock.advance(each.retry_delay_ms));
    }
    return messages;
  }

  const models = () => harness.server.requests.map(({ body }) => body.model);
  const said = (session: Session) => session.messages.flatMap((each) => (each.type === 'assistant' ? each.message.content : []));

  it('O28: text once, no phantom call, one message on screen and on disk; both attempts are paid for', async () => {
    const session = await start([overloadedInTheMiddle('msg_a'), turn({ reply: message('Hello world', { usage: { input_tokens: 100, output_tokens: 7 } }) })]);
    const messages = await play(session);
    const withdrawn = new Set(messages.flatMap((each) => (each.type === 'tombstone' ? each.message_uuids : [])));
    const shown = messages.flatMap((each) => (each.type === 'assistant' && !withdrawn.has(each.uuid) ? each.message.content : []));
    assert.deepEqual(shown, [{ type: 'text', text: 'Hello world' }]);
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([said(session), said(again)], [shown, shown]);
    const { usage, total_cost_usd } = resultOf(messages);
    assert.deepEqual([usage.input_tokens, usage.output_tokens], [200, 8]);
    assert.equal(again.cost.totalCostUsd, total_cost_usd);
    harness.server.assertClean();
  });

  for (const [how, faults] of [
    ['by status', () => Array.from({ length: 3 }, () => fault.overloaded())],
    ['inside the stream', () => ['a', 'b', 'c'].map((id) => overloadedInTheMiddle(`msg_${id}`))],
  ] as const) {
    it(`O29b: three overloads ${how}: one announced switch, and back with the next turn`, async () => {
      const session = await start([...faults(), turn({ reply: message('from B') }), turn({ reply: message('from A') })], { fallbackModel: B });
      const messages = await play(session);
      assert.deepEqual(said(session), [{ type: 'text', text: 'from B' }]);
      const notices = messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
      assert.deepEqual(notices, [`${A} is overloaded. ${B} answers this turn; the next one tries ${A} again.`]);
      await runTurn(session, 'next');
      assert.deepEqual(models(), [A, A, A, B, A]);
      assert.equal(session.model, A, 'the choice is the user’s');
      harness.server.assertClean();
    });
  }

  it('stays with the fallback until the end of the turn: its calls are not handed back and forth', async () => {
    const session = await start([fault.overloaded(), fault.overloaded(), fault.overloaded(), turn({ reply: message([thinking('of B'), toolUse('Glob', { pattern: '*.none' })]) }), turn({ reply: message('done') }), turn({ reply: message('A') })], { fallbackModel: B });
    await play(session);
    assert.deepEqual(models(), [A, A, A, B, B]);
    await runTurn(session, 'next');
    assert.equal(models().at(-1), A);
    assert.doesNotMatch(harness.server.requests.at(-1)!.raw, /of B/);
    harness.server.assertClean();
  });

  it('leaves the thinking of the chosen model out of what the fallback gets, in mid-turn too', async () => {
    const session = await start(
      [turn({ reply: message([thinking('of A'), text('Looking.'), toolUse('Glob', { pattern: '*.none' }, { id: 'g1' })]) }), fault.overloaded(), fault.overloaded(), fault.overloaded(), turn({ reply: message('done') })],
      { fallbackModel: B },
    );
    await play(session);
    assert.deepEqual(models(), [A, A, A, A, B]);
    assert.match(harness.server.requests[3]!.raw, /of A/);
    assert.doesNotMatch(harness.server.requests[4]!.raw, /of A/);
    assert.match(harness.server.requests[4]!.raw, /Looking\..*g1/);
    harness.server.assertClean();
  });

  it('retries the fallback as well, with patience of its own, and says when that is overloaded too', async () => {
    const session = await start([{ ...fault.overloaded(), times: 14 }], { fallbackModel: B });
    const end = resultOf(await play(session));
    assert.deepEqual(models(), [...Array(3).fill(A), ...Array(11).fill(B)]);
    assert.match(end.errors[0]!, /overloaded and stayed so through every retry.*saved/);
    harness.server.assertClean();
  });

  it('takes a message that a gateway begins anew in one stream for one message, both paid for', async () => {
    const start_ = (id: string, index: number) => [
      { type: 'message_start', message: { id, type: 'message', role: 'assistant', model: A, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 50, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `try ${index}` } },
      { type: 'content_block_stop', index: 0 },
    ];
    const events = [...start_('msg_x', 1), ...start_('msg_y', 2), { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } }, { type: 'message_stop' }];
    const session = await start([turn({ raw: events.map((data) => frameEvent({ event: data.type, data })).join('') })]);
    const messages = await play(session);
    assert.equal(resultOf(messages).result, 'try 2');
    assert.deepEqual(said(session), [{ type: 'text', text: 'try 2' }]);
    assert.deepEqual([resultOf(messages).usage.input_tokens, resultOf(messages).usage.output_tokens], [100, 10]);
  });

  it('a 401 in the middle of a session asks for the key again and uses the new one', async () => {
    let key = 'old';
    const session = await start([]);
    await session.dispose();
    const strict = await EngineHarness.start([turn({ reply: message('hello') })], { expectedKey: 'new' });
    try {
      const again = await strict.open({ endpoint: { baseUrl: strict.server.url, apiKey: async () => key, apiKeySource: 'test' } });
      assert.match(resultOf(await runTurn(again, 'one')).errors[0]!, /API key was refused/);
      key = 'new';
      assert.equal(resultOf(await runTurn(again, 'two')).result, 'hello');
      assert.ok(strict.server.requests.at(-1)!.raw.includes('one'), 'the first prompt was kept');
    } finally {
      await strict.close();
    }
  });
});
