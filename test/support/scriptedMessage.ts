import type { WireBlock, WireUsage } from './apiTypes.ts';

/** A model's answer, as a script writes it down. What is left out is filled in when it is sent. */
export interface ScriptedMessage {
  readonly content: readonly WireBlock[];
  /** `tool_use` when the last block is a tool call, else `end_turn`. */
  readonly stopReason?: string | undefined;
  /** Merged over an estimate of a token per four bytes. */
  readonly usage?: Partial<WireUsage> | undefined;
  /** The model named in the request. */
  readonly model?: string | undefined;
  readonly id?: string | undefined;
}

/** An answer made of blocks: `message([text('Hello'), toolUse('Read', { file_path })])`. */
export function message(
  content: readonly WireBlock[] | string,
  rest: Omit<ScriptedMessage, 'content'> = {},
): ScriptedMessage {
  return { content: typeof content === 'string' ? [text(content)] : content, ...rest };
}

export function text(value: string, citations?: readonly WireBlock[]): WireBlock {
  return citations === undefined ? { type: 'text', text: value } : { type: 'text', text: value, citations };
}

export function thinking(value: string, signature = `signature-of-${value.length}-${value.slice(0, 24)}`): WireBlock {
  return { type: 'thinking', thinking: value, signature };
}

export function redactedThinking(data: string): WireBlock {
  return { type: 'redacted_thinking', data };
}

/** A tool call. Without an id it gets the next one of its server (`toolu_0001`, `toolu_0002` …) when it is sent. */
export function toolUse(name: string, input: unknown = {}, options: { readonly id?: string } = {}): WireBlock {
  return { type: 'tool_use', ...(options.id === undefined ? {} : { id: options.id }), name, input };
}

/** A tool call whose arguments are this text, which need not be JSON. It can only be streamed. */
export function toolUseWithRawInput(name: string, rawInput: string, options: { readonly id?: string } = {}): WireBlock {
  return { ...toolUse(name, {}, options), rawInput };
}

export function serverToolUse(name: string, input: unknown, id: string): WireBlock {
  return { type: 'server_tool_use', id, name, input };
}

export function webSearchResult(toolUseId: string, content: readonly WireBlock[]): WireBlock {
  return { type: 'web_search_tool_result', tool_use_id: toolUseId, content };
}
