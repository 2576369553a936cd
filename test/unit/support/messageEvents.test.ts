import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { WireBlock } from '../../support/apiTypes.ts';
import { cutIntoChunks } from '../../support/chunking.ts';
import { completeMessage } from '../../support/completeMessage.ts';
import { frameEvent, messageEvents } from '../../support/messageEvents.ts';
import { foldEvents, parseEventStream } from '../../support/readEventStream.ts';
import { message, redactedThinking, serverToolUse, text, thinking, toolUse, webSearchResult } from '../../support/scriptedMessage.ts';

const request = { model: 'claude-sonnet-5-5', max_tokens: 100, messages: [] };
const complete = (content: readonly WireBlock[]): ReturnType<typeof completeMessage> =>
  completeMessage(message(content), { request, id: 'msg_1', promptUsage: undefined, nextCallId: () => 'toolu_1' });

describe('messageEvents', () => {
  it('frames a call without arguments as the API does', () => {
    const frames = messageEvents(complete([toolUse('Now', {})])).map(frameEvent);
    assert.deepEqual(frames.slice(1, -2), [
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"Now","input":{}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    ]);
    assert.match(String(frames.at(-2)), /"delta":\{"stop_reason":"tool_use","stop_sequence":null\},"usage":\{"input_tokens":\d+/);
  });

  it('folds back into the same blocks, of every kind, at every delta size', () => {
    const citation = { type: 'web_search_result_location', url: 'https://example.com', title: 'Example', cited_text: 'x', encrypted_index: 'y' };
    const blocks = [
      thinking('Let me see 🙂', 'sig'),
      redactedThinking('ZGF0YQ=='),
      serverToolUse('web_search', { query: 'x' }, 'srvtoolu_1'),
      webSearchResult('srvtoolu_1', []),
      text('Cited 👩‍💻.', [citation]),
      toolUse('Write', { file_path: '/a', content: 'ä"\n🙂' }, { id: 'toolu_9' }),
    ];
    for (const deltaSize of [1, 2, 3, 7, 1000]) {
      const folded = foldEvents(parseEventStream(messageEvents(complete(blocks), deltaSize).map(frameEvent).join('')));
      assert.deepEqual(folded.content, blocks);
    }
  });
});

describe('cutIntoChunks', () => {
  const frames = messageEvents(complete([text('Grüße 🙂'), toolUse('Read', { file_path: '/ä' })]), 3).map(event => Buffer.from(frameEvent(event)));
  const whole = Buffer.concat(frames);

  it('cuts at every byte without losing one', () => {
    for (let offset = 0; offset <= whole.length; offset++) {
      const chunks = cutIntoChunks(frames, [offset]);
      assert.equal(chunks.length, offset === 0 || offset === whole.length ? 1 : 2);
      assert.deepEqual(Buffer.concat(chunks), whole);
    }
  });

  it('cuts into single bytes and into pieces of n', () => {
    assert.equal(cutIntoChunks(frames, 'byte').length, whole.length);
    assert.equal(cutIntoChunks(frames, 100).length, Math.ceil(whole.length / 100));
    assert.throws(() => cutIntoChunks(frames, 0), /whole number of bytes/);
  });

  it('keeps all bytes for any offsets, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: whole.length + 5 })), offsets => {
        assert.deepEqual(Buffer.concat(cutIntoChunks(frames, offsets)), whole);
      }),
    );
  });
});
