import type { WireBlock, WireEvent } from './apiTypes.ts';

/** Splits a whole event-stream text into its events. Throws on a frame that is not one of the API's. */
export function parseEventStream(body: string): WireEvent[] {
  const frames = body.split('\n\n');
  const rest = frames.pop();
  if (rest !== '') throw new Error(`the stream does not end with an empty line but with ${JSON.stringify(rest)}`);
  return frames.map(parseFrame);
}

/** What a stream amounts to. */
export interface FoldedMessage {
  readonly content: WireBlock[];
  readonly stopReason: string | undefined;
  readonly model: string | undefined;
  readonly usage: Record<string, unknown>;
}

/** Folds the events of one answer into its message, and throws where they break the order the API keeps. */
export function foldEvents(events: readonly WireEvent[]): FoldedMessage {
  const problem = validateEventOrder(events);
  if (problem !== undefined) throw new Error(problem);
  const content: WireBlock[] = [];
  const inputs = new Map<number, string>();
  let stopReason: string | undefined;
  let model: string | undefined;
  let usage: Record<string, unknown> = {};
  for (const { data } of events) {
    const index = Number(data['index']);
    if (data.type === 'message_start') {
      const start = data['message'] as { readonly model: string; readonly usage: Record<string, unknown> };
      model = start.model;
      usage = start.usage;
    }
    if (data.type === 'content_block_start') content[index] = data['content_block'] as WireBlock;
    if (data.type === 'content_block_delta') content[index] = applyDelta(content[index] as WireBlock, data['delta'] as WireBlock, { index, inputs });
    if (data.type === 'message_delta') {
      stopReason = String((data['delta'] as Record<string, unknown>)['stop_reason']);
      usage = { ...usage, ...(data['usage'] as Record<string, unknown>) };
    }
  }
  for (const [index, json] of inputs) content[index] = { ...(content[index] as WireBlock), input: json === '' ? {} : JSON.parse(json) };
  return { content, stopReason, model, usage };
}

/** The first way in which events are not in the API's order: start, whole blocks by index, delta, stop. Pings anywhere after the start. */
export function validateEventOrder(events: readonly WireEvent[]): string | undefined {
  const misnamed = events.find(({ event, data }) => event !== data.type);
  if (misnamed !== undefined) return `the event ${misnamed.event} carries data of type ${misnamed.data.type}`;
  const shape = events
    .filter(({ data }) => data.type !== 'ping')
    .map(({ data }) => (data['index'] === undefined ? data.type : `${data.type}:${String(data['index'])}`));
  let position = 0;
  const next = (wanted: string): boolean => (shape[position] === wanted ? (position += 1) > 0 : false);
  if (events[0]?.event !== 'message_start' || !next('message_start')) return 'the stream does not begin with message_start';
  for (let block = 0; next(`content_block_start:${block}`); block++) {
    while (next(`content_block_delta:${block}`));
    if (!next(`content_block_stop:${block}`)) return `block ${block} is not closed: ${shape[position] ?? 'the stream ends'}`;
  }
  if (!next('message_delta')) return `unexpected ${shape[position] ?? 'end'} where message_delta belongs`;
  if (!next('message_stop')) return 'the stream does not end with message_stop';
  return position === shape.length ? undefined : `${shape[position]} after message_stop`;
}

function parseFrame(frame: string): WireEvent {
  const match = /^event: (\S+)\ndata: (.+)$/.exec(frame);
  if (match === null) throw new Error(`not an event of the API: ${JSON.stringify(frame)}`);
  return { event: String(match[1]), data: JSON.parse(String(match[2])) as WireEvent['data'] };
}

interface InputState {
  readonly index: number;
  readonly inputs: Map<number, string>;
}

function applyDelta(block: WireBlock, delta: WireBlock, { index, inputs }: InputState): WireBlock {
  switch (delta.type) {
    case 'text_delta':
      return { ...block, text: String(block['text']) + String(delta['text']) };
    case 'thinking_delta':
      return { ...block, thinking: String(block['thinking']) + String(delta['thinking']) };
    case 'signature_delta':
      return { ...block, signature: delta['signature'] };
    case 'citations_delta':
      return { ...block, citations: [...((block['citations'] ?? []) as WireBlock[]), delta['citation']] };
    case 'input_json_delta':
      inputs.set(index, (inputs.get(index) ?? '') + String(delta['partial_json']));
      return block;
    default:
      throw new Error(`unknown delta ${delta.type}`);
  }
}
