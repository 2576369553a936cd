import { REQUEST_REPEATED, apiFailure } from '../protocol/apiFailure.ts';
import type { WireMessage } from './model/promptCache.ts';
import type { ModelRequest } from './ports.ts';

interface Footprint {
  readonly iteration: number;
  readonly length: number;
  readonly facts: string;
  /** Not the whole request: what a compaction takes out of a conversation must not live on here. */
  readonly ends: readonly (WireMessage | undefined)[];
}

/**
 * Sees to it that a turn goes on only when there is something new to say. An answer of which nothing can be sent back
 * would be asked for again and again, and paid for each time.
 */
export class RequestTrail {
  #last: Footprint | undefined;

  /** The request itself. Throws an ApiFailure when the one of an earlier iteration was the same; tries of one iteration may be. */
  next(request: ModelRequest, iteration: number): ModelRequest {
    const messages = request.messages as readonly WireMessage[];
    const footprint: Footprint = { iteration, length: messages.length, facts: `${request.model} ${request.max_tokens}`, ends: [messages[0], messages.at(-2), messages.at(-1)] };
    const last = this.#last;
    if (last && last.iteration !== iteration && isSame(last, footprint)) throw apiFailure({ message: 'nothing of the last answer can be sent back', code: REQUEST_REPEATED });
    this.#last = footprint;
    return request;
  }
}

function isSame(one: Footprint, other: Footprint): boolean {
  return one.length === other.length && one.facts === other.facts && JSON.stringify(one.ends) === JSON.stringify(other.ends);
}
