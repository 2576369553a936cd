import type { SDKMessage, SDKPartialAssistantMessage } from '../protocol/messages.ts';

/** Events of an answer that came in one piece over the wire. */
export interface StreamEvents {
  readonly type: 'stream_events';
  readonly events: readonly SDKPartialAssistantMessage[];
}

/**
 * What a turn is made of inside the engine: messages, and events by the piece, because each generator on the way out
 * costs for each value.
 */
export type TurnMessage = SDKMessage | StreamEvents;

/** The same in the same order, events that follow each other in one piece. They come before what is thrown after them. */
export function* inPieces(messages: Iterable<SDKMessage>): Generator<TurnMessage, void, void> {
  let events: SDKPartialAssistantMessage[] = [];
  try {
    for (const message of messages) {
      if (message.type === 'stream_event') {
        events.push(message);
        continue;
      }
      if (events.length > 0) yield { type: 'stream_events', events };
      events = [];
      yield message;
    }
  } catch (thrown) {
    if (events.length > 0) yield { type: 'stream_events', events };
    throw thrown;
  }
  if (events.length > 0) yield { type: 'stream_events', events };
}

/** What leaves the engine. The reader may stop in the middle of a piece. `before` sees each message but these events. */
export async function* oneByOne(run: AsyncGenerator<TurnMessage, void, void>, before: (message: SDKMessage) => Promise<void> | undefined): AsyncGenerator<SDKMessage, void, void> {
  for await (const message of run) {
    if (message.type === 'stream_events') {
      for (const event of message.events) yield event;
      continue;
    }
    const work = before(message);
    if (work) await work;
    yield message;
  }
}
