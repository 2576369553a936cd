import type { MessagesRequest, WireBlock } from './apiTypes.ts';
import type { CompleteMessage } from './messageEvents.ts';
import type { CacheUsage } from './promptCacheSimulation.ts';
import { estimateTokens } from './promptCacheSimulation.ts';
import type { ScriptedMessage } from './scriptedMessage.ts';

interface Completion {
  readonly request: MessagesRequest;
  readonly id: string;
  /** The prompt's tokens as a simulated cache splits them; all of it is plain input if left out. */
  readonly promptUsage: CacheUsage | undefined;
  readonly nextCallId: () => string;
}

/** Fills in what a script left open: ids, model, stop reason, usage. */
export function completeMessage(reply: ScriptedMessage, { request, id, promptUsage, nextCallId }: Completion): CompleteMessage {
  const content = reply.content.map(block => (needsId(block) ? withId(block, nextCallId()) : block));
  const prompt = promptUsage ?? {
    input_tokens: estimateTokens(JSON.stringify(request)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  return {
    id: reply.id ?? id,
    model: reply.model ?? request.model,
    content,
    stopReason: reply.stopReason ?? (content.at(-1)?.type === 'tool_use' ? 'tool_use' : 'end_turn'),
    usage: {
      ...prompt,
      cache_creation: { ephemeral_5m_input_tokens: prompt.cache_creation_input_tokens, ephemeral_1h_input_tokens: 0 },
      output_tokens: estimateTokens(JSON.stringify(content)),
      service_tier: 'standard',
      ...definedOnly(reply.usage ?? {}),
    },
  };
}

function needsId(block: WireBlock): boolean {
  return block.type === 'tool_use' && block['id'] === undefined;
}

/** The id stands before name and input, as in the API's own answers. */
function withId({ type, ...rest }: WireBlock, id: string): WireBlock {
  return { type, id, ...rest };
}

function definedOnly(usage: NonNullable<ScriptedMessage['usage']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
