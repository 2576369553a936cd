import type { SessionMessage } from '../../protocol/messages.ts';
import { clearableLength } from './microcompact.ts';
import { choosePreserved } from './preservedSegment.ts';

/** As {@link ./contextSize.ts} estimates. */
const charactersPerToken = 3.5;

/**
 * How many of the oldest tool results have to be left out to save so many tokens, or all there are; undefined when there
 * are none. Those of the last exchange stay unless `newestToo`. `prepared` is what the model sees of `messages`.
 */
export function chooseOutputs(messages: readonly SessionMessage[], prepared: readonly SessionMessage[], wanted: { readonly tokens: number; readonly newestToo: boolean }): { readonly tailUuid: string; readonly count: number } | undefined {
  const lastExchange = wanted.newestToo ? undefined : messages[choosePreserved(messages, 0)?.head ?? 0]?.uuid;
  let tailUuid: string | undefined;
  let count = 0;
  let saved = 0;
  for (const message of prepared) {
    if (message.uuid === lastExchange || saved >= wanted.tokens * charactersPerToken) break;
    const length = clearableLength(message);
    if (length <= 0) continue;
    saved += length;
    count++;
    tailUuid = message.uuid;
  }
  return tailUuid === undefined ? undefined : { tailUuid, count };
}
