import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markForCache } from '../../../src/engine/model/promptCache.ts';
import { normalizeMessagesForAPI } from '../../../src/engine/normalizeMessages.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { SessionMessage } from '../../../src/protocol/messages.ts';
import { validateRequest } from '../../support/validateRequest.ts';

const MODEL = 'claude-sonnet-5-5';
let counter = 0;

function user(content: string | readonly ContentBlock[], isMeta = false): SessionMessage {
  return { type: 'user', uuid: `u${++counter}`, session_id: 's', parent_tool_use_id: null, ...(isMeta && { isMeta }), message: { role: 'user', content } };
}

function assistant(content: ContentBlock, model = MODEL, id = `msg_${++counter}`): SessionMessage {
  return {
    type: 'assistant',
    uuid: `a${++counter}`,
    session_id: 's',
    parent_tool_use_id: null,
    message: { id, type: 'message', role: 'assistant', model, content: [content], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  };
}

const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'Read', input: { file_path: '/a' } });
const result = (id: string, content: string | ContentBlock[] = 'text'): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content }) as ContentBlock;
const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const thinking = (signature = 'sig'): ContentBlock => ({ type: 'thinking', thinking: 'hm', signature });

function wire(messages: readonly SessionMessage[], model = MODEL) {
  return normalizeMessagesForAPI(messages, model);
}

function refusal(messages: readonly SessionMessage[], model = MODEL): string | undefined {
  const tools = [{ name: 'Read', description: 'reads', input_schema: { type: 'object', properties: {} } }];
  return validateRequest({ model, max_tokens: 1_000, stream: true, system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }], tools, messages: markForCache(wire(messages, model)) });
}

describe('normalizeMessagesForAPI', () => {
  it('merges neighbours, puts results first and fills in what is missing', () => {
    const history = [user('go'), assistant(text('reading')), assistant(call('t1')), assistant(call('t2')), user([text('a note'), result('t2')], true), user('and now?')];
    assert.deepEqual(wire(history), [
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [text('reading'), call('t1'), call('t2')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'Interrupted before it finished. Nothing is known about its result.', is_error: true },
          result('t2'),
          text('a note'),
          text('and now?'),
        ],
      },
    ]);
    assert.equal(refusal(history), undefined);
  });

  it('drops results that belong to no call, and blank texts', () => {
    assert.deepEqual(wire([user([result('ghost'), text('hi')]), assistant(text('  \n')), assistant(text('ok'))]), [
      { role: 'user', content: [text('hi')] },
      { role: 'assistant', content: [text('ok')] },
    ]);
  });

  it('keeps thinking of the same model and leaves out that of another, and that which stands last', () => {
    const history = [user('a'), assistant(thinking('one'), 'other-model'), assistant(text('b'), 'other-model'), user('c'), assistant(thinking('two'), MODEL, 'msg_two'), assistant(text('d'), MODEL, 'msg_two'), user('e'), assistant(thinking('three'))];
    assert.deepEqual(wire(history), [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
      { role: 'user', content: [text('c')] },
      { role: 'assistant', content: [thinking('two'), text('d')] },
      { role: 'user', content: [text('e')] },
    ]);
  });

  it('judges thinking by the answer it came in: a pause does not bring it back, two models in a row keep their own', () => {
    const paused = [user('a'), assistant(thinking('last'), MODEL, 'msg_p'), assistant(thinking('new'), MODEL, 'msg_q'), assistant(text('b'), MODEL, 'msg_q')];
    assert.deepEqual(wire(paused)[1]!.content, [thinking('new'), text('b')]);
    const relay = [user('a'), assistant(thinking('other'), 'other-model', 'msg_p'), assistant(text('b'), 'other-model', 'msg_p'), assistant(thinking('own'), MODEL, 'msg_q'), assistant(text('c'), MODEL, 'msg_q')];
    assert.deepEqual(wire(relay)[1]!.content, [text('b'), thinking('own'), text('c')]);
  });

  it('replaces halves of surrogate pairs everywhere but in thinking, which is left out', () => {
    const half = 'x\ud83d';
    const history = [
      user(half),
      assistant({ type: 'thinking', thinking: half, signature: 'sig' }, MODEL, 'msg_h'),
      assistant({ type: 'tool_use', id: 't1', name: 'Read', input: { [half]: [{ deep: half }], fine: '😀' } }, MODEL, 'msg_h'),
      user([result('t1', half)]),
      assistant(call('t2')),
      user([result('t2', [text(half)]), text('\udc00y')]),
    ];
    assert.deepEqual(wire(history), [
      { role: 'user', content: [text('x\ufffd')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { 'x\ufffd': [{ deep: 'x\ufffd' }], fine: '😀' } }] },
      { role: 'user', content: [result('t1', 'x\ufffd')] },
      { role: 'assistant', content: [call('t2')] },
      { role: 'user', content: [result('t2', [text('x\ufffd')]), text('\ufffdy')] },
    ]);
    assert.equal(refusal(history), undefined);
  });

  it('gives a call whose id was used before another name, and its result with it', () => {
    const history = [user('go'), assistant(call('call_0')), user([result('call_0', 'one')]), assistant(call('call_0')), user([result('call_0', 'two')]), assistant(call('call_0_2')), user([result('call_0_2', 'three')]), assistant(call('call_0')), user([result('call_0', 'four')])];
    assert.deepEqual(wire(history).slice(1).map(({ content }) => content), [
      [call('call_0')],
      [result('call_0', 'one')],
      [call('call_0_2')],
      [result('call_0_2', 'two')],
      [call('call_0_2_2')],
      [result('call_0_2_2', 'three')],
      [call('call_0_3')],
      [result('call_0_3', 'four')],
    ]);
    assert.equal(refusal(history), undefined);
  });

  it('sends only the first of two calls with one id in one message, and ids of allowed characters', () => {
    const history = [user('go'), assistant(call('a.b:c'), MODEL, 'm'), assistant({ ...call('a.b:c'), input: { file_path: '/b' } } as ContentBlock, MODEL, 'm'), user([result('a.b:c', 'one')]), assistant(call('')), user([result('', 'two')])];
    assert.deepEqual(wire(history).slice(1).map(({ content }) => content), [[call('a_b_c')], [result('a_b_c', 'one')], [call('call')], [result('call', 'two')]]);
    assert.equal(refusal(history), undefined);
  });

  it('never modifies the originals', () => {
    const history = [user('go'), assistant(thinking()), assistant(call('t1')), user([result('t1', [text(' '), text('x')])])];
    const before = JSON.stringify(history);
    wire(history);
    assert.equal(JSON.stringify(history), before);
  });

  // Random UTF-16 units, halves of pairs among them.
  const units = fc.array(fc.oneof(fc.integer({ min: 0xd7f0, max: 0xe00f }), fc.integer({ min: 0x20, max: 0x7e })), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));
  const anyText = fc.oneof(fc.string(), units);
  const block = fc.oneof(
    anyText.map(text),
    fc.constantFrom('', ' ', '\n').map(text),
    fc.nat(6).map((n) => call(`t${n}`)),
    units.map((value): ContentBlock => ({ type: 'tool_use', id: 't1', name: 'Read', input: { [value]: [value] } })),
    fc.constantFrom('s1', '').map(thinking),
    units.map((value): ContentBlock => ({ type: 'thinking', thinking: value, signature: 's2' })),
  );
  const results = fc.array(fc.oneof(fc.nat(6).map((n) => result(`t${n}`)), fc.nat(6).map((n) => result(`t${n}`, [text(' ')])), anyText.map(text)), { maxLength: 4 });
  const history = fc.array(fc.oneof(anyText.map((value) => user(value)), results.map((content) => user(content)), fc.tuple(block, fc.constantFrom(MODEL, 'claude-opus-5')).map(([content, model]) => assistant(content, model))), { maxLength: 25 });

  it('makes a valid request of any history that ends with a prompt', () => {
    fc.assert(fc.property(history, (messages) => assert.equal(refusal([...messages, user('go on')]), undefined)), { numRuns: 2_000 });
  });

  it('keeps what was sent as a prefix of what is sent next', () => {
    fc.assert(
      fc.property(history, fc.string({ minLength: 1 }), (messages, answer) => {
        const first = [...messages, user('one')];
        const sent = wire(first);
        const next = wire([...first, assistant(text(`x${answer}`)), user('two')]);
        assert.deepEqual(next.slice(0, sent.length), sent);
      }),
      { numRuns: 1_000 },
    );
  });
});
