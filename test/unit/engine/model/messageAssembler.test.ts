import assert from 'node:assert/strict';
import { MessageAssembler, mergeUsage } from '../../../../src/engine/model/messageAssembler.ts';
import type { ContentBlock } from '../../../../src/protocol/contentBlocks.ts';
import type { RawStreamEvent } from '../../../../src/protocol/messages.ts';
import { corpusFiles } from '../../../support/corpus.ts';

function start(id = 'msg_1'): RawStreamEvent {
  return { type: 'message_start', message: { id, type: 'message', role: 'assistant', model: 'claude-x', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 7, output_tokens: 1 } } };
}

function fold(events: readonly RawStreamEvent[]) {
  const assembler = new MessageAssembler();
  let blocks: ContentBlock[] = [];
  const invalid: string[] = [];
  for (const event of events) {
    const step = assembler.push(event);
    if (step?.type === 'started') blocks = [];
    if (step?.type === 'block') {
      blocks.push(step.block);
      if (step.invalidInput !== undefined) invalid.push(step.invalidInput);
    }
  }
  return { assembler, blocks, invalid };
}

const block = (index: number, content_block: object, ...deltas: object[]): RawStreamEvent[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

const end = (stop_reason: string, usage: object): RawStreamEvent[] => [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];

/** Payloads of a stream, with or without the frame around them. */
function eventsOf(text: string): RawStreamEvent[] {
  return text.split(/\r?\n/).flatMap((line) => (/^(data:\s*)?\{/.test(line) ? [JSON.parse(line.replace(/^data:/, '')) as RawStreamEvent] : []));
}

describe('MessageAssembler', () => {
  it('assembles thinking, text and a call, with the final usage and stop reason', () => {
    const { assembler, blocks } = fold([
      start(),
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: 'Hm' }, { type: 'thinking_delta', thinking: 'm' }, { type: 'signature_delta', signature: 'sig' }),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hel' }, { type: 'text_delta', text: 'lo' }),
      ...block(2, { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }, { type: 'input_json_delta', partial_json: '' }, { type: 'input_json_delta', partial_json: '{"file_path":"/a' }, { type: 'input_json_delta', partial_json: '"}' }),
      ...end('tool_use', { output_tokens: 30 }),
    ]);
    assert.deepEqual(blocks, [
      { type: 'thinking', thinking: 'Hmm', signature: 'sig' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
    ]);
    assert.equal(assembler.isComplete, true);
    assert.equal(assembler.message?.stop_reason, 'tool_use');
    assert.deepEqual(assembler.message?.usage, { input_tokens: 7, output_tokens: 30 });
  });

  it('takes an empty input for an empty object', () => {
    const { blocks, invalid } = fold([start(), ...block(0, { type: 'tool_use', id: 't', name: 'X', input: {} }, { type: 'input_json_delta', partial_json: '' })]);
    assert.deepEqual(blocks, [{ type: 'tool_use', id: 't', name: 'X', input: {} }]);
    assert.deepEqual(invalid, []);
  });

  for (const json of ['{"a": ', '[1]', '"text"', 'null', 'nonsense']) {
    it(`replays the input ${json} as an object and says that it is not one`, () => {
      const { blocks, invalid } = fold([start(), ...block(0, { type: 'tool_use', id: 't', name: 'X', input: {} }, { type: 'input_json_delta', partial_json: json })]);
      assert.deepEqual(blocks, [{ type: 'tool_use', id: 't', name: 'X', input: {} }]);
      assert.deepEqual(invalid, [json]);
    });
  }

  it('keeps unknown blocks as they came and passes over unknown events and deltas', () => {
    const { blocks } = fold([start(), { type: 'weather' }, ...block(0, { type: 'hologram', light: 3 }, { type: 'photon_delta', n: 1 }), { type: 'ping' }]);
    assert.deepEqual(blocks, [{ type: 'hologram', light: 3 }]);
  });

  it('begins anew at a second message_start', () => {
    const { assembler, blocks } = fold([
      start('msg_first'),
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'old' }),
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      start('msg_second'),
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'new' }),
      ...end('end_turn', { output_tokens: 2 }),
    ]);
    assert.equal(assembler.message?.id, 'msg_second');
    assert.deepEqual(blocks, [{ type: 'text', text: 'new' }]);
  });

  it('has the text of an answer that was cut, but no half call', () => {
    const { assembler } = fold([
      start(),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'so far' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'Bash', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"comm' } },
    ]);
    assert.deepEqual(assembler.partialTexts(), ['so far']);
    assert.equal(assembler.isComplete, false);
  });

  it('lets later usage win where it says something', () => {
    assert.deepEqual(mergeUsage({ input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 9 }, { output_tokens: 40, cache_read_input_tokens: null }), {
      input_tokens: 5,
      output_tokens: 40,
      cache_read_input_tokens: 9,
    });
  });

  it('folds every real stream into blocks with nothing missing', () => {
    const files = corpusFiles('streams', /\.(sse|chunks\.txt)$/);
    for (const { name, text } of files) {
      const events = eventsOf(text);
      const { assembler, blocks, invalid } = fold(events);
      const lastStart = events.findLastIndex((event) => event.type === 'message_start');
      const deltas = events.slice(lastStart).filter((event) => event.type === 'content_block_delta').map((event) => event.delta as { type: string; text?: string; thinking?: string });
      const closed = events.slice(lastStart).filter((event) => event.type === 'content_block_stop').length;
      assert.equal(blocks.length, closed, name);
      if (!events.some((event) => event.type === 'error')) {
        assert.equal(blocks.map((each) => (each.type === 'text' ? String(each.text) : '')).join(''), deltas.map((delta) => delta.text ?? '').join(''), name);
        assert.equal(blocks.map((each) => (each.type === 'thinking' ? String(each.thinking) : '')).join(''), deltas.map((delta) => delta.thinking ?? '').join(''), name);
        assert.equal(assembler.isComplete, events.some((event) => event.type === 'message_stop'), name);
      }
      if (!name.startsWith('incomplete')) assert.deepEqual(invalid, [], name);
    }
  });
});
