import assert from 'node:assert/strict';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import type { Session } from '../../src/sdk/index.ts';
import { EngineHarness, resultOf } from '../support/engineHarness.ts';
import { message } from '../support/scriptedMessage.ts';
import { fault, turn } from '../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';

interface OddMessage {
  readonly content: readonly unknown[];
  readonly stop_reason?: unknown;
  /** Fields in place of those of an ordinary message. */
  readonly over?: object;
  readonly deltas?: readonly unknown[];
}

interface OddAnswer extends OddMessage {
  /** Parts of the answer that the strict server refuses when they come back: told to the user, each once. */
  readonly refused?: number;
}

const call = (over: object) => ({ type: 'tool_use', id: 'toolu_x', name: 'Read', input: {}, ...over });
const json = (partial_json: unknown) => ({ type: 'input_json_delta', partial_json });
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const text = { type: 'text', text: 'hi' };

/** What gateways and servers have been seen to send, and what they could. */
const answers: { readonly [what: string]: OddAnswer } = {
  'a block that is null': { content: [null] },
  'a block that is a text': { content: ['text'] },
  'a block that is a list': { content: [[]] },
  'a block without a type': { content: [{ text: 'hi' }] },
  'a block whose type is a number': { content: [{ type: 5 }] },
  'a block of an unknown type': { content: [{ type: 'mystery', data: { a: 1 } }], refused: 1 },
  'blocks of an unknown type among others': { content: [text, { type: 'mystery' }, { type: 'mystery', id: 2 }, text], refused: 1 },
  'a call of a server whose tools we do not have': { content: [{ type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'x', server_name: 'y', input: {} }], refused: 1 },
  'fields that texts do not have': { content: [{ ...text, annotations: [], index: 3, citations: null }], refused: 2 },
  'fields that calls do not have': { content: [call({ function: { name: 'x' } })], deltas: [json('{"file_path":"/none"}')], refused: 1 },
  'a text that is null': { content: [{ type: 'text', text: null }] },
  'a piece of text that is a number': { content: [{ type: 'text', text: '' }], deltas: [{ type: 'text_delta', text: 7 }] },
  'a piece that is null': { content: [{ type: 'text', text: 'a' }], deltas: [null] },
  'a call without an id': { content: [call({ id: undefined })], deltas: [json('{"file_path":"/none"}')] },
  'a call whose id is null': { content: [call({ id: null })], deltas: [json('{"file_path":"/none"}')] },
  'a call whose id is a number': { content: [call({ id: 7 })], deltas: [json('{"file_path":"/none"}')] },
  'a call without a name': { content: [call({ name: undefined })] },
  'a call whose name is null': { content: [call({ name: null })] },
  'a call whose name is empty': { content: [call({ name: '' })] },
  'a call whose name is none': { content: [call({ name: 'functions.Read<|x|>' })] },
  'a call whose name is too long': { content: [call({ name: 'R'.repeat(500) })] },
  'an input that is a list': { content: [call({ input: [1] })] },
  'an input that is a text': { content: [call({ input: '{"file_path":"/none"}' })] },
  'an input that is null': { content: [call({ input: null })] },
  'an input streamed as a list': { content: [call({})], deltas: [json('[1,2]')] },
  'an input nested deeper than can be written down': { content: [call({})], deltas: [json(`{"file_path":${deep(20_000)}}`)] },
  'an input with fields of the prototype': { content: [call({})], deltas: [json('{"__proto__":{"a":1},"constructor":5,"file_path":"/x"}')] },
  'an input with half a character in a name': { content: [call({})], deltas: [json('{"\\ud800":"/"}')] },
  'a piece of input that is an object': { content: [call({})], deltas: [json({ file_path: '/none' })] },
  'a call, and the turn is said to be over': { content: [call({})], deltas: [json('{"file_path":"/none"}')], stop_reason: 'end_turn' },
  'the stop reason of a call without one': { content: [text], stop_reason: 'tool_use' },
  'a stop reason that nobody knows': { content: [text], stop_reason: 'banana' },
  'a stop reason that is a number': { content: [text], stop_reason: 5 },
  'a call of the server without its result': { content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }], stop_reason: 'end_turn' },
  'a result of the server without its call': { content: [{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }] },
  'a result in the model’s own answer': { content: [{ type: 'tool_result', tool_use_id: 'x', content: 'x' }], refused: 1 },
  'an image in the model’s own answer': { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'xx' } }], refused: 1 },
  'thinking without a signature': { content: [{ type: 'thinking', thinking: 'hm' }, text] },
  'thinking that is null': { content: [{ type: 'thinking', thinking: null, signature: null }, text] },
  'nothing at all': { content: [] },
  'nothing, and the output limit': { content: [], stop_reason: 'max_tokens' },
  'nothing, and a pause': { content: [], stop_reason: 'pause_turn' },
  'blanks': { content: [{ type: 'text', text: ' \n' }] },
  'a message of the user': { content: [text], over: { role: 'user' } },
  'no model': { content: [text], over: { model: undefined } },
  'a model that is a number': { content: [text], over: { model: 5 } },
  'usage that is null': { content: [text], over: { usage: null } },
  'usage that is a text': { content: [text], over: { usage: 'many' } },
  'usage that counts in texts': { content: [text], over: { usage: { input_tokens: '5', output_tokens: 'x' } } },
  'usage that is absurd': { content: [text], over: { usage: { input_tokens: -5, output_tokens: 1e300, cache_creation: 'x', server_tool_use: 7, iterations: 'no' } } },
  'citations that are none': { content: [{ ...text, citations: [{ foo: 1 }] }], deltas: [{ type: 'citations_delta', citation: null }] },
};

const head = { id: 'msg_odd', type: 'message', role: 'assistant', model: 'claude-opus-5-5', stop_sequence: null, usage: { input_tokens: 5, output_tokens: 1 } };

const reasonOf = ({ content, stop_reason }: OddMessage): unknown => stop_reason ?? (JSON.stringify(content).includes('"tool_use"') ? 'tool_use' : 'end_turn');

const stream = (events: readonly { readonly type: string }[]): ScriptedTurn => turn({ raw: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('') });

/** The deltas are those of the first block. */
function streamed(odd: OddMessage): ScriptedTurn {
  const blocks = odd.content.flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    ...(index === 0 ? (odd.deltas ?? []) : []).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const message_delta = { type: 'message_delta', delta: { stop_reason: reasonOf(odd), stop_sequence: null }, usage: { output_tokens: 9 } };
  return stream([{ type: 'message_start', message: { ...head, content: [], stop_reason: null, ...odd.over } } as { type: string }, ...blocks, message_delta, { type: 'message_stop' }]);
}

/** Two streams that break make the engine ask for the next answer in one piece. */
function inOnePiece(odd: OddMessage): ScriptedTurn[] {
  const cut = (): ScriptedTurn => fault.cut(message('this breaks off'), { events: 3, how: 'end' });
  return [cut(), cut(), turn({ status: 200, body: { ...head, content: odd.content, stop_reason: reasonOf(odd), ...odd.over } })];
}

describe('answers that no server should give', () => {
  let harness: EngineHarness;
  let session: Session;
  afterEach(() => harness.close());

  async function say(prompt: string): Promise<SDKMessage[]> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(prompt)) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
    }
    assert.equal(messages.filter(({ type }) => type === 'result').length, 1);
    return messages;
  }

  async function start(script: readonly ScriptedTurn[]): Promise<void> {
    harness = await EngineHarness.start([...script, turn({ reply: message('as ever'), times: Infinity })]);
    session = await harness.open({ model: 'claude-opus-5-5', random: () => 0 });
  }

  /** The turn ends in plain words, the next one succeeds, and so does one of a session that is opened again. */
  async function assertGoesOn(refused = 0): Promise<void> {
    const [error] = resultOf(await say('one')).errors;
    assert.doesNotMatch(error ?? '', /Turnstone itself|undefined|is not a function|call stack/);
    const before = harness.server.requests.length;
    assert.equal(resultOf(await say('two')).subtype, 'success');
    await session.dispose();
    session = await harness.open({ model: 'claude-opus-5-5', random: () => 0, resume: session.sessionId });
    assert.equal(resultOf(await say('three')).subtype, 'success');
    assert.ok(harness.server.requests.length <= before + refused + 2, 'what was learnt is remembered');
    assert.equal(harness.server.problems.length, refused, harness.server.problems.join('\n'));
    assert.equal(new Set(harness.server.requests.filter(({ refusal }) => refusal).map(({ raw }) => raw)).size, refused, 'nothing refused was sent twice');
  }

  for (const [what, odd] of Object.entries(answers)) {
    it(`${what}, streamed`, async () => {
      await start([streamed(odd)]);
      await assertGoesOn(odd.refused);
    });
    if (odd.deltas) continue;
    it(`${what}, in one piece`, async () => {
      await start(inOnePiece(odd));
      await assertGoesOn(odd.refused);
    });
  }

  const opening = { type: 'message_start', message: { ...head, content: [], stop_reason: null } };
  const closing = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }, { type: 'message_stop' }];
  const courses: { readonly [what: string]: readonly { readonly type: string; readonly [field: string]: unknown }[] } = {
    'a block that ends without having begun': [opening, { type: 'content_block_stop', index: 4 }, ...closing],
    'a piece of a block that has not begun': [opening, { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'x' } }, ...closing],
    'a block that begins without saying what': [opening, { type: 'content_block_start', index: 0 }, { type: 'content_block_stop', index: 0 }, ...closing],
    'a block that never ends': [opening, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'open' } }, ...closing],
    'a call that never ends': [opening, { type: 'content_block_start', index: 0, content_block: call({}) }, ...closing],
    'blocks without a message': [{ type: 'content_block_start', index: 0, content_block: text }, { type: 'content_block_stop', index: 0 }, ...closing],
    'blocks without an index': [opening, { type: 'content_block_start', content_block: text }, { type: 'content_block_stop' }, ...closing],
    'an end that says it was another message': [opening, { type: 'content_block_start', index: 0, content_block: text }, { type: 'content_block_stop', index: 0 }, { type: 'message_delta', delta: { stop_reason: 'end_turn', content: 'other', id: 'other', role: 'user', model: 5, type: 'x' }, usage: null }, { type: 'message_stop' }],
    'an error without a word': [opening, { type: 'error' }],
    'an error that is a text': [opening, { type: 'error', error: 'broken' }],
    'an error whose words are none': [opening, { type: 'error', error: { type: 5, message: { a: 1 } } }],
  };
  for (const [what, events] of Object.entries(courses)) {
    it(what, async () => {
      await start([stream(events)]);
      await assertGoesOn();
    });
  }

  const responses: { readonly [what: string]: ScriptedTurn } = {
    'a 400 without a body': { status: 400, body: '' },
    'a 400 that is a page': { status: 400, body: '<html>Bad Request</html>', headers: { 'content-type': 'text/html' } },
    'a 400 whose message is an object': { status: 400, body: { error: { type: 'invalid_request_error', message: { detail: ['x'] } } } },
    'a 400 whose body is null': { status: 400, body: 'null' },
    'a 413 of a proxy': { status: 413, body: '<html>413 Request Entity Too Large</html>', headers: { 'content-type': 'text/html' } },
    'a 422': { status: 422, body: { detail: [{ loc: ['body'], msg: 'no' }] } },
    'a 204': { status: 204, body: '' },
    'a redirect to nowhere': { status: 307, body: '' },
    'a redirect to another scheme': { status: 302, body: '', headers: { location: 'ftp://127.0.0.1/' } },
    'a compressed answer that is none': { raw: 'not gzip at all', headers: { 'content-encoding': 'gzip' } },
    'an error under 200': { status: 200, body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } } },
    'a 400 that names a place outside of the request': fault.status(400, { message: 'messages.99.content.99.text.x: no' }),
    'a 400 that names the user’s own words': fault.status(400, { message: 'messages.0.content.0.text: not nice' }),
  };
  for (const [what, response] of Object.entries(responses)) {
    it(what, async () => {
      await start([response]);
      await assertGoesOn();
    });
  }
});
