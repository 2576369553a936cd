import assert from 'node:assert/strict';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../support/engineHarness.ts';
import { message, text, toolUse, toolUseWithRawInput } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const cut = { stopReason: 'max_tokens', usage: { input_tokens: 10, output_tokens: 100 } };

describe('answers that run into the output limit', () => {
  let harness: EngineHarness;

  async function start(turns: readonly ScriptedTurn[]): Promise<void> {
    harness = await EngineHarness.start(turns, { files: { 'a.md': 'before\n' } });
  }

  function limits(): number[] {
    return harness.server.requests.map(({ body }) => body.max_tokens);
  }

  afterEach(() => harness.close());

  it('raises the limit to the model’s own, once, and takes back what was cut; both are paid for', async () => {
    await start([turn({ reply: message('A long sto', cut) }), turn({ reply: message('A long story.', { usage: { input_tokens: 10, output_tokens: 200 } }) })]);
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'tell');
    assert.equal(resultOf(messages).result, 'A long story.');
    assert.deepEqual(limits(), [32_000, 64_000]);
    assert.deepEqual(harness.server.requests[1]!.body.messages, harness.server.requests[0]!.body.messages);
    assert.deepEqual(session.messages.flatMap((each) => (each.type === 'assistant' ? each.message.content : [])), [{ type: 'text', text: 'A long story.' }]);
    assert.deepEqual([resultOf(messages).usage.input_tokens, resultOf(messages).usage.output_tokens], [20, 300]);
    assert.ok(messages.some((each) => each.type === 'system' && each.subtype === 'notice' && /output limit of 32000 tokens/.test(each.text)));
    harness.server.assertClean();
  });

  it('then asks to go on, exactly where it stopped, and keeps the higher limit', async () => {
    await start([turn({ reply: message('lost', cut) }), turn({ reply: message('one ', cut) }), turn({ reply: message('two ', cut) }), turn({ reply: message('three', {}) })]);
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'count');
    assert.equal(resultOf(messages).subtype, 'success');
    assert.deepEqual(limits(), [32_000, 64_000, 64_000, 64_000]);
    const last = harness.server.requests.at(-1)!.body.messages;
    assert.deepEqual(last.map(({ role }) => role), ['user', 'assistant', 'user', 'assistant', 'user']);
    assert.match(JSON.stringify(last.at(-1)), /exactly where it stopped, without apology or recap/);
    const shown = messages.flatMap((each) => (each.type === 'user' && !each.isMeta ? ['user'] : []));
    assert.deepEqual(shown, [], 'what we say to the model is not shown as the person’s');
    harness.server.assertClean();
  });

  it('O27: a call that was cut is never run, the file stays, the model is told, and there is an end to it', async () => {
    const half = () => message([toolUseWithRawInput('Write', `{"file_path":"${harness.path('a.md')}","content":"line1\\nli`)], cut);
    await start([turn({ reply: half, times: 5 })]);
    const messages = await runTurn(await harness.open(), 'write a.md');
    assert.equal(await harness.read('a.md'), 'before\n');
    assert.equal(harness.requests.length, 0, 'nobody was asked to approve it');
    assert.equal(resultOf(messages).subtype, 'error_during_execution');
    assert.match(resultOf(messages).errors[0]!, /output limit again and again/);
    assert.equal(harness.server.requests.length, 5);
    assert.match(Object.values(toolResults(harness.server.requests.at(-1)!.body)).join('\n'), /^(Not run: the output limit cut this call off.*\n?){3}$/);
    harness.server.assertClean();
  });

  it('runs the calls before the one that was cut, once the answer is not asked for again', async () => {
    const half = () => message([text('Reading.'), toolUse('Read', { file_path: harness.path('a.md') }, { id: `r${harness.server.requests.length}` }), toolUseWithRawInput('Write', '{"file_path":"', { id: `w${harness.server.requests.length}` })], cut);
    await start([turn({ reply: half, times: 2 }), turn({ reply: message('ok') })]);
    await runTurn(await harness.open(), 'go');
    const results = toolResults(harness.server.requests[2]!.body);
    assert.deepEqual(Object.keys(results), ['r2', 'w2']);
    assert.match(results['r2']!, /before/);
    assert.match(results['w2']!, /^Not run/);
    harness.server.assertClean();
  });

  it('does not raise what a budget holds down', async () => {
    await start([turn({ reply: message('so', { stopReason: 'max_tokens', usage: { input_tokens: 10, output_tokens: 2_000 } }), times: 2 })]);
    const result = resultOf(await runTurn(await harness.open({ maxOutputTokensPerTurn: 4_000 }), 'go'));
    assert.deepEqual(limits(), [4_000, 2_000]);
    assert.match(result.errors[0]!, /limit of 4000 output tokens/);
    harness.server.assertClean();
  });
});
