import assert from 'node:assert/strict';
import type { MessagesRequest, WireBlock } from '../../support/apiTypes.ts';
import { PromptCacheSimulation, promptParts } from '../../support/promptCacheSimulation.ts';

const part = (letter: string, marked = false): WireBlock => ({
  type: 'text',
  text: letter.repeat(400),
  ...(marked ? { cache_control: { type: 'ephemeral' } } : {}),
});
const asking = (...content: WireBlock[]): MessagesRequest => ({ model: 'claude-x', max_tokens: 1, messages: [{ role: 'user', content }] });

describe('PromptCacheSimulation', () => {
  it('reads the longest prefix that was marked before, and writes up to the new mark', () => {
    const cache = new PromptCacheSimulation();
    const first = cache.record(asking(part('a', true)));
    const second = cache.record(asking(part('a'), part('b', true), part('c')));
    const third = cache.record(asking(part('a'), part('b'), part('c', true)));
    const size = first.cache_creation_input_tokens;
    assert.deepEqual([first, second, third], [
      { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: size },
      { input_tokens: size, cache_read_input_tokens: size, cache_creation_input_tokens: size },
      { input_tokens: 0, cache_read_input_tokens: 2 * size, cache_creation_input_tokens: size },
    ]);
  });

  it('reads nothing behind a change, for another model, or where a text was sent as blocks', () => {
    const cache = new PromptCacheSimulation();
    cache.record(asking(part('a'), part('b', true)));
    const plain = { ...asking(), messages: [{ role: 'user', content: 'a'.repeat(400) }] };
    for (const request of [asking(part('x'), part('b', true)), { ...asking(part('a'), part('b', true)), model: 'claude-y' }, plain]) {
      assert.equal(cache.record(request).cache_read_input_tokens, 0);
    }
  });
});

describe('promptParts', () => {
  it('is the same wherever the marks stand', () => {
    assert.deepEqual(promptParts(asking(part('a', true), part('b'))), promptParts(asking(part('a'), part('b', true))));
    assert.notDeepEqual(promptParts(asking(part('a'))), promptParts({ ...asking(), messages: [{ role: 'user', content: 'a'.repeat(400) }] }));
  });
});
