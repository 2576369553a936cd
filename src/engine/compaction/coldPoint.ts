import type { SessionMessage } from '../../protocol/messages.ts';
import { CACHE_TTL_MS } from '../cost/cacheWatch.ts';

/**
 * Index of the last message that came when the prompt cache had been idle for longer than it lives, so that changing what
 * stands before it cost nothing; -1 when there is none. Known from the messages' own times, so that every later request,
 * also after a resume, comes to the same answer.
 */
export function lastColdPoint(messages: readonly SessionMessage[]): number {
  let answeredAt: number | undefined;
  let cold = -1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.type === 'system') continue;
    const time = timeOf(message);
    if (time === undefined) continue;
    if (message.type === 'assistant') answeredAt = message.isApiErrorMessage ? answeredAt : time;
    else if (answeredAt !== undefined && time - answeredAt > CACHE_TTL_MS) cold = index;
  }
  return cold;
}

const times = new WeakMap<SessionMessage, number>();

function timeOf(message: Exclude<SessionMessage, { type: 'system' }>): number | undefined {
  if (message.timestamp === undefined) return undefined;
  let time = times.get(message);
  if (time === undefined) times.set(message, (time = Date.parse(message.timestamp)));
  return Number.isNaN(time) ? undefined : time;
}
