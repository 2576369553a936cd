import assert from 'node:assert/strict';
import { STREAM_CUT, isApiFailure } from '../../../src/protocol/apiFailure.ts';
import type { RawStreamEvent } from '../../../src/protocol/messages.ts';
import { readEventStream } from '../../../src/platform/eventStream.ts';

/** What `streamChunking` shows of cuts and framings is not shown here again. */
describe('readEventStream', () => {
  async function read(pieces: readonly string[]): Promise<{ lists: (readonly RawStreamEvent[])[]; failure: unknown }> {
    const lists: (readonly RawStreamEvent[])[] = [];
    try {
      for await (const events of readEventStream(bytesOf(pieces))) lists.push(events);
      return { lists, failure: undefined };
    } catch (failure) {
      return { lists, failure };
    }
  }

  it('gives together what came together', async () => {
    const { lists } = await read(['data: {"type":"a"}\n\ndata: {"type":"b"}\n\ndata: {"ty', 'pe":"c"}', '\n\n']);
    assert.deepEqual(lists, [[{ type: 'a' }, { type: 'b' }], [{ type: 'c' }]]);
  });

  it('gives what came before something that is not JSON, and nothing after it', async () => {
    const { lists, failure } = await read(['data: {"type":"a"}\n\ndata: {"type":\n\ndata: {"type":"b"}\n\n', 'data: {"type":"c"}\n\n']);
    assert.deepEqual(lists, [[{ type: 'a' }]]);
    assert.ok(isApiFailure(failure) && failure.code === STREAM_CUT);
  });

  it('gives what came before the connection broke', async () => {
    const { lists, failure } = await read(['data: {"type":"a"}\n\n', 'broken']);
    assert.deepEqual([lists, String(failure)], [[[{ type: 'a' }]], 'Error: the connection broke']);
  });

  it('takes a name for the type where that is missing, and the text of an error that is not JSON', async () => {
    const { lists } = await read(['event: ping\ndata: {}\n\nevent: error\ndata: upstream went away\n\ndata: {"no":"type"}\n\ndata: [DONE]\n\n']);
    assert.deepEqual(lists, [[{ type: 'ping' }, { type: 'error', error: { type: 'api_error', message: 'upstream went away' } }]]);
  });

  it('lets go of the connection when its reader stops', async () => {
    let open = true;
    async function* body(): AsyncGenerator<Uint8Array, void, void> {
      try {
        for (;;) yield Buffer.from('data: {"type":"a"}\n\n');
      } finally {
        open = false;
      }
    }
    for await (const events of readEventStream(body())) if (events.length > 0) break;
    assert.equal(open, false);
  });
});

async function* bytesOf(pieces: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) {
    if (piece === 'broken') throw new Error('the connection broke');
    yield Buffer.from(piece);
  }
}
