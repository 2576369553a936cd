import type { WireBlock, WireEvent, WireUsage } from './apiTypes.ts';

/** An answer with nothing left open: what goes over the wire. */
export interface CompleteMessage {
  readonly id: string;
  readonly model: string;
  readonly content: readonly WireBlock[];
  readonly stopReason: string;
  readonly usage: WireUsage;
}

/** How many UTF-16 units go into one delta. Surrogate pairs are never split: JSON could not carry the halves. */
const defaultDeltaSize = 12;

/** The events of a streamed answer, in the order and shape of the API, a `ping` after the first block's start included. */
export function messageEvents(message: CompleteMessage, deltaSize: number = defaultDeltaSize): WireEvent[] {
  const events = [event('message_start', { message: startOf(message) })];
  message.content.forEach((block, index) => {
    events.push(event('content_block_start', { index, content_block: blockStart(block) }));
    if (index === 0) events.push(event('ping', {}));
    for (const delta of blockDeltas(block, deltaSize)) events.push(event('content_block_delta', { index, delta }));
    events.push(event('content_block_stop', { index }));
  });
  const { cache_creation, service_tier, ...usage } = message.usage;
  events.push(event('message_delta', { delta: { stop_reason: message.stopReason, stop_sequence: null }, usage }));
  events.push(event('message_stop', {}));
  return events;
}

/** The JSON answer to a request without `stream`. */
export function messageJson(message: CompleteMessage): Record<string, unknown> {
  const content = message.content.map(({ rawInput, ...block }) => block);
  return { ...envelope(message), content, stop_reason: message.stopReason, stop_sequence: null, usage: message.usage };
}

/** One event in the framing of the API: an event line, a data line, an empty line. */
export function frameEvent({ event: name, data }: WireEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function event(type: string, rest: Record<string, unknown>): WireEvent {
  return { event: type, data: { type, ...rest } };
}

function startOf(message: CompleteMessage): Record<string, unknown> {
  const usage = { ...message.usage, output_tokens: Math.min(message.usage.output_tokens, 1) };
  return { ...envelope(message), content: [], stop_reason: null, stop_sequence: null, usage };
}

function envelope(message: CompleteMessage): Record<string, unknown> {
  return { model: message.model, id: message.id, type: 'message', role: 'assistant' };
}

function blockStart(block: WireBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return block['citations'] === undefined ? { type: 'text', text: '' } : { type: 'text', text: '', citations: [] };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use': {
      const { rawInput, ...rest } = block;
      return { ...rest, type: block.type, input: {} };
    }
    default:
      return block;
  }
}

function blockDeltas(block: WireBlock, deltaSize: number): WireBlock[] {
  switch (block.type) {
    case 'text':
      return [
        ...((block['citations'] ?? []) as WireBlock[]).map(citation => ({ type: 'citations_delta', citation })),
        ...pieces(String(block['text']), deltaSize).map(value => ({ type: 'text_delta', text: value })),
      ];
    case 'thinking':
      return [
        ...pieces(String(block['thinking']), deltaSize).map(value => ({ type: 'thinking_delta', thinking: value })),
        { type: 'signature_delta', signature: block['signature'] },
      ];
    case 'tool_use':
    case 'server_tool_use':
      // The API opens every tool input with an empty piece; for a call without arguments nothing follows it.
      return ['', ...pieces(inputText(block), deltaSize)].map(piece => ({ type: 'input_json_delta', partial_json: piece }));
    default:
      return [];
  }
}

function inputText(block: WireBlock): string {
  if (typeof block['rawInput'] === 'string') return block['rawInput'];
  const json = JSON.stringify(block['input']);
  return json === '{}' ? '' : json;
}

function pieces(value: string, size: number): string[] {
  const result: string[] = [];
  for (let start = 0; start < value.length; ) {
    let end = Math.min(start + size, value.length);
    if (end < value.length && /[\uD800-\uDBFF]/.test(value[end - 1] ?? '')) end += 1;
    result.push(value.slice(start, end));
    start = end;
  }
  return result;
}
