import { createHash } from 'node:crypto';
import type { DemoReply } from './plan.ts';

/** One block of an answer on the wire. */
type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

/** An answer with everything the Messages API puts around it. */
export interface WireAnswer {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly Block[];
  readonly stopReason: 'end_turn' | 'tool_use';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Characters per delta: about as much as real models send. */
const deltaSize = 14;

/** Puts ids and token counts (estimated at four bytes each) on a reply. Ids depend on the request alone. */
export function wireAnswer(reply: DemoReply, { model, requestText }: { readonly model: string; readonly requestText: string }): WireAnswer {
  const mark = createHash('sha256').update(requestText).digest('hex').slice(0, 24);
  const blocks: Block[] = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
  if (reply.call !== undefined) blocks.push({ type: 'tool_use', id: `toolu_demo_${mark}`, name: reply.call.name, input: reply.call.input });
  return {
    id: `msg_demo_${mark}`,
    model,
    blocks,
    stopReason: reply.call === undefined ? 'end_turn' : 'tool_use',
    inputTokens: estimateTokens(requestText),
    outputTokens: estimateTokens(JSON.stringify(blocks)),
  };
}

/** The answer as server-sent events, each framed and ready to be written. */
export function eventFrames(answer: WireAnswer): string[] {
  const { id, model, blocks, stopReason } = answer;
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage: usageOf(answer, 1) };
  return [
    frame('message_start', { message }),
    frame('ping', {}),
    ...blocks.flatMap((block, index) => blockFrames(block, index)),
    frame('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: usageOf(answer, answer.outputTokens) }),
    frame('message_stop', {}),
  ];
}

/** The answer as one JSON message, for requests without `stream`. */
export function messageJson(answer: WireAnswer): string {
  const { id, model, blocks, stopReason, outputTokens } = answer;
  return JSON.stringify({ id, type: 'message', role: 'assistant', model, content: blocks, stop_reason: stopReason, stop_sequence: null, usage: usageOf(answer, outputTokens) });
}

/** The error body of the API. */
export function errorJson(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message } });
}

export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4));
}

function blockFrames(block: Block, index: number): string[] {
  const start = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
  const deltas =
    block.type === 'text'
      ? pieces(block.text).map(text => ({ type: 'text_delta', text }))
      : ['', ...pieces(JSON.stringify(block.input))].map(piece => ({ type: 'input_json_delta', partial_json: piece }));
  return [
    frame('content_block_start', { index, content_block: start }),
    ...deltas.map(delta => frame('content_block_delta', { index, delta })),
    frame('content_block_stop', { index }),
  ];
}

function frame(type: string, rest: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

function usageOf({ inputTokens }: WireAnswer, outputTokens: number): Record<string, unknown> {
  return { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: outputTokens };
}

/** By code points, so that no character is torn in two. */
function pieces(text: string): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / deltaSize) }, (_, index) => characters.slice(index * deltaSize, (index + 1) * deltaSize).join(''));
}
