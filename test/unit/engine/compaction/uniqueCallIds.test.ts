import assert from 'node:assert/strict';
import { prepareMessages } from '../../../../src/engine/compaction/pipeline.ts';
import { uniqueCallIds } from '../../../../src/engine/compaction/uniqueCallIds.ts';
import { normalizeMessagesForAPI } from '../../../../src/engine/normalizeMessages.ts';
import { exchange, resultsIn, said } from './support.ts';

describe('uniqueCallIds', () => {
  const repeated = [said('u', 'hi'), ...exchange('call_0', 'Bash', `one ${'x'.repeat(50_000)}`), ...exchange('call_0', 'Bash', `two ${'y'.repeat(50_000)}`), ...exchange('call_0_2', 'Read', 'three')];

  it('is the same array where no id is used twice, and the same objects each time otherwise', () => {
    const plain = [said('u', 'hi'), ...exchange('t1', 'Bash', 'one'), ...exchange('t2', 'Bash', 'two')];
    assert.equal(uniqueCallIds(plain), plain);
    const once = uniqueCallIds(repeated);
    assert.deepEqual(Object.keys(resultsIn(once)), ['call_0', 'call_0_2', 'call_0_2_2']);
    assert.ok(uniqueCallIds(repeated).every((message, index) => message === once[index]));
  });

  it('keeps each large result in a file of its own, and the wire says the same', () => {
    const { messages, stored } = prepareMessages(repeated, { resultFolder: '/data', collapses: [] });
    assert.deepEqual(stored.map(({ path, text }) => [path, text.slice(0, 3)]), [['/data/call_0.txt', 'one'], ['/data/call_0_2.txt', 'two']]);
    const wire = normalizeMessagesForAPI(messages, 'claude-sonnet-5-5');
    assert.deepEqual(wire.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_result' ? [block['tool_use_id']] : []))), ['call_0', 'call_0_2', 'call_0_2_2']);
  });
});
