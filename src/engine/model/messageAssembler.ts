import { tryParseJson } from '../../base/json.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { ApiAssistantMessage, RawStreamEvent } from '../../protocol/messages.ts';
import type { Usage } from '../../protocol/usage.ts';
import { isUsableInput, withIdAndName } from './receivedBlock.ts';

/** What one event completed. */
export type AssemblyStep =
  | { readonly type: 'started'; readonly message: ApiAssistantMessage }
  | { readonly type: 'block'; readonly block: ContentBlock; readonly invalidInput?: string | undefined }
  | { readonly type: 'stopped' };

/** Said when the message begins; whatever comes later does not make it another one. */
const beginningFields = new Set(['id', 'type', 'role', 'model', 'content']);

interface OpenBlock {
  readonly start: ContentBlock;
  /** Pieces of text, thinking or tool input, joined once when the block is complete. */
  readonly pieces: string[];
  signature: string;
  citations: unknown[] | undefined;
}

/**
 * Folds the raw events of one stream into a message. Each delta costs O(1); tool input is parsed once, when its block
 * is complete. Event types and delta types that are not known are left alone. A second `message_start` begins the
 * message anew, as gateways that splice two attempts into one stream mean it.
 */
export class MessageAssembler {
  /** Taken for the model where the server names none. */
  readonly #askedModel: string;
  #message: ApiAssistantMessage | undefined;
  #open = new Map<number, OpenBlock>();
  #completedBlocks = 0;
  #receivedLength = 0;
  #stopped = false;

  constructor(askedModel = 'unknown') {
    this.#askedModel = askedModel;
  }

  /** Undefined until `message_start`. Its `usage` and `stop_reason` change in place until the end. */
  get message(): ApiAssistantMessage | undefined {
    return this.#message;
  }

  get isComplete(): boolean {
    return this.#stopped;
  }

  get hasContent(): boolean {
    return this.#completedBlocks > 0 || this.#open.size > 0;
  }

  /** Of all that the message holds so far, as it was streamed. UTF-16 units. */
  get receivedLength(): number {
    return this.#receivedLength;
  }

  push(event: RawStreamEvent): AssemblyStep | undefined {
    switch (event.type) {
      case 'message_start':
        return this.#start(event);
      case 'content_block_start':
        this.#open.set(event.index as number, { start: event.content_block as ContentBlock, pieces: [], signature: '', citations: undefined });
        return undefined;
      case 'content_block_delta':
        this.#delta(event);
        return undefined;
      case 'content_block_stop':
        return this.#closeBlock(event.index as number);
      case 'message_delta':
        this.#messageDelta(event);
        return undefined;
      case 'message_stop':
        this.#stopped = this.#message !== undefined;
        return this.#stopped ? { type: 'stopped' } : undefined;
      default:
        return undefined;
    }
  }

  /** Text that was streamed but not completed, for an answer that was interrupted. Blank ones are left out. */
  partialTexts(): string[] {
    return [...this.#open.values()]
      .filter((open) => open.start.type === 'text')
      .map((open) => String(open.start.text ?? '') + open.pieces.join(''))
      .filter((text) => text.trim() !== '');
  }

  #start(event: RawStreamEvent): AssemblyStep {
    const message = event.message as ApiAssistantMessage;
    this.#open.clear();
    this.#completedBlocks = 0;
    this.#receivedLength = 0;
    this.#message = {
      ...message,
      type: 'message',
      role: 'assistant',
      model: typeof message.model === 'string' ? message.model : this.#askedModel,
      content: [],
      stop_reason: message.stop_reason ?? null,
      stop_sequence: message.stop_sequence ?? null,
      usage: message.usage ?? { input_tokens: 0, output_tokens: 0 },
    };
    return { type: 'started', message: this.#message };
  }

  #delta(event: RawStreamEvent): void {
    const open = this.#open.get(event.index as number);
    if (!open) return;
    const delta = (event.delta ?? {}) as { readonly type?: string; readonly [field: string]: unknown };
    switch (delta.type) {
      case 'text_delta':
        this.#take(open, delta.text);
        return;
      case 'input_json_delta':
        this.#take(open, delta.partial_json);
        return;
      case 'thinking_delta':
        this.#take(open, delta.thinking);
        return;
      case 'signature_delta':
        open.signature += delta.signature as string;
        return;
      case 'citations_delta':
        (open.citations ??= []).push(delta.citation);
        return;
      case 'compaction_delta':
        if (typeof delta.content === 'string') this.#take(open, delta.content);
        return;
      default:
        return;
    }
  }

  #take(open: OpenBlock, piece: unknown): void {
    open.pieces.push(piece as string);
    this.#receivedLength += typeof piece === 'string' ? piece.length : 0;
  }

  #messageDelta(event: RawStreamEvent): void {
    if (!this.#message) return;
    const delta = (event.delta ?? {}) as { readonly [field: string]: unknown };
    for (const [field, value] of Object.entries(delta)) {
      if (value !== undefined && !beginningFields.has(field)) (this.#message as { [field: string]: unknown })[field] = value;
    }
    this.#message.usage = mergeUsage(this.#message.usage, event.usage as Partial<Usage> | undefined);
  }

  #closeBlock(index: number): AssemblyStep | undefined {
    const open = this.#open.get(index);
    if (!open || !this.#message) return undefined;
    this.#open.delete(index);
    this.#completedBlocks++;
    return { type: 'block', ...finishBlock(open) };
  }
}

/** Fields of the later report win where it has them: it counts the whole message, not an addition. */
export function mergeUsage(usage: Usage, later: Partial<Usage> | null | undefined): Usage {
  const known = Object.entries(later ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...usage, ...Object.fromEntries(known) };
}

function finishBlock(open: OpenBlock): { block: ContentBlock; invalidInput?: string } {
  const text = open.pieces.join('');
  const { start } = open;
  switch (start.type) {
    case 'text':
      return { block: { ...start, text: String(start.text ?? '') + text, ...(open.citations && { citations: [...((start.citations as unknown[] | null) ?? []), ...open.citations] }) } };
    case 'thinking':
      return { block: { ...start, thinking: String(start.thinking ?? '') + text, signature: open.signature || String(start.signature ?? '') } };
    case 'tool_use':
      return finishToolUse(withIdAndName(start), text);
    case 'server_tool_use':
    case 'mcp_tool_use':
      return finishToolUse(start, text);
    case 'compaction':
      return { block: text ? { ...start, content: text } : start };
    default:
      return { block: start };
  }
}

/** A call without arguments streams an empty string: that is an empty object. Gateways also give the whole input as a text at its start. */
function finishToolUse(start: ContentBlock, streamed: string): { block: ContentBlock; invalidInput?: string } {
  const json = streamed.trim() === '' && typeof start.input === 'string' ? start.input : streamed;
  const given = typeof start.input === 'string' ? {} : (start.input ?? {});
  const input = json.trim() === '' ? given : tryParseJson(json);
  if (isUsableInput(input)) return { block: input === start.input ? start : { ...start, input } };
  return { block: { ...start, input: {} }, invalidInput: json || 'a value that is no object' };
}
