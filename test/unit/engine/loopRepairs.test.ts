import assert from 'node:assert/strict';
import type { Session } from '../../../src/sdk/index.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { message, redactedThinking, text, thinking, toolUse } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

/** One pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const A = 'claude-opus-5-5';
const B = 'claude-haiku-4-5';

describe('requests that the server refused', () => {
  let harness: EngineHarness;

  async function start(turns: readonly ScriptedTurn[]): Promise<Session> {
    harness = await EngineHarness.start(turns);
    await harness.write('logo.png', PNG);
    await harness.write('photo.png', Buffer.concat([PNG, Buffer.from('x')]));
    return harness.open({ model: A });
  }

  afterEach(() => harness.close());

  function notices(messages: readonly SDKMessage[]): string[] {
    return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
  }

  function bodies(): string[] {
    return harness.server.requests.map(({ raw }) => raw);
  }

  function assertNeverTwice(): void {
    assert.equal(new Set(bodies()).size, bodies().length, 'no body was sent twice');
  }

  const readLogo = () => turn({ reply: () => message([toolUse('Read', { file_path: harness.path('logo.png') }, { id: 'r1' })]) });

  it('O24: an image that was read and is refused becomes a note, once and for good; the error names it', async () => {
    const session = await start([
      readLogo(),
      fault.status(400, { message: 'messages.2.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes' }),
      turn({ reply: message('I can’t see it.') }),
      turn({ reply: message('Still not.') }),
    ]);
    const messages = await runTurn(session, 'look at the logo');
    assert.equal(resultOf(messages).result, 'I can’t see it.');
    assert.match(notices(messages).join(), /refused an image in .*logo\.png \(400: .*exceeds 5 MB.*\)\. The model gets a note in its place/);
    await runTurn(session, 'and now?');
    const [, refused, repaired, later] = bodies();
    assert.match(refused!, /"type":"image"/);
    for (const body of [repaired!, later!]) {
      assert.doesNotMatch(body, /"type":"image"/);
      assert.match(body, /An image in .*logo\.png was left out: the server refused it/);
    }
    assert.match(JSON.stringify(session.messages), /"type":"image"/, 'the conversation keeps it');
    assertNeverTwice();
    harness.server.assertClean();
  });

  it('O24: one of two pasted images is refused; the other stays', async () => {
    const session = await start([fault.status(400, { message: 'messages.0.content.1.image.source.base64.data: Could not process image' }), turn({ reply: message('One of them.') })]);
    const image = (data: Buffer): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: data.toString('base64') } });
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage([{ type: 'text', text: 'compare' }, image(Buffer.concat([PNG, Buffer.from('broken')])), image(PNG)])) messages.push(each);
    assert.equal(resultOf(messages).result, 'One of them.');
    assert.match(notices(messages).join(), /an image in your message/);
    assert.equal(bodies()[1]!.split('"type":"image"').length - 1, 1);
    assert.ok(bodies()[1]!.includes(PNG.toString('base64')));
    harness.server.assertClean();
  });

  it('O24: an error that names no place means the images sent last', async () => {
    const session = await start([readLogo(), fault.status(400, { message: 'Could not process image' }), turn({ reply: message('ok') })]);
    assert.equal(resultOf(await runTurn(session, 'look')).result, 'ok');
    assert.doesNotMatch(bodies()[2]!, /"type":"image"/);
    assertNeverTwice();
  });

  it('tries a repair once: the same complaint again is the end, and the next turn goes on', async () => {
    const refusal = 'messages.2.content.0.tool_result.content.0: image is too strange';
    const session = await start([readLogo(), fault.status(400, { message: refusal, times: 2 }), turn({ reply: message('fine') })]);
    const result = resultOf(await runTurn(session, 'look'));
    assert.match(result.errors[0]!, /refused the request \(400.*will not be sent again unchanged/);
    assert.equal(bodies().length, 3);
    assert.equal(resultOf(await runTurn(session, 'go on')).result, 'fine');
    assertNeverTwice();
  });

  it('gives up at once where there is nothing to change', async () => {
    const session = await start([fault.status(400, { message: 'tools.0.name: String should match pattern' })]);
    assert.equal(resultOf(await runTurn(session, 'go')).is_error, true);
    assert.equal(bodies().length, 1);
  });

  for (const complaint of ['messages.1.content.0: Invalid `signature` in `thinking` block', 'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.']) {
    it(`O23: leaves the thinking out after “${complaint.slice(0, 60)}…”, and only what was refused`, async () => {
      const session = await start([
        turn({ reply: message([thinking('first'), redactedThinking('xyz'), text('one')]) }),
        fault.status(400, { message: complaint }),
        turn({ reply: message([thinking('second'), text('two')]) }),
        turn({ reply: message('three') }),
      ]);
      await runTurn(session, 'a');
      const messages = await runTurn(session, 'b');
      assert.equal(resultOf(messages).result, 'two');
      assert.match(notices(messages).join(), /refused the model’s earlier thinking.*nothing was removed from the conversation/);
      await runTurn(session, 'c');
      assert.doesNotMatch(bodies()[2]!, /thinking"/);
      assert.match(bodies()[3]!, /"thinking":"second"/);
      assert.doesNotMatch(bodies()[3]!, /"thinking":"first"|redacted_thinking/);
      assert.match(JSON.stringify(session.messages), /"thinking":"first"/);
      assertNeverTwice();
      harness.server.assertClean();
    });
  }

  it('leaves out the one text of an answer that is refused, and a call with its result told in words', async () => {
    const session = await start([
      turn({ reply: message([thinking('hm'), text('bad words')]) }),
      fault.status(400, { message: 'messages.1.content.1.text.text: not like this' }),
      turn({ reply: () => message([toolUse('Glob', { pattern: '*.png' }, { id: 'g1' }), toolUse('Glob', { pattern: '*.none' }, { id: 'g2' })]) }),
      fault.status(400, { message: 'messages.3.content.0.tool_use.input: not like this either' }),
      turn({ reply: message('fine') }),
      turn({ reply: message('still fine') }),
    ]);
    await runTurn(session, 'a');
    const messages = await runTurn(session, 'b');
    assert.equal(resultOf(messages).result, 'fine');
    assert.match(notices(messages).join(), /refused a part of an earlier answer \(400: .*nothing was removed from the conversation/);
    await session.dispose();
    await runTurn(await harness.open({ resume: session.sessionId, model: A }), 'c');
    for (const { body } of harness.server.requests.slice(-2)) {
      const contents = body.messages.map(({ content }) => content as readonly { type: string; text?: string }[]);
      assert.deepEqual(contents[1]!.map(({ type }) => type), ['thinking', 'text']);
      assert.match(contents[1]![1]!.text!, /^\[A part of this answer was left out: the server refused it \(messages\.1/);
      assert.deepEqual(contents[3]!.map(({ type }) => type), ['tool_use']);
      assert.deepEqual(contents[4]!.slice(0, 2).map(({ type }) => type), ['tool_result', 'text']);
      assert.match(contents[4]![1]!.text!, /^\[Result of a call that was left out\]\n[^]*logo\.png/);
    }
    assertNeverTwice();
    harness.server.assertClean();
  });

  it('O23a: thinking comes back byte for byte, in its order, also after a resume', async () => {
    const session = await start([
      turn({ reply: () => message([thinking('hm', 'sig-1'), text('Looking.'), toolUse('Read', { file_path: harness.path('none.txt') }, { id: 'r1' }), thinking('hm again', 'sig-2'), redactedThinking('abc'), toolUse('Glob', { pattern: '*.none' }, { id: 'g1' })]) }),
      turn({ reply: message([thinking('now I know', 'sig-3'), text('Done.')]) }),
      turn({ reply: message('yes') }),
    ]);
    await runTurn(session, 'go');
    await session.dispose();
    await runTurn(await harness.open({ resume: session.sessionId, model: A }), 'sure?');
    // The strict server compares every thinking block with what it had sent.
    harness.server.assertClean();
    const types = (harness.server.requests[2]!.body.messages[1]!.content as readonly { type: string }[]).map(({ type }) => type);
    assert.deepEqual(types, ['thinking', 'text', 'tool_use', 'thinking', 'redacted_thinking', 'tool_use']);
  });

  it('O23b: a switch of models leaves the other’s thinking out, both ways, and the file keeps it', async () => {
    const thoughtful = (name: string) => turn({ reply: () => message([thinking(`thought of ${name}`), toolUse('Glob', { pattern: '*.none' })]) });
    const session = await start([thoughtful('A'), turn({ reply: message('a') }), thoughtful('B'), turn({ reply: message('b') }), turn({ reply: message('a again') })]);
    await runTurn(session, 'one');
    session.setModel(B);
    await runTurn(session, 'two');
    session.setModel(A);
    assert.equal(resultOf(await runTurn(session, 'three')).result, 'a again');
    const seen = bodies().map((body) => [/thought of A/.test(body), /thought of B/.test(body)]);
    assert.deepEqual(seen, [[false, false], [true, false], [false, false], [false, true], [true, false]]);
    const kept = JSON.stringify(await harness.transcript(session));
    assert.ok(kept.includes('thought of A') && kept.includes('thought of B'));
    harness.server.assertClean();
  });

  const refusal = (times = 1) => fault.status(400, { message: 'The request was not accepted.', times });

  it('a refusal that says nothing ends the turn; refused again, the conversation goes on without its images, for good only once that has helped', async () => {
    const session = await start([readLogo(), turn({ reply: message([thinking('hm'), text('A logo.')]) }), refusal(2), turn({ reply: message('fine') }), turn({ reply: message('still fine') })]);
    await runTurn(session, 'look');
    assert.match(resultOf(await runTurn(session, 'and?')).errors[0]!, /not be sent again unchanged\. Just go on: where the next message is refused as well, what it may be about is left out step by step/);
    const messages = await runTurn(session, 'hello?');
    assert.equal(resultOf(messages).result, 'fine');
    assert.deepEqual(notices(messages), ['The server refused the conversation again (400: The request was not accepted.). It is tried without its images and documents, of which the model gets a note; nothing was removed from the conversation.']);
    await runTurn(await openAgain(session), 'thanks');
    const pictured = bodies().slice(1).map((body) => [body.includes('"type":"image"'), body.includes('"thinking":"hm"')]);
    assert.deepEqual(pictured, [[true, false], [true, true], [true, true], [false, true], [false, true]]);
    assert.match(bodies().at(-1)!, /An image or document was left out: the server refused the request and did not say why/);
    assert.match(JSON.stringify(session.messages), /"type":"image"/);
    assertNeverTwice();
    harness.server.assertClean();
  });

  it('refused again and again, it goes on without thinking, then with a summary of what came before; also after a resume', async () => {
    const session = await start([
      readLogo(),
      turn({ reply: message([thinking('hm'), text('A logo.')]) }),
      refusal(4),
      turn({ when: ({ tools }) => tools === undefined || 'a summary was expected', reply: message('They looked at a logo.') }),
      turn({ reply: message('fine') }),
      turn({ reply: message('still fine') }),
    ]);
    await runTurn(session, 'look');
    await runTurn(session, 'and?');
    const again = await openAgain(session);
    const messages = await runTurn(again, 'hello?');
    assert.equal(resultOf(messages).result, 'fine');
    assert.deepEqual(notices(messages).map((each) => /images and documents|earlier thinking|is summarised/.exec(each)?.[0]), ['images and documents', 'earlier thinking', 'is summarised']);
    await runTurn(await openAgain(again), 'thanks');
    for (const body of bodies().slice(-2)) {
      assert.match(body, /They looked at a logo\./);
      assert.match(body, /hello\?/);
      assert.doesNotMatch(body, /"type":"image"|"thinking":"hm"|A logo\./);
    }
    assert.match(JSON.stringify(again.messages), /"thinking":"hm"/);
    assertNeverTwice();
    harness.server.assertClean();
  });

  it('where nothing helps it says so, and keeps nothing left out; where the complaint is about something else, nothing is tried', async () => {
    const session = await start([readLogo(), turn({ reply: message('A logo.') }), refusal(4), fault.status(400, { message: 'tools.0.name: String should match pattern', times: 2 }), turn({ reply: message('fine') })]);
    await runTurn(session, 'look');
    await runTurn(session, 'and?');
    const failed = await runTurn(session, 'hello?');
    assert.match(resultOf(failed).errors[0]!, /refused the request \(400: The request was not accepted\.\).*Rewind to an earlier message, choose another model, or start a new session/);
    assert.match(notices(failed).at(-1)!, /^Summarising failed: the server answered 400/);
    await runTurn(session, 'hm');
    assert.match(bodies().at(-1)!, /"type":"image"/);
    const other = await runTurn(session, 'well');
    assert.match(resultOf(other).errors[0]!, /tools\.0\.name.*Rewind/);
    assert.deepEqual(notices(other), []);
    await runTurn(session, 'now');
    assert.match(bodies().at(-1)!, /"type":"image"/, 'what did not help is not left out');
    assertNeverTwice();
  });

  async function openAgain(session: Session): Promise<Session> {
    await session.dispose();
    return harness.open({ resume: session.sessionId, model: A });
  }

  it('O24: what was learnt about an image survives a resume: the first request is repaired already', async () => {
    const session = await start([readLogo(), fault.status(400, { message: 'Could not process image' }), turn({ reply: message('I can’t see it.') }), turn({ reply: message('Still not.'), times: 2 })]);
    await runTurn(session, 'look');
    const again = await openAgain(session);
    const messages = await runTurn(again, 'and now?');
    assert.deepEqual(notices(messages), [], 'nothing has to be learnt again');
    await runTurn(await openAgain(again), 'now?');
    const [, , repaired, ...later] = bodies();
    assert.equal(later.length, 2);
    for (const body of later) {
      assert.doesNotMatch(body, /"type":"image"/);
      assert.match(body, /An image in .*logo\.png was left out: the server refused it \(Could not process image\)/);
    }
    const sent = (body: string): unknown[] => (JSON.parse(body.replaceAll(',"cache_control":{"type":"ephemeral"}', '')) as { messages: unknown[] }).messages;
    assert.deepEqual(sent(later[0]!).slice(0, 3), sent(repaired!), 'what was sent stays as it was sent');
    assertNeverTwice();
    harness.server.assertClean();
  });

  it('O23: what was learnt about thinking survives a resume', async () => {
    const session = await start([
      turn({ reply: message([thinking('first'), redactedThinking('xyz'), text('one')]) }),
      fault.status(400, { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' }),
      turn({ reply: message([thinking('second'), text('two')]) }),
      turn({ reply: message('three') }),
    ]);
    await runTurn(session, 'a');
    await runTurn(session, 'b');
    assert.deepEqual(notices(await runTurn(await openAgain(session), 'c')), []);
    assert.match(bodies()[3]!, /"thinking":"second"/);
    assert.doesNotMatch(bodies()[3]!, /"thinking":"first"|redacted_thinking/);
    harness.server.assertClean();
  });

  it('a request that nothing could repair is never sent again, after a resume neither; another one is', async () => {
    const session = await start([fault.status(400, { message: 'tools.0.name: String should match pattern' }), turn({ reply: message('fine') })]);
    await runTurn(session, 'go');
    await session.rewind(session.rewindTargets()[0]!.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    const refused = /Nothing was sent: the server has refused exactly this request before \(400: tools\.0\.name/;
    assert.match(resultOf(await runTurn(session, 'go')).errors[0]!, refused);
    const again = await openAgain(session);
    await again.rewind(again.rewindTargets()[0]!.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    assert.match(resultOf(await runTurn(again, 'go')).errors[0]!, refused);
    assert.equal(bodies().length, 1);
    assert.equal(resultOf(await runTurn(again, 'go on then')).result, 'fine');
    assertNeverTwice();
  });

  it('a 400 about money says nothing against the request: the same may be sent again', async () => {
    const session = await start([fault.status(400, { message: 'Your credit balance is too low to access the Anthropic API.' }), turn({ reply: message('fine') })]);
    assert.match(resultOf(await runTurn(session, 'go')).errors[0]!, /account does not allow this request .*can be sent again/);
    await session.rewind(session.rewindTargets()[0]!.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    assert.equal(resultOf(await runTurn(session, 'go')).result, 'fine');
    assert.equal(bodies()[0], bodies()[1]);
  });

  it('recovers by itself where a server knows none of the thinking', async () => {
    const session = await start([turn({ reply: message([thinking('hm'), text('one')]) })]);
    await runTurn(session, 'a');
    await session.dispose();
    const first = harness;
    const second = await EngineHarness.start([turn({ reply: message('two', { id: 'msg_other' }) })]);
    try {
      const again = await first.open({ resume: session.sessionId, model: A, endpoint: { baseUrl: second.server.url, apiKey: async () => 'key', apiKeySource: 'test' } });
      assert.equal(resultOf(await runTurn(again, 'b')).result, 'two');
      assert.deepEqual(second.server.problems.map((problem) => /Invalid `signature`/.test(problem)), [true]);
    } finally {
      await second.close();
    }
  });
});
