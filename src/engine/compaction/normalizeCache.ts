import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import { toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { WireMessage } from '../model/promptCache.ts';
import { normalizeMessagesForAPI } from '../normalizeMessages.ts';

/** Messages at the end that are looked at anew each time before more of them are remembered. */
const longestRest = 64;

interface Frozen {
  readonly model: string;
  readonly messages: readonly SessionMessage[];
  readonly wire: readonly WireMessage[];
  readonly callIds: ReadonlySet<string>;
}

/**
 * {@link normalizeMessagesForAPI} for a conversation that mostly grows at its end: what was made of the same message
 * objects before is used again. Gives exactly what the function itself gives.
 */
export class NormalizeCache {
  #frozen: Frozen | undefined;

  normalize(messages: readonly SessionMessage[], model: string): WireMessage[] {
    if (!this.#covers(messages, model)) this.#frozen = undefined;
    const whole = this.#join(messages, model);
    const start = this.#frozen?.messages.length ?? 0;
    if (messages.length - start > longestRest) this.#freeze(messages, model);
    return whole;
  }

  #covers(messages: readonly SessionMessage[], model: string): boolean {
    const frozen = this.#frozen;
    return frozen?.model === model && frozen.messages.length <= messages.length && frozen.messages.every((message, index) => message === messages[index]);
  }

  #join(messages: readonly SessionMessage[], model: string): WireMessage[] {
    const frozen = this.#frozen;
    if (!frozen) return normalizeMessagesForAPI(messages, model);
    const rest = messages.slice(frozen.messages.length);
    if (rest.length === 0) return [...frozen.wire];
    return joined(frozen, rest) ?? normalizeMessagesForAPI(messages, model);
  }

  /** Remembers everything up to the last answer that follows a user message: nothing after it can change what is before. */
  #freeze(messages: readonly SessionMessage[], model: string): void {
    const cut = messages.findLastIndex((message, index) => message.type === 'assistant' && !message.isApiErrorMessage && messages[index - 1]?.type === 'user');
    if (cut <= (this.#frozen?.messages.length ?? 0)) return;
    const before = messages.slice(0, cut);
    const wire = this.#join(before, model);
    const next: Frozen = { model, messages: before, wire, callIds: new Set(wire.flatMap(callIdsOf)) };
    // Only where both sides really join there; a user message that says nothing would be dropped.
    if (wire.at(-1)?.role === 'user') this.#frozen = next;
  }
}

function joined(frozen: Frozen, rest: readonly SessionMessage[]): WireMessage[] | undefined {
  const [first, ...wire] = normalizeMessagesForAPI([opener, ...rest], frozen.model);
  // The opener alone, and an answer after it: so the rest begins as the whole would go on.
  if (first?.content.length !== 1 || wire[0]?.role !== 'assistant') return undefined;
  // An id that was used before gets another name, which only the whole knows.
  if (wire.flatMap(callIdsOf).some((id) => frozen.callIds.has(id))) return undefined;
  return [...frozen.wire, ...wire];
}

function callIdsOf({ content }: WireMessage): string[] {
  return toolUsesOf(content as readonly ContentBlock[]).map((call) => call.id);
}

/** Stands for what comes before. */
const opener: SDKUserMessage = {
  type: 'user',
  uuid: 'opener',
  session_id: 'opener',
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'text', text: 'opener' }] },
};
