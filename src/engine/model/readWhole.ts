import { childController, raceAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { abortedError } from '../../base/errors.ts';
import { STREAM_EMPTY, STREAM_STALLED, apiFailure } from '../../protocol/apiFailure.ts';
import type { ApiAssistantMessage, RawStreamEvent } from '../../protocol/messages.ts';
import { checkBeginning } from './receivedBlock.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../ports.ts';

/** How long an answer in one piece may take: 32,000 tokens at 55 tokens a second, nothing being heard meanwhile. */
export const WHOLE_LIMIT_MS = 10 * 60_000;

/**
 * One request without streaming, for connections that break event streams. Its answer comes as the events of a stream
 * in which every block is complete at its start, so that it goes through the same hands. Throws as `readStream` does.
 */
export async function* readWhole(client: ModelClient, request: ModelRequest, options: ModelCallOptions & { readonly clock: Clock }): AsyncGenerator<readonly RawStreamEvent[], void, void> {
  const { clock, signal, ...call } = options;
  const controller = childController(signal);
  let timedOut = false;
  const timer = clock.setTimeout(() => {
    timedOut = true;
    controller.abort('too slow');
  }, WHOLE_LIMIT_MS);
  try {
    const message = await raceAbort(client.complete(request, { ...call, signal: controller.signal }), controller.signal);
    for (const event of eventsOf(message)) {
      checkBeginning(event);
      yield [event];
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal.reason);
    if (timedOut) throw apiFailure({ message: `no answer within ${WHOLE_LIMIT_MS / 60_000} min`, code: STREAM_STALLED });
    throw thrown;
  } finally {
    timer.dispose();
    controller.dispose();
  }
}

function* eventsOf(message: ApiAssistantMessage): Generator<RawStreamEvent, void, void> {
  if (!Array.isArray(message?.content) || typeof message.id !== 'string') throw apiFailure({ message: 'what came is no message', code: STREAM_EMPTY });
  const { stop_reason, stop_sequence, usage, content } = message;
  yield { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: block };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage };
  yield { type: 'message_stop' };
}
