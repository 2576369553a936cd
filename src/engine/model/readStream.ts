import { childController, raceAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { abortedError } from '../../base/errors.ts';
import type { RawStreamEvent } from '../../protocol/messages.ts';
import type { ModelCallOptions, ModelClient, ModelRequest } from '../ports.ts';
import { STREAM_CUT, STREAM_EMPTY, STREAM_STALLED, apiFailure } from '../../protocol/apiFailure.ts';
import { checkBeginning } from './receivedBlock.ts';

/** Without a content event for this long the stream counts as dead; pings do not feed it. */
export const IDLE_LIMIT_MS = 90_000;

interface ReadOptions extends Omit<ModelCallOptions, 'signal'> {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * The events of one request, as they came together, up to and including `message_stop`. What client libraries pass over in silence is thrown
 * here as an ApiFailure: a stream that ends early, one that is empty, one that falls silent. Throws `aborted` on abort.
 */
export async function* readStream(client: ModelClient, request: ModelRequest, options: ReadOptions): AsyncGenerator<readonly RawStreamEvent[], void, void> {
  const { clock, signal, ...call } = options;
  const controller = childController(signal);
  const watchdog = startWatchdog(clock, () => controller.abort('stalled'));
  let hasBegun = false;
  let isComplete = false;
  try {
    // Raced, because what opens a stream may wait for more than the network: for a key, for a program that has it.
    const stream = await raceAbort(client.stream(request, { ...call, signal: controller.signal }), controller.signal);
    for await (const piece of stream) {
      const { events, failure, isLast } = lookThrough(piece);
      if (events.length > 0) {
        hasBegun = true;
        watchdog.feed();
        yield events;
      }
      if (failure !== undefined) throw failure;
      isComplete = isLast;
      if (isLast) return;
    }
    if (!controller.signal.aborted) throw endedEarly(hasBegun);
    throw watchdog.fired ? stalled() : abortedError(signal.reason);
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal.reason);
    if (watchdog.fired) throw stalled();
    throw thrown;
  } finally {
    watchdog.dispose();
    // After a complete answer nothing is left to be stopped, and its connection can be used again.
    if (!isComplete) controller.abort('finished');
    controller.dispose();
  }
}

interface Piece {
  /** Up to what is wrong, or to the end of the message. */
  readonly events: readonly RawStreamEvent[];
  readonly failure?: unknown;
  readonly isLast: boolean;
}

function lookThrough(piece: readonly RawStreamEvent[]): Piece {
  const events: RawStreamEvent[] = [];
  for (const event of piece) {
    if (event.type === 'ping') continue;
    try {
      if (event.type === 'error') throw streamError(event);
      checkBeginning(event);
    } catch (failure) {
      return { events, failure, isLast: true };
    }
    events.push(event);
    if (event.type === 'message_stop') return { events, isLast: true };
  }
  return { events, isLast: false };
}

function endedEarly(hasBegun: boolean) {
  return hasBegun
    ? apiFailure({ message: 'the stream ended before the message was complete', code: STREAM_CUT })
    : apiFailure({ message: 'the reply was empty', code: STREAM_EMPTY });
}

function stalled() {
  return apiFailure({ message: `nothing came for ${IDLE_LIMIT_MS / 1000} s`, code: STREAM_STALLED });
}

function streamError(event: RawStreamEvent) {
  const error = (event.error ?? {}) as { readonly type?: unknown; readonly message?: unknown };
  return apiFailure({ message: error.message ?? error, errorType: typeof error.type === 'string' ? error.type : 'api_error', cause: event });
}

/** One timer, re-armed when it fires: feeding it costs an assignment, not a timer. */
function startWatchdog(clock: Clock, onFire: () => void) {
  let fedAt = clock.now();
  let fired = false;
  let timer = clock.setTimeout(check, IDLE_LIMIT_MS);
  function check(): void {
    const left = fedAt + IDLE_LIMIT_MS - clock.now();
    if (left > 0) {
      timer = clock.setTimeout(check, left);
      return;
    }
    fired = true;
    onFire();
  }
  return {
    get fired() {
      return fired;
    },
    feed: () => void (fedAt = clock.now()),
    dispose: () => timer.dispose(),
  };
}
