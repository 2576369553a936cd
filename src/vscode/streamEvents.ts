import { isJsonObject } from '../base/json.ts';
import type { ChatEvent } from '../protocol/chatView.ts';
import type { RawStreamEvent } from '../protocol/messages.ts';
import { serverCall } from './serverTools.ts';

export interface StreamState {
  /** The API message that is being received. */
  streaming: StreamingMessage | undefined;
}

interface StreamingMessage {
  readonly messageId: string;
  /** Ids of items that stand for blocks which are not complete yet. */
  readonly shown: Set<string>;
}

/** What one raw event of the stream shows. Text appears with its first character, a tool with its name. */
export function streamEvents(state: StreamState, event: RawStreamEvent): ChatEvent[] {
  switch (event.type) {
    case 'message_start':
      return startMessage(state, event);
    case 'content_block_start':
      return startBlock(state, event);
    case 'content_block_delta':
      return appendDelta(state, event);
    default:
      return [];
  }
}

/** Takes away what was streamed of blocks that never became complete. */
export function withdrawStream(state: StreamState): ChatEvent[] {
  const ids = [...(state.streaming?.shown ?? [])];
  state.streaming = undefined;
  return ids.length > 0 ? [{ type: 'items-removed', ids }] : [];
}

function startMessage(state: StreamState, event: RawStreamEvent): ChatEvent[] {
  const events = withdrawStream(state);
  const message = event['message'];
  if (isJsonObject(message) && typeof message['id'] === 'string') {
    state.streaming = { messageId: message['id'], shown: new Set() };
  }
  return events;
}

function startBlock({ streaming }: StreamState, event: RawStreamEvent): ChatEvent[] {
  const block = event['content_block'];
  if (!streaming || !isJsonObject(block)) return [];
  const { id, name } = block['type'] === 'tool_use' ? block : (serverCall(block) ?? {});
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  streaming.shown.add(id);
  return [{ type: 'items-put', items: [{ kind: 'tool', id, tool: name, title: '', status: 'pending', output: '' }] }];
}

function appendDelta({ streaming }: StreamState, event: RawStreamEvent): ChatEvent[] {
  const { index, delta } = event;
  if (!streaming || typeof index !== 'number' || !isJsonObject(delta)) return [];
  const id = `${streaming.messageId}:${index}`;
  if (delta['type'] === 'text_delta') return appendText(streaming, id, 'text', delta['text']);
  if (delta['type'] === 'thinking_delta') return appendText(streaming, id, 'thinking', delta['thinking']);
  return [];
}

function appendText(streaming: StreamingMessage, id: string, kind: 'text' | 'thinking', text: unknown): ChatEvent[] {
  if (typeof text !== 'string' || text === '') return [];
  if (streaming.shown.has(id)) return [{ type: 'text-appended', id, text }];
  streaming.shown.add(id);
  const item = kind === 'text' ? { kind, id, markdown: text, streaming: true } : { kind, id, text, streaming: true };
  return [{ type: 'items-put', items: [item] }];
}
