import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChatEvent, ChatItem } from '../../../../src/protocol/chatView.ts';
import { foldEvents, joinAppends } from '../../../../webview-ui/store/foldEvents.ts';
import { initialState } from '../../../../webview-ui/store/panelState.ts';
import { reduce } from '../../../../webview-ui/store/reducer.ts';

const noFailure = (error: unknown): never => {
  throw error;
};

describe('foldEvents', () => {
  it('gives what folding the events one by one gives', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const event: fc.Arbitrary<ChatEvent> = fc.oneof(
      fc.record({ type: fc.constant('text-appended' as const), id, text: fc.string() }),
      fc.record({ type: fc.constant('items-put' as const), items: fc.array(fc.record({ kind: fc.constant('text' as const), id, markdown: fc.string(), streaming: fc.boolean() }), { maxLength: 3 }) }),
      fc.record({ type: fc.constant('items-removed' as const), ids: fc.array(id, { maxLength: 2 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        assert.deepEqual(foldEvents(initialState, events, noFailure), events.reduce(reduce, initialState));
      }),
    );
  });

  it('joins neighbouring appends to one item only', () => {
    const append = (id: string, text: string): ChatEvent => ({ type: 'text-appended', id, text });
    assert.deepEqual(joinAppends([append('a', '1'), append('a', '2'), append('b', '3'), append('a', '4'), { type: 'focus-composer' }, append('a', '5')]), [
      append('a', '12'), append('b', '3'), append('a', '4'), { type: 'focus-composer' }, append('a', '5'),
    ]);
  });

  it('reports an event that cannot be folded and goes on with the next', () => {
    const failed: string[] = [];
    const events = [{ type: 'title-changed', title: 'A' }, { type: 'items-put', items: null }, { type: 'turn-changed', running: true }] as unknown as ChatEvent[];
    const state = foldEvents(initialState, events, (_error, event) => failed.push(event.type));
    assert.deepEqual({ ...state, failed }, { ...initialState, title: 'A', running: true, failed: ['items-put'] });
  });

  it('folds a long session: 3,000 items, put at once or one by one, with text that streams into the last', () => {
    const items = Array.from({ length: 3000 }, (_, index): ChatItem => ({ kind: 'text', id: `i${index}`, markdown: `${index}`, streaming: false }));
    const atOnce = foldEvents(initialState, [{ type: 'items-put', items }], noFailure);
    const oneByOne = foldEvents(initialState, items.map((item): ChatEvent => ({ type: 'items-put', items: [item] })), noFailure);
    assert.deepEqual(oneByOne.items, atOnce.items);
    const deltas = Array.from({ length: 5000 }, (): ChatEvent => ({ type: 'text-appended', id: 'i2999', text: 'x' }));
    assert.equal(joinAppends(deltas).length, 1);
    const grown = foldEvents(atOnce, deltas, noFailure);
    assert.deepEqual(grown.items.at(-1), { kind: 'text', id: 'i2999', markdown: `2999${'x'.repeat(5000)}`, streaming: false });
    assert.ok(grown.items.slice(0, -1).every((item, index) => item === atOnce.items[index]));
  });
});
