import type { Readable } from 'node:stream';

/** What a server may still send after the last thing that we read, in milliseconds. */
const patienceMs = 1_000;

/**
 * The pieces of an answer. Where the reader stops before its end, the rest is let run out for a moment: only then can its
 * connection be used for the next request, which is spared the trips that a new one takes.
 */
export async function* letRunOut(body: Readable): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    if (!body.destroyed && !body.readableEnded) {
      const timer = setTimeout(() => body.destroy(), patienceMs).unref();
      body.once('close', () => clearTimeout(timer));
      // Nobody waits for it any more.
      body.on('error', () => {});
      body.resume();
    }
  }
}
