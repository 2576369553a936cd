import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { inPieces, oneByOne } from '../../../src/engine/streamEvents.ts';
import type { TurnMessage } from '../../../src/engine/streamEvents.ts';

const common = { uuid: 'u', session_id: 's' };
const event = (n: number): SDKMessage => ({ ...common, type: 'stream_event', parent_tool_use_id: null, event: { type: 'ping', n } });
const tombstone = (n: number): SDKMessage => ({ ...common, type: 'tombstone', message_uuids: [String(n)] });
const messages = fc.array(fc.boolean()).map((kinds) => kinds.map((isEvent, n) => (isEvent ? event(n) : tombstone(n))));

describe('the events of an answer inside the engine', () => {
  it('come out one by one as they went in, whatever stands between them', () =>
    fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const seen: SDKMessage[] = [];
        for await (const message of oneByOne(run(inPieces(given)), () => undefined)) seen.push(message);
        assert.deepEqual(seen, given);
      }),
    ));

  it('are in one piece as far as nothing stands between them', () =>
    fc.assert(
      fc.property(messages, (given) => {
        const pieces = [...inPieces(given)].map(({ type }) => type);
        assert.ok(pieces.every((type, index) => type !== 'stream_events' || pieces[index + 1] !== type), pieces.join(' '));
        assert.ok(!pieces.includes('stream_event'));
      }),
    ));

  it('come before what is thrown after them', () => {
    function* broken(): Generator<SDKMessage, void, void> {
      yield event(1);
      throw new Error('cut');
    }
    const pieces: TurnMessage[] = [];
    assert.throws(() => {
      for (const piece of inPieces(broken())) pieces.push(piece);
    }, /cut/);
    assert.deepEqual(pieces, [{ type: 'stream_events', events: [event(1)] }]);
  });

  it('are handed on before what comes next is made', () => {
    const made: number[] = [];
    function* source(): Generator<SDKMessage, void, void> {
      for (const n of [1, 2, 3]) {
        made.push(n);
        yield n === 2 ? tombstone(n) : event(n);
      }
    }
    const seen: string[] = [];
    for (const { type } of inPieces(source())) seen.push(`${type} when ${made.join()} were made`);
    assert.deepEqual(seen, ['stream_events when 1,2 were made', 'tombstone when 1,2 were made', 'stream_events when 1,2,3 were made']);
  });

  it('end the run when their reader stops in the middle of a piece', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<TurnMessage, void, void> {
      try {
        for (;;) yield* inPieces([event(1), event(2), event(3)]);
      } finally {
        ended = true;
      }
    }
    let count = 0;
    for await (const each of oneByOne(endless(), () => undefined)) if (each.type === 'stream_event' && ++count === 2) break;
    assert.deepEqual([count, ended], [2, true]);
  });
});

async function* run(pieces: Iterable<TurnMessage>): AsyncGenerator<TurnMessage, void, void> {
  yield* pieces;
}
