import { isBlock, textOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { ChatEvent, ChatItem, NoticeAction } from '../protocol/chatView.ts';
import type { SDKApiRetryMessage, SDKAssistantMessage, SDKMessage, SDKResultMessage, SDKUserMessage, ShownMessage } from '../protocol/messages.ts';
import { readPrompt } from '../protocol/toldPrompt.ts';
import { serverCall, serverResult } from './serverTools.ts';
import { appendOutput, finishServerTool, finishTool, interruptUnfinished, startTool } from './toolItems.ts';
import type { DescribeTool, ToolItems } from './toolItems.ts';
import { streamEvents, withdrawStream } from './streamEvents.ts';
import type { StreamState } from './streamEvents.ts';
import { turnItem } from './turnItem.ts';

/**
 * What has to be remembered between two messages of one session to show them. Made by {@link newChatState}; changed
 * only by the functions here, which do no I/O and always answer the same for the same messages.
 */
export interface ChatState extends ToolItems, StreamState {
  /** Items made of a message, so that they can be withdrawn with it. */
  readonly itemsOf: Map<string, readonly string[]>;
  /** Completed blocks so far of each API message: the next block's number. */
  readonly blockCounts: Map<string, number>;
  retrying: boolean;
}

export function newChatState(describe: DescribeTool): ChatState {
  return { describe, tools: new Map(), streaming: undefined, itemsOf: new Map(), blockCounts: new Map(), retrying: false };
}

/** What one message of the running session changes in the panel. */
export function toChatEvents(state: ChatState, message: SDKMessage): ChatEvent[] {
  // What a sub-agent says belongs to its card, not to the conversation.
  if ('parent_tool_use_id' in message && message.parent_tool_use_id !== null) return [];
  switch (message.type) {
    case 'user':
      return userEvents(state, message);
    case 'assistant':
      return [...retryOver(state), ...assistantEvents(state, message)];
    case 'stream_event':
      return [...retryOver(state), ...streamEvents(state, message.event)];
    case 'progress':
      return appendOutput(state, message.tool_use_id, message.data.text);
    case 'tombstone':
      return tombstoneEvents(state, message.message_uuids);
    case 'result':
      return [...retryOver(state), ...withdrawStream(state), ...turnEnd(message)];
    case 'system':
      return systemEvents(state, message);
  }
}

/** A session that was opened again: the same items as when it ran, in one go. `pendingCall` may still get its result. */
export function historyToChatEvents(state: ChatState, messages: readonly ShownMessage[], pendingCall?: string): ChatEvent[] {
  const events = messages.flatMap((message) => toChatEvents(state, message));
  const pending = pendingCall === undefined ? undefined : state.tools.get(pendingCall);
  if (!pending) return [...events, ...interruptUnfinished(state)];
  return [...events, put(...[...state.tools.values()].map((tool): ChatItem => ({ ...tool, status: 'waiting' })))];
}

/** A command that was answered here closes with its answer: it took no time and cost nothing. */
function turnEnd(message: SDKResultMessage): ChatEvent[] {
  const isLocal = message.num_turns === 0 && message.subtype === 'success' && message.turn_cost_usd === 0;
  return isLocal ? [] : [put(turnItem(message))];
}

function userEvents(state: ChatState, message: SDKUserMessage): ChatEvent[] {
  const { content } = message.message;
  if (typeof content !== 'string') {
    const results = content.filter((block) => isBlock(block, 'tool_result'));
    const view = results.length === 1 ? message.tool_use_result : undefined;
    const events = results.flatMap((block) => finishTool(state, block, view));
    if (events.length > 0) return events;
  }
  const text = textOf(content);
  const imageCount = typeof content === 'string' ? 0 : content.filter((block) => isBlock(block, 'image')).length;
  if (message.isMeta || (text.trim() === '' && imageCount === 0)) return [];
  const told = readPrompt(text);
  if (told.kind === 'output') return told.text === '' ? [] : [put({ kind: 'notice', id: message.uuid, level: 'info', text: told.text })];
  return [put({ kind: 'user', id: message.uuid, text: told.text, timestamp: message.timestamp ?? '', ...(imageCount > 0 && { imageCount }), ...(message.isLocal && { isLocal: true }) })];
}

function assistantEvents(state: ChatState, message: SDKAssistantMessage): ChatEvent[] {
  if (message.isApiErrorMessage) {
    return [...withdrawStream(state), put(errorNotice(message))];
  }
  const events = message.message.content.flatMap((block) => blockEvents(state, message, block));
  const ids = events.flatMap((event) => (event.type === 'items-put' ? event.items.map((item) => item.id) : []));
  state.itemsOf.set(message.uuid, ids);
  return events;
}

function blockEvents(state: ChatState, { message }: SDKAssistantMessage, block: ContentBlock): ChatEvent[] {
  const number = state.blockCounts.get(message.id) ?? 0;
  state.blockCounts.set(message.id, number + 1);
  const id = blockItemId(message.id, number);
  state.streaming?.shown.delete(id);
  if (isBlock(block, 'text')) {
    return block.text.trim() === '' ? [] : [put({ kind: 'text', id, markdown: block.text, streaming: false })];
  }
  if (isBlock(block, 'thinking')) {
    return block.thinking.trim() === '' ? [] : [put({ kind: 'thinking', id, text: block.thinking, streaming: false })];
  }
  const result = serverResult(block);
  if (result) return finishServerTool(state, result);
  const call = isBlock(block, 'tool_use') ? block : serverCall(block);
  if (!call) return [];
  state.streaming?.shown.delete(call.id);
  return startTool(state, call);
}

function systemEvents(state: ChatState, message: Extract<SDKMessage, { type: 'system' }>): ChatEvent[] {
  switch (message.subtype) {
    case 'init':
      return [];
    case 'notice':
      return [put({ kind: 'notice', id: message.uuid, level: message.level, text: message.text })];
    case 'compact_boundary':
      return [put({ kind: 'notice', id: message.uuid, level: 'info', text: 'Earlier conversation summarised for the model; all of it is kept in the session.' })];
    case 'api_retry':
      return retryEvents(state, message);
  }
}

function retryEvents(state: ChatState, message: SDKApiRetryMessage): ChatEvent[] {
  state.retrying = true;
  const retryAt = Date.now() + message.retry_delay_ms;
  return [{ type: 'retry-changed', retry: { attempt: message.attempt, maxRetries: message.max_retries, retryAt, reason: message.error, ...(message.needs_confirmation && { needsConfirmation: true }) } }];
}

function retryOver(state: ChatState): ChatEvent[] {
  if (!state.retrying) return [];
  state.retrying = false;
  return [{ type: 'retry-changed', retry: null }];
}

function tombstoneEvents(state: ChatState, uuids: readonly string[]): ChatEvent[] {
  const ids = uuids.flatMap((uuid) => state.itemsOf.get(uuid) ?? []);
  for (const uuid of uuids) state.itemsOf.delete(uuid);
  for (const id of ids) state.tools.delete(id);
  const withdrawn = withdrawStream(state);
  return ids.length > 0 ? [{ type: 'items-removed', ids }, ...withdrawn] : withdrawn;
}

function errorNotice(message: SDKAssistantMessage): ChatItem {
  const text = textOf(message.message.content);
  const action: NoticeAction = /\bAPI key\b/.test(text) ? 'set-api-key' : 'retry';
  return { kind: 'notice', id: message.uuid, level: 'error', text, action };
}

/** Items of a block keep this id from the first streamed character on, also after a reload. */
export function blockItemId(messageId: string, blockNumber: number): string {
  return `${messageId}:${blockNumber}`;
}

function put(...items: ChatItem[]): ChatEvent {
  return { type: 'items-put', items };
}
