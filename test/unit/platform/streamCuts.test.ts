import assert from 'node:assert/strict';
import { readEventStream } from '../../../src/platform/eventStream.ts';
import type { RawStreamEvent } from '../../../src/protocol/messages.ts';
import { corpusFiles } from '../../support/corpus.ts';
import { longForm } from '../../support/longForm.ts';

const events: readonly RawStreamEvent[] = [
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '北京 🙂 größe \u2028\u0085' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":"\\ud83d\\ude42\\n"' } },
];
const framings: { readonly [name: string]: (event: RawStreamEvent) => string } = {
  'as the API does': (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  'with CRLF': (event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`,
  'without names and blanks, with comments': (event) => `: hello\ndata:${JSON.stringify(event)}\n\n`,
};

/** What is read of a body that comes in these pieces. */
async function read(...pieces: readonly Uint8Array[]): Promise<readonly RawStreamEvent[]> {
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    for (const piece of pieces) yield piece;
  }
  const found: RawStreamEvent[] = [];
  for await (const piece of readEventStream(body())) found.push(...piece);
  return found;
}

async function assertCut(bytes: Uint8Array, at: number, whole: readonly RawStreamEvent[], name: string): Promise<void> {
  assert.deepEqual(await read(bytes.subarray(0, at), bytes.subarray(at)), whole, `${name}, cut at byte ${at}`);
}

describe('the bytes of a stream, cut in two', function () {
  this.timeout(3_600_000);

  for (const [name, frame] of Object.entries(framings)) {
    it(`${name}, at each byte`, async () => {
      const bytes = Buffer.from(events.map(frame).join(''));
      const whole = await read(bytes);
      assert.equal(whole.length, events.length);
      for (let at = 0; at <= bytes.length; at++) await assertCut(bytes, at, whole, name);
    });
  }

  it('of real streams, at places all over them (in the long form at each byte of the shorter ones)', async () => {
    for (const { name, text } of corpusFiles('streams', /\.sse$/)) {
      const bytes = Buffer.from(`${text.trimEnd()}\n\n`);
      const whole = await read(bytes);
      const places = !longForm ? 12 : bytes.length < 20_000 ? bytes.length : 1_000;
      for (let place = 0; place < places; place++) await assertCut(bytes, Math.floor(((place + 0.5) * bytes.length) / places), whole, name);
    }
  });

  it('of real streams, between their neighbouring events (in the long form at each byte)', async () => {
    for (const { name, text } of corpusFiles('streams', /\.sse$/)) {
      const frames = text.trimEnd().split(/(?<=\n\n)/).map((frame) => Buffer.from(`${frame.trimEnd()}\n\n`));
      let byte = 0;
      for (const [index, frame] of frames.entries()) {
        const before = frames[index - 1] ?? Buffer.alloc(0);
        const bytes = Buffer.concat([before, frame, frames[index + 1] ?? Buffer.alloc(0)]);
        let whole: readonly RawStreamEvent[] | undefined;
        for (let at = 0; at < frame.length; at++) if (longForm || byte++ % 127 === 0) await assertCut(bytes, before.length + at, (whole ??= await read(bytes)), `${name}, event ${index}`);
      }
    }
  });
});
