import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../support/engineHarness.ts';
import { message, text, thinking, toolUse, toolUseWithRawInput } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const CART = 'export function total(items) {\n  return items.length;\n}\n';

function types(messages: readonly SDKMessage[]): string[] {
  return messages.map((each) => (each.type === 'system' ? `system/${each.subtype}` : each.type));
}

describe('QueryEngine', () => {
  let harness: EngineHarness;

  async function start(turns: readonly ScriptedTurn[], options: Parameters<typeof EngineHarness.start>[1] = {}): Promise<void> {
    harness = await EngineHarness.start(turns, { files: { 'cart.ts': CART }, ...options });
  }

  afterEach(() => harness.close());

  it('answers in the order init, blocks, result, and bills the turn', async () => {
    await start([turn({ reply: message([text('Hello')], { usage: { input_tokens: 1_000, output_tokens: 100 } }) })]);
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'hi');
    assert.deepEqual(types(messages), ['system/init', 'assistant', 'result']);
    const result = resultOf(messages);
    assert.equal(result.subtype, 'success');
    assert.equal(result.result, 'Hello');
    assert.equal(result.num_turns, 1);
    // $1 and $5 per million: 1,000 × 0.000001 + 100 × 0.000005.
    assert.equal(result.total_cost_usd?.toFixed(6), '0.001500');
    harness.server.assertClean();
  });

  it('has the prompt on disk before the request leaves', async () => {
    let onDisk: string | undefined;
    await start([turn({ reply: message('ok') })]);
    const session = await harness.open();
    const seen = harness.server.waitForRequest(1).then(async () => (onDisk = await readFile(session.transcriptPath, 'utf8')));
    await runTurn(session, 'remember me');
    await seen;
    assert.match(onDisk ?? '', /remember me/);
  });

  it('reads, edits what was approved and tells the model', async () => {
    await start([
      turn({ reply: () => message([text('Reading.'), toolUse('Read', { file_path: harness.path('cart.ts') }, { id: 'r1' })]) }),
      turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('cart.ts'), old_string: 'total', new_string: 'sum' }, { id: 'e1' })]) }),
      turn({ reply: message('Done.') }),
    ]);
    const session = await harness.open();
    const messages = await runTurn(session, 'rename total to sum');
    assert.equal(resultOf(messages).subtype, 'success');
    assert.equal(await harness.read('cart.ts'), CART.replace('total', 'sum'));
    assert.equal(harness.requests.length, 1);
    assert.deepEqual(harness.requests[0]?.proposal, { path: harness.path('cart.ts'), targetPath: harness.path('cart.ts'), before: CART, after: CART.replace('total', 'sum') });
    const results = toolResults(harness.server.requests[2]!.body);
    assert.match(results['r1']!, /1\texport function total/);
    assert.match(results['e1']!, /sum/);
    harness.server.assertClean();
  });

  it('writes exactly what the user left on the right side, and tells the model what was changed', async () => {
    await start([
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('cart.ts') })]) }),
      turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('cart.ts'), old_string: 'total', new_string: 'sum' }, { id: 'e1' })]) }),
      turn({ reply: message('Done.') }),
    ]);
    harness.answer = ({ proposal }) => ({ behavior: 'allow', finalText: proposal!.after.replace('sum', 'grandSum') });
    await runTurn(await harness.open(), 'rename');
    assert.equal(await harness.read('cart.ts'), CART.replace('total', 'grandSum'));
    assert.match(toolResults(harness.server.requests[2]!.body)['e1']!, /grandSum/);
    harness.server.assertClean();
  });

  it('changes not a byte when the edit is rejected, tells why, and does not run what came after it', async () => {
    await start([
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('cart.ts') })]) }),
      turn({
        reply: () =>
          message([
            toolUse('Edit', { file_path: harness.path('cart.ts'), old_string: 'total', new_string: 'sum' }, { id: 'e1' }),
            toolUse('Bash', { command: 'touch ran.txt' }, { id: 'b1' }),
          ]),
      }),
      turn({ reply: message('As you wish.') }),
    ]);
    harness.answer = () => ({ behavior: 'deny', reason: 'keep the old name' });
    const before = await stat(harness.path('cart.ts'));
    const messages = await runTurn(await harness.open(), 'rename');
    assert.equal(await harness.read('cart.ts'), CART);
    assert.equal((await stat(harness.path('cart.ts'))).mtimeMs, before.mtimeMs);
    const results = toolResults(harness.server.requests[2]!.body);
    assert.match(results['e1']!, /rejected[\s\S]*keep the old name/);
    assert.match(results['b1']!, /^Not run/);
    await assert.rejects(stat(harness.path('ran.txt')));
    assert.deepEqual(resultOf(messages).permission_denials.map((denial) => denial.tool_name), ['Edit']);
    harness.server.assertClean();
  });

  it('speaks of no user where nobody was asked, and goes on with the calls that need no consent', async () => {
    await start([
      turn({ reply: () => message([toolUse('Bash', { command: 'touch ran.txt' }, { id: 'b1' }), toolUse('TodoWrite', { todos: [] }, { id: 't1' }), toolUse('Bash', { command: 'touch too.txt' }, { id: 'b2' })]) }),
      turn({ reply: message('I could not.') }),
    ]);
    harness.answer = ({ toolUseId }) => ({ behavior: 'deny', byUser: false, ...(toolUseId === 'b2' && { reason: 'Start anew.' }) });
    const messages = await runTurn(await harness.open(), 'go');
    const { b1, t1, b2 } = toolResults(harness.server.requests[1]!.body);
    assert.equal(b1, 'This needs the user’s consent and nobody is there to give it. Nothing was changed.');
    assert.equal(b2, 'Start anew.');
    assert.doesNotMatch(t1!, /Not run/);
    const kinds = messages.flatMap((each) => (each.type === 'user' && each.tool_use_result ? [each.tool_use_result.kind] : []));
    assert.deepEqual(kinds.filter((kind) => kind !== 'todos'), ['refused', 'refused'], 'the view is told, too');
    assert.deepEqual(resultOf(messages).permission_denials.map((denial) => denial.tool_use_id), ['b1', 'b2']);
  });

  it('runs neither a call whose input is no JSON nor one of an unknown tool, and the session goes on', async () => {
    await start([
      turn({ reply: message([toolUseWithRawInput('Bash', '{"command": "touch ra', { id: 'b1' }), toolUse('Teleport', {}, { id: 'x1' }), toolUse('Read', { path: 3 }, { id: 'r1' })]) }),
      turn({ reply: message('I see.') }),
    ]);
    const messages = await runTurn(await harness.open(), 'go');
    assert.equal(resultOf(messages).subtype, 'success');
    const results = toolResults(harness.server.requests[1]!.body);
    assert.match(results['b1']!, /not valid JSON/);
    assert.match(results['x1']!, /no tool named Teleport/);
    assert.match(results['r1']!, /file_path/);
    assert.equal(harness.requests.length, 0);
    harness.server.assertClean();
  });

  it('never runs a call that the output limit cut off', async () => {
    await start([
      turn({ reply: () => message([toolUseWithRawInput('Write', `{"file_path":"${harness.path('cart.ts')}","content":"line1\\nli`, { id: 'w1' })], { stopReason: 'max_tokens' }), times: 2 }),
      turn({ reply: message('Smaller then.') }),
    ]);
    await runTurn(await harness.open(), 'write');
    assert.equal(await harness.read('cart.ts'), CART);
    assert.match(toolResults(harness.server.requests[2]!.body)['w1']!, /^Not run/);
    harness.server.assertClean();
  });

  it('raises the output limit once, asks to go on three times at most, and says so in the end', async () => {
    await start([turn({ reply: message('and on', { stopReason: 'max_tokens' }), times: 5 })]);
    const result = resultOf(await runTurn(await harness.open(), 'a long story'));
    assert.equal(result.subtype, 'error_during_execution');
    assert.match(result.errors[0]!, /output limit/);
    assert.equal(harness.server.requests.length, 5);
    harness.server.assertClean();
  });

  it('continues a paused turn as it is', async () => {
    await start([turn({ reply: message('searching', { stopReason: 'pause_turn' }) }), turn({ reply: message('found') })]);
    assert.equal(resultOf(await runTurn(await harness.open(), 'search')).result, 'found');
    assert.equal(harness.server.requests.length, 2);
  });

  it('withdraws what a broken stream had said, shows the text once and bills both attempts', async () => {
    await start([
      turn({ reply: message([text('Hello'), text('wor')], { usage: { input_tokens: 10, output_tokens: 5 } }), cutAfter: { events: 6, how: 'reset' } }),
      turn({ reply: message('Hello world', { usage: { input_tokens: 10, output_tokens: 7 } }) }),
    ]);
    const session = await harness.open();
    const messages = await runTurn(session, 'hi');
    assert.deepEqual(types(messages).filter((type) => type !== 'assistant'), ['system/init', 'tombstone', 'system/api_retry', 'result']);
    const texts = session.messages.flatMap((each) => (each.type === 'assistant' ? [each.message.content] : []));
    assert.deepEqual(texts, [[{ type: 'text', text: 'Hello world' }]]);
    assert.equal(resultOf(messages).usage.input_tokens, 20);
    const again = await harness.open({ resume: session.sessionId });
    assert.equal(JSON.stringify(again.messages.map((each) => 'message' in each && each.message.content)), JSON.stringify(session.messages.map((each) => 'message' in each && each.message.content)));
  });

  for (const [name, faults, expected] of [
    ['a 400', [fault.status(400, { message: 'messages.0: something is off' })], /refused the request \(400.*It will not be sent again unchanged.*saved/],
    ['a 401, after one more try', [fault.status(401, { message: 'invalid x-api-key' }), fault.status(401, { message: 'invalid x-api-key' })], /API key was refused.*Set API Key/],
    ['an unknown model', [fault.status(404, { message: 'model: nope' })], /404: model: nope/],
    ['a retry-after beyond patience', [fault.status(429, { headers: { 'retry-after': '9999' } })], /rate limit.*167 min/],
  ] as const) {
    it(`says what happened after ${name}, keeps the prompt and goes on`, async () => {
      await start([...faults, turn({ reply: message('back again') })]);
      const session = await harness.open();
      const result = resultOf(await runTurn(session, 'first try'));
      assert.equal(result.subtype, 'error_during_execution');
      assert.match(result.errors[0]!, expected);
      assert.equal(harness.server.requests.length, faults.length);
      assert.equal(resultOf(await runTurn(session, 'second try')).result, 'back again');
      harness.server.assertClean();
    });
  }

  it('says what is wrong when a page comes in place of an answer', async () => {
    await start([turn({ ...fault.html200(), times: 3 })]);
    const session = await harness.open();
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage('hi')) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
    }
    assert.match(resultOf(messages).errors[0]!, /not with a model’s reply.*text\/html/);
  });

  it('falls back after three overloads in a row and returns to the chosen model', async () => {
    const soon = { headers: { 'retry-after-ms': '1' } };
    await start([fault.status(529, { ...soon, times: 3 }), turn({ reply: message('from B') }), turn({ reply: message('from A') })]);
    const session = await harness.open({ model: 'claude-opus-5-5', fallbackModel: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'one');
    assert.ok(messages.some((each) => each.type === 'system' && each.subtype === 'notice' && /haiku-4-5 answers this turn/.test(each.text)));
    await runTurn(session, 'two');
    assert.deepEqual(harness.server.requests.map((request) => request.body.model), [...Array(3).fill('claude-opus-5-5'), 'claude-haiku-4-5', 'claude-opus-5-5']);
    harness.server.assertClean();
  });

  it('keeps what was said when it is interrupted in the stream, and the session stays valid', async () => {
    await start([turn({ reply: message([text('The answer is long and goes on')]), deltaSize: 4, stallAfter: { events: 7 } }), turn({ reply: message('fine') })]);
    const session = await harness.open({ includePartialMessages: true });
    const messages: SDKMessage[] = [];
    const shown: string[] = [];
    for await (const each of session.submitMessage('go')) {
      messages.push(each);
      if (each.type !== 'stream_event' || each.event.type !== 'content_block_delta') continue;
      shown.push((each.event.delta as { text: string }).text);
      if (shown.length === 3) session.interrupt();
    }
    const result = resultOf(messages);
    assert.equal(result.subtype, 'error_during_execution');
    assert.match(result.errors[0]!, /^Interrupted/);
    const said = session.messages.flatMap((each) => (each.type === 'assistant' ? [each.message.content] : []));
    assert.deepEqual(said, [[{ type: 'text', text: shown.join('') }]]);
    const again = await harness.open({ resume: session.sessionId });
    assert.equal(resultOf(await runTurn(again, 'and now?')).result, 'fine');
    harness.server.assertClean();
  });

  it('ends the whole process tree of a command on interrupt and gives the call a result', async () => {
    await start([turn({ reply: message([toolUse('Bash', { command: 'echo started; sleep 60 & sleep 61; touch never.txt' }, { id: 'b1' })]) }), turn({ reply: message('ok') })]);
    const session = await harness.open();
    for await (const each of session.submitMessage('run')) {
      if (each.type === 'progress' && each.data.text.includes('started')) session.interrupt();
    }
    const last = session.messages.findLast((each) => each.type === 'user' && !each.isMeta && typeof each.message.content !== 'string');
    assert.match(JSON.stringify(last), /nterrupted/);
    assert.equal(resultOf(await runTurn(session, 'next')).result, 'ok');
    harness.server.assertClean();
  });

  it('sends the same bytes again after a resume, and remembers what it cost', async () => {
    await start([
      turn({ reply: () => message([thinking('hm'), text('Reading.'), toolUse('Read', { file_path: harness.path('cart.ts') })]) }),
      turn({ reply: message('A cart.') }),
      turn({ reply: message('Still a cart.') }),
    ]);
    const session = await harness.open();
    await runTurn(session, 'what is this?');
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.equal(again.cost.totalCostUsd, session.cost.totalCostUsd);
    await runTurn(again, 'sure?');
    const [, before, after] = harness.server.requests.map((request) => request.body);
    const plain = (messages: unknown) => JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    assert.equal(JSON.stringify(after!.system), JSON.stringify(before!.system));
    assert.equal(JSON.stringify(after!.tools), JSON.stringify(before!.tools));
    assert.equal(plain(after!.messages.slice(0, before!.messages.length)), plain(before!.messages));
    harness.server.assertClean();
  });

  it('stops at the limits with a result of their own', async () => {
    await start([turn({ reply: () => message([toolUse('Read', { file_path: harness.path('cart.ts') })]), times: 5 })]);
    const limited = resultOf(await runTurn(await harness.open({ maxTurns: 2 }), 'loop'));
    assert.equal(limited.subtype, 'error_max_turns');
    assert.equal(limited.num_turns, 2);
    const poor = resultOf(await runTurn(await harness.open({ maxBudgetUsd: 0.000001, model: 'claude-opus-5-5' }), 'loop'));
    assert.equal(poor.subtype, 'error_max_budget_usd');
    assert.equal(harness.server.requests.length, 2);
  });

  it('tells the model once that a file it had read was changed outside', async () => {
    await start([
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('cart.ts') })]) }),
      turn({ reply: message('ok') }),
      turn({ reply: message('seen') }),
      turn({ reply: message('seen again') }),
    ]);
    const session = await harness.open();
    await runTurn(session, 'read');
    await harness.write('cart.ts', `${CART}// more\n`);
    await runTurn(session, 'and?');
    await runTurn(session, 'and now?');
    const notes = JSON.stringify(harness.server.requests.at(-1)!.body.messages).split('// more').length - 1;
    assert.equal(notes, 1);
    harness.server.assertClean();
  });

  it('goes back to a message and forth again, files and conversation, also after a restart', async () => {
    await start([
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('cart.ts') })]) }),
      turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('cart.ts'), old_string: 'total', new_string: 'sum' })]) }),
      turn({ reply: () => message([toolUse('Write', { file_path: harness.path('made/new.txt'), content: 'new\n' })]) }),
      turn({ reply: message('Done.') }),
      turn({ reply: message('Later.') }),
      turn({ reply: message('After it all.') }),
    ]);
    const session = await harness.open();
    await runTurn(session, 'rename');
    await runTurn(session, 'anything else?');
    const [, target] = session.rewindTargets();
    assert.equal(target?.text, 'rename');
    const plan = await session.planRewind(target!.messageId);
    assert.deepEqual(plan.files.map((file) => [file.path, file.action, file.changedSince]), [
      [harness.path('cart.ts'), 'restore', false],
      [harness.path('made/new.txt'), 'delete', false],
    ]);
    const outcome = await session.rewind(target!.messageId, { scope: 'both', skip: [], overwrite: [] });
    assert.equal(outcome.prompt, 'rename');
    assert.equal(await harness.read('cart.ts'), CART);
    await assert.rejects(stat(harness.path('made')));
    assert.equal(session.messages.length, 0);
    await session.dispose();

    const again = await harness.open({ resume: session.sessionId });
    assert.equal(again.messages.length, 0);
    assert.equal(again.canUndoRewind, true);
    await again.undoRewind();
    assert.equal(await harness.read('cart.ts'), CART.replace('total', 'sum'));
    assert.equal(await harness.read('made/new.txt'), 'new\n');
    assert.equal(resultOf(await runTurn(again, 'go on')).result, 'After it all.');
    harness.server.assertClean();
  });
});
