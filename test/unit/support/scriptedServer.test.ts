import assert from 'node:assert/strict';
import type { WireBlock } from '../../support/apiTypes.ts';
import { frameEvent, messageEvents } from '../../support/messageEvents.ts';
import { foldEvents, parseEventStream } from '../../support/readEventStream.ts';
import { message, text, thinking, toolUse, toolUseWithRawInput } from '../../support/scriptedMessage.ts';
import { startScriptedServer } from '../../support/scriptedServer.ts';
import type { ScriptedServer, ScriptedServerOptions } from '../../support/scriptedServer.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';
import { minimalBody, postMessages } from './postMessages.ts';

const completeUsage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

describe('startScriptedServer', () => {
  let server: ScriptedServer | undefined;
  const start = async (turns: ScriptedTurn[], options?: ScriptedServerOptions): Promise<ScriptedServer> => (server = await startScriptedServer(turns, options));
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const answered = (body: string): WireBlock[] => foldEvents(parseEventStream(body)).content;

  it('answers in order, streams by default, and logs what it was asked', async () => {
    const { url, requests, ...rest } = await start([turn({ reply: message('One') }), turn({ reply: message('Two') })]);
    const first = await postMessages(url);
    assert.equal(first.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.deepEqual(answered(first.body), [text('One')]);
    const second = await postMessages(url, { ...minimalBody, stream: false });
    assert.deepEqual(JSON.parse(second.body).content, [text('Two')]);
    assert.deepEqual(requests.map(request => request.body.stream), [true, false]);
    assert.equal(requests[0]?.raw, JSON.stringify(minimalBody));
    assert.equal(await requests[0]?.finished, true);
    rest.assertClean();
  });

  it('gives calls ids of their own and streams arguments that are no JSON', async () => {
    const { url } = await start([turn({ reply: message([toolUse('A'), toolUse('B'), toolUseWithRawInput('C', '{"half')]) })]);
    const { body } = await postMessages(url);
    assert.deepEqual([...body.matchAll(/"id":"(toolu_\w+)"/g)].map(match => match[1]), ['toolu_0001', 'toolu_0002', 'toolu_0003']);
    assert.match(body, /"partial_json":"\{\\"half"/);
  });

  it('sends the same bytes however they are cut', async () => {
    const reply = message([text('Grüße 🙂')], { id: 'msg_same' });
    const { url } = await start([turn({ reply }), turn({ reply, chunking: 'byte' }), turn({ reply, chunking: [1, 300] })]);
    const [events, bytes, two] = [await postMessages(url), await postMessages(url), await postMessages(url)];
    assert.equal(bytes.body, events.body);
    assert.equal(two.body, events.body);
    assert.equal(bytes.chunks, Buffer.byteLength(events.body));
  });

  it('is loud when the script is over or expects something else, and when turns are left', async () => {
    const { url, problems, assertClean, push } = await start([]);
    const over = await postMessages(url);
    assert.equal(over.status, 500);
    assert.match(over.body, /no turn left/);
    push(turn({ when: request => request.model === 'claude-x' || 'wanted claude-x', reply: message('x') }));
    assert.match((await postMessages(url)).body, /does not expect this request: wanted claude-x/);
    assert.equal(problems.length, 2);
    assert.throws(() => assertClean(), /no turn left[\s\S]*wanted claude-x[\s\S]*turn 1 of the script was not used/);
  });

  it('answers malformed requests with 400, without using up a turn', async () => {
    const { url, problems, requests } = await start([turn({ reply: message('ok') })]);
    const refused = await postMessages(url, { ...minimalBody, colour: 'red' });
    assert.equal(refused.status, 400);
    assert.deepEqual(JSON.parse(refused.body).error, { type: 'invalid_request_error', message: 'colour: Extra inputs are not permitted' });
    assert.equal((await postMessages(url, '{"half')).status, 400);
    assert.equal((await postMessages(url)).status, 200);
    assert.deepEqual(problems, ['request 1 is malformed: colour: Extra inputs are not permitted', 'request 2 is malformed: The request body is not a JSON object']);
    assert.equal(requests[0]?.refusal?.status, 400);
  });

  it('remembers its thinking blocks, also for a second server', async () => {
    const reply = message([thinking('Hm.', 'sig'), toolUse('Read', {}, { id: 'toolu_a' })]);
    const { url, sent } = await start([turn({ reply })]);
    await postMessages(url);
    const second = await startScriptedServer([turn({ reply: message('Done') })], { sent });
    const follow = (thought: string): unknown => ({
      ...minimalBody,
      tools: [{ name: 'Read', input_schema: { type: 'object' } }],
      messages: [
        ...minimalBody.messages,
        { role: 'assistant', content: [{ type: 'thinking', thinking: thought, signature: 'sig' }, { type: 'tool_use', id: 'toolu_a', name: 'Read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' }] },
      ],
    });
    assert.match((await postMessages(second.url, follow('Hm!'))).body, /cannot be modified/);
    assert.deepEqual(answered((await postMessages(second.url, follow('Hm.'))).body), [text('Done')]);
    await second.close();
  });

  it('remembers the thinking of a raw stream too', async () => {
    const events = messageEvents({ id: 'm', model: 'x', content: [thinking('Hm.', 'sig'), text('So.')], stopReason: 'end_turn', usage: completeUsage });
    const { url, sent } = await start([turn({ raw: events.map(frameEvent).join('') })]);
    await postMessages(url);
    assert.equal(sent.judge(thinking('Hm.', 'sig'), minimalBody.model), 'as sent');
    assert.equal(sent.judge(thinking('Hm!', 'sig'), minimalBody.model), 'altered');
    assert.equal(sent.judge(thinking('Hm.', 'gis'), minimalBody.model), 'unknown');
  });

  it('checks key, version, model and window, which are no problems of form', async () => {
    const { url, problems } = await start([], { expectedKey: 'right', windowTokens: 50 });
    const key = { authorization: 'Bearer right' };
    assert.match((await postMessages(url)).body, /authentication_error.*invalid x-api-key/);
    assert.equal((await postMessages(url, { ...minimalBody, model: 'gpt' }, key)).status, 404);
    assert.match((await postMessages(url, { ...minimalBody, messages: [{ role: 'user', content: 'x'.repeat(400) }] }, key)).body, /prompt is too long: \d+ tokens > 50 maximum/);
    assert.deepEqual(problems, []);
    assert.match((await postMessages(url, minimalBody, { ...key, 'anthropic-version': 'new' })).body, /anthropic-version/);
    assert.equal(problems.length, 1);
  });

  it('answers asides out of turn', async () => {
    const aside = [turn({ when: request => String(request.system).includes('title'), reply: message('A title') })];
    const { url, assertClean } = await start([turn({ reply: message('Main') })], { aside });
    const title = { ...minimalBody, system: 'Make a title' };
    const bodies = [await postMessages(url, title), await postMessages(url), await postMessages(url, title)].map(each => answered(each.body));
    assert.deepEqual(bodies, [[text('A title')], [text('Main')], [text('A title')]]);
    assertClean();
  });

  it('counts cached prefixes when asked to', async () => {
    const reply = message('ok');
    const { url } = await start([turn({ reply, times: 3 })], { simulateCache: true });
    const marked = { type: 'text', text: 'x'.repeat(400), cache_control: { type: 'ephemeral' } };
    const usageOf = async (system: unknown[]): Promise<Record<string, unknown>> =>
      foldEvents(parseEventStream((await postMessages(url, { ...minimalBody, system })).body)).usage;
    const first = await usageOf([marked]);
    const same = await usageOf([marked, { type: 'text', text: 'new' }]);
    const other = await usageOf([{ ...marked, text: 'y'.repeat(400) }]);
    assert.equal(first['cache_read_input_tokens'], 0);
    assert.ok(Number(first['cache_creation_input_tokens']) > 100);
    assert.equal(same['cache_read_input_tokens'], first['cache_creation_input_tokens']);
    assert.equal(other['cache_read_input_tokens'], 0);
  });
});

describe('startScriptedServer, faults', () => {
  const post = async (step: ScriptedTurn): ReturnType<typeof postMessages> => {
    const server = await startScriptedServer([step]);
    try {
      return await postMessages(server.url);
    } finally {
      await server.close();
    }
  };
  const reply = message('A longer answer, so that there is something to cut.');

  it('answers with a status, headers and the error body', async () => {
    const answer = await post(fault.overloaded('2'));
    assert.equal(answer.status, 529);
    assert.equal(answer.headers['retry-after'], '2');
    assert.deepEqual(JSON.parse(answer.body), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  });

  it('answers 200 with a page, with nothing, with any text', async () => {
    assert.match((await post(fault.html200())).body, /<!doctype html>/);
    assert.deepEqual(await post(fault.empty200()).then(({ status, body, ended }) => ({ status, body, ended })), { status: 200, body: '', ended: 'whole' });
    assert.equal((await post(turn({ raw: 'event: error\ndata: {}\n\n' }))).body, 'event: error\ndata: {}\n\n');
  });

  it('breaks the connection after so many events or bytes', async () => {
    const byEvents = await post(fault.cut(reply, { events: 4, how: 'reset' }));
    assert.equal(byEvents.ended, 'broken');
    assert.equal(parseEventStream(byEvents.body).length, 4);
    const byBytes = await post(fault.cut(reply, { bytes: 333, how: 'reset' }));
    assert.deepEqual([byBytes.ended, Buffer.byteLength(byBytes.body)], ['broken', 333]);
    const hard = await post(fault.cut(reply, { events: 4, how: 'hardReset' })).catch((error: NodeJS.ErrnoException) => ({ ended: error.code }));
    assert.ok(['broken', 'ECONNRESET'].includes(String(hard.ended)));
  });

  it('ends politely without message_stop', async () => {
    const answer = await post(fault.cut(reply, { events: 5, how: 'end' }));
    assert.equal(answer.ended, 'whole');
    assert.throws(() => foldEvents(parseEventStream(answer.body)), /block 0 is not closed/);
  });

  it('falls silent but for pings, and goes on when told', async () => {
    let goOn = (): void => {};
    const until = new Promise<void>(resolve => (goOn = resolve));
    setTimeout(() => goOn(), 60);
    const answer = await post(fault.stall(reply, { events: 5, pingEveryMs: 5, until }));
    const events = parseEventStream(answer.body);
    assert.ok(events.filter(({ event }) => event === 'ping').length > 1);
    assert.deepEqual(foldEvents(events).content, reply.content);
  });

  it('can be closed while an answer is stalled, and tells that a client has gone', async () => {
    const server = await startScriptedServer([fault.stall(reply, { events: 2 })]);
    const answer = postMessages(server.url);
    const request = await server.waitForRequest(1);
    await server.close();
    assert.equal(await request.finished, false);
    assert.equal((await answer.catch(() => ({ ended: 'broken' }))).ended, 'broken');
  });
});
