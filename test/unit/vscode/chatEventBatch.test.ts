import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { ChatEvent } from '../../../src/protocol/chatView.ts';
import { maxPostBytes, packChatEvents } from '../../../src/vscode/chatEventBatch.ts';
import { ChatLog } from '../../../src/vscode/chatLog.ts';

const textItem = (id: string, markdown: string): ChatEvent => ({ type: 'items-put', items: [{ kind: 'text', id, markdown, streaming: false }] });
const appended = (id: string, text: string): ChatEvent => ({ type: 'text-appended', id, text });

function shownAfter(events: readonly ChatEvent[]): ChatEvent[] {
  const log = new ChatLog();
  log.apply(events);
  return log.snapshot();
}

describe('packChatEvents', () => {
  it('joins neighbouring text of one item and keeps the order', () => {
    assert.deepEqual(packChatEvents([appended('a', '1'), appended('a', '2'), appended('b', '3'), appended('a', '4')]), [
      [appended('a', '12'), appended('b', '3'), appended('a', '4')],
    ]);
  });

  it('lists thousands of sessions in posts under the limit, in order', () => {
    const sessions = Array.from({ length: 2_000 }, (_, index) => ({ sessionId: `s${index}`, title: 'ü"'.repeat(100), modified: '2026-11-30T00:00:00.000Z', messageCount: index }));
    const posts = packChatEvents([{ type: 'sessions-listed', sessions }]);
    for (const post of posts) assert.ok(Buffer.byteLength(JSON.stringify(post)) < maxPostBytes);
    const pieces = posts.flat().flatMap((event) => (event.type === 'sessions-listed' ? [event] : []));
    assert.deepEqual(pieces.flatMap((piece) => piece.sessions), sessions);
    assert.deepEqual(new Set(pieces.map(({ isMore }, index) => [index > 0, isMore === true].join())), new Set(['false,false', 'true,true']));
    assert.deepEqual(packChatEvents([{ type: 'sessions-listed', sessions: [] }]), [[{ type: 'sessions-listed', sessions: [] }]]);
  });

  it('posts nothing for nothing', () => {
    assert.deepEqual(packChatEvents([]), []);
  });

  it('shows the same in posts that are all under the limit', () => {
    const text = fc.oneof(fc.string(), fc.integer({ min: 0, max: 90_000 }).map((length) => 'ü\n"'.repeat(length / 3)), fc.constant('\u0001'.repeat(30_000)));
    const event = fc.oneof(
      fc.tuple(fc.constantFrom('a', 'b'), text).map(([id, value]) => textItem(id, value)),
      fc.tuple(fc.constantFrom('a', 'b'), text).map(([id, value]) => appended(id, value)),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const posts = packChatEvents(events);
        for (const post of posts) assert.ok(Buffer.byteLength(JSON.stringify({ type: 'events', events: post })) <= maxPostBytes);
        assert.deepEqual(shownAfter(posts.flat()), shownAfter(events));
      }),
      { numRuns: 60 },
    );
  });
});
