import { createParser } from 'eventsource-parser';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import { STREAM_CUT, apiFailure } from '../protocol/apiFailure.ts';
import type { RawStreamEvent } from '../protocol/messages.ts';

/**
 * The API's events from the bytes of a response, for each piece of it the events that it completes. Throws an ApiFailure
 * for what is not JSON, after the events before it; pings may be left out.
 */
export async function* readEventStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly RawStreamEvent[], void, void> {
  const decoder = new TextDecoder();
  let events: RawStreamEvent[] = [];
  let failure: unknown;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (failure !== undefined) return;
      try {
        const parsed = parseEvent(event, data);
        if (parsed) events.push(parsed);
      } catch (thrown) {
        failure = thrown;
      }
    },
  });
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (events.length > 0) yield events;
    events = [];
    if (failure !== undefined) throw failure;
  }
}

/** Undefined for what carries nothing. Throws an ApiFailure for what is not JSON: bytes were lost or put in between. */
function parseEvent(name: string | undefined, data: string): RawStreamEvent | undefined {
  if (data.trim() === '' || data === '[DONE]') return name === 'ping' ? { type: 'ping' } : undefined;
  const parsed = tryParseJson(data);
  if (isJsonObject(parsed) && typeof parsed['type'] === 'string') return parsed as RawStreamEvent;
  if (name === 'error') return { type: 'error', error: { type: 'api_error', message: cutText(data, 400) } };
  if (isJsonObject(parsed)) return name === undefined ? undefined : { ...parsed, type: name };
  throw apiFailure({ message: `the stream held something that is not JSON: ${cutText(data, 80)}`, code: STREAM_CUT });
}
