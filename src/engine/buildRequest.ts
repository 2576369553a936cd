import { wellFormed } from '../base/wellFormed.ts';
import type { SessionMessage } from '../protocol/messages.ts';
import type { ReasoningChoice } from '../protocol/reasoning.ts';
import type { SystemBlock } from './context/systemPrompt.ts';
import { modelInfo } from './model/modelCatalog.ts';
import { markForCache } from './model/promptCache.ts';
import { reasoningFields } from './model/reasoning.ts';
import { normalizeMessagesForAPI } from './normalizeMessages.ts';
import type { ModelRequest } from './ports.ts';
import type { Tool } from './tools/tool.ts';

/**
 * Room for one answer where nothing asks for more, in tokens. Long enough for any file an agent should write at once;
 * small enough that rate limits which count it in advance are not hit.
 */
export const DEFAULT_MAX_TOKENS = 32_000;

export interface RequestParts {
  readonly model: string;
  readonly system: readonly SystemBlock[];
  readonly tools: readonly Tool[];
  /** As {@link ./compaction/pipeline.ts} prepared them. */
  readonly messages: readonly SessionMessage[];
  readonly maxTokens?: number | undefined;
  readonly reasoning?: ReasoningChoice | undefined;
  /** Tokens that an answer may have at most, where that is not what the catalog says of the model. */
  readonly maxOutput?: number | undefined;
  /** Gives the same as {@link normalizeMessagesForAPI}, which is used without it. */
  readonly normalize?: typeof normalizeMessagesForAPI | undefined;
}

/** The request's body. The same parts give the same bytes: fields and tools keep their order. */
export function buildRequest(parts: RequestParts): ModelRequest {
  const info = modelInfo(parts.model);
  const messages = (parts.normalize ?? normalizeMessagesForAPI)(parts.messages, parts.model);
  const maxTokens = Math.min(parts.maxTokens ?? DEFAULT_MAX_TOKENS, parts.maxOutput ?? info.maxOutput);
  const { max_tokens, ...reasoning } = reasoningFields({ model: parts.model, choice: parts.reasoning ?? {}, maxTokens, isLimited: parts.maxTokens !== undefined, messages });
  return {
    model: parts.model,
    max_tokens,
    ...reasoning,
    system: once(systems, parts.system, wellFormed),
    tools: once(declarations, parts.tools, declared),
    messages: markForCache(messages),
  };
}

/** Made once and then the same objects: whoever looks at a request sees at once that it begins like the one before. */
const systems = new WeakMap<readonly SystemBlock[], readonly unknown[]>();
const declarations = new WeakMap<readonly Tool[], readonly unknown[]>();

function once<Source extends object>(made: WeakMap<Source, readonly unknown[]>, source: Source, make: (source: Source) => readonly unknown[]): readonly unknown[] {
  let known = made.get(source);
  if (!known) made.set(source, (known = make(source)));
  return known;
}

function declared(tools: readonly Tool[]): readonly unknown[] {
  return wellFormed(tools.map(({ name, description, inputJsonSchema, declaration }) => declaration ?? { name, description, input_schema: inputJsonSchema }));
}
