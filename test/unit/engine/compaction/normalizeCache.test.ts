import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NormalizeCache } from '../../../../src/engine/compaction/normalizeCache.ts';
import { normalizeMessagesForAPI } from '../../../../src/engine/normalizeMessages.ts';
import type { SessionMessage } from '../../../../src/protocol/messages.ts';
import { answered, call, note, result, said, text } from './support.ts';

let next = 0;
const messageArbitrary: fc.Arbitrary<SessionMessage> = fc.oneof(
  fc.constantFrom('hello', ' ', 'more').map((value) => said(`u${next++}`, value)),
  fc.constant('').map(() => note(`n${next++}`, 'changed')),
  fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom('', 'ok')).map(([id, value]) => said(`r${next++}`, [result(`t${id}`, value)])),
  fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom('m', 'other')).map(([id, model]) => withModel(answered(`c${next++}`, [call(`t${id}`, 'Read')]), model)),
  fc.constantFrom('fine', ' ').map((value) => answered(`a${next++}`, [text(value)])),
  fc.constant('').map(() => answered(`t${next++}`, [{ type: 'thinking', thinking: 'hm', signature: 's' }])),
  fc.constant('').map(() => ({ ...answered(`f${next++}`, [text('failed')]), isApiErrorMessage: true })),
);

function withModel(message: ReturnType<typeof answered>, model: string): SessionMessage {
  return { ...message, message: { ...message.message, model } };
}

describe('NormalizeCache', () => {
  it('gives what normalisation gives, however a conversation grows, shrinks and changes its model', () => {
    fc.assert(
      fc.property(fc.array(messageArbitrary, { minLength: 70, maxLength: 200 }), fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('m', 'm', 'other')), { minLength: 2, maxLength: 6 }), (messages, looks) => {
        const cache = new NormalizeCache();
        for (const [share, model] of looks) {
          const shown = messages.slice(0, Math.round(share * messages.length));
          assert.equal(JSON.stringify(cache.normalize(shown, model)), JSON.stringify(normalizeMessagesForAPI(shown, model)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('makes the old part of a long conversation only once', () => {
    const messages = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? said(`q${index}`, 'x') : answered(`w${index}`, [text('y')])));
    const cache = new NormalizeCache();
    cache.normalize(messages, 'm');
    const before = cache.normalize(messages, 'm');
    const after = cache.normalize([...messages, said('new', 'z')], 'm');
    assert.equal(after[0], before[0]);
    assert.equal(after[150], before[150]);
  });
});
