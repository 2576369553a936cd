import type * as acp from '@agentclientprotocol/sdk';
import { isJsonObject } from '../base/json.ts';
import { isBlock, textOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { RawStreamEvent, SDKAssistantMessage, SDKMessage, SDKResultMessage, SDKUserMessage, SessionMessage } from '../protocol/messages.ts';
import { retryText } from '../protocol/retryText.ts';
import { readPrompt } from '../protocol/toldPrompt.ts';
import { announcedCall, endedCall, finishedCall, liveTail, runningCall } from './toolCalls.ts';

/**
 * What has to be remembered between two messages of one session to tell a client of them. Made by
 * {@link newUpdateState}; changed only by the functions here, which do no I/O.
 */
export interface UpdateState {
  readonly cwd: string;
  /** Calls that the client knows of and that have no result yet. */
  readonly calls: Map<string, { readonly tool: string; output: string }>;
  /** Completed blocks so far of each API message: the next block's number. */
  readonly blockCounts: Map<string, number>;
  /** Text that was sent of blocks which are not complete yet, by block. */
  readonly streamed: Map<string, string>;
  streamingId: string | undefined;
  /** What was said last of what went wrong: not to be said twice. */
  toldError: string | undefined;
  /** The client ended the running turn: it need not be told why it ended. */
  isCancelled: boolean;
}

export function newUpdateState(cwd: string): UpdateState {
  return { cwd, calls: new Map(), blockCounts: new Map(), streamed: new Map(), streamingId: undefined, toldError: undefined, isCancelled: false };
}

/** What one message of the running session tells the client. */
export function toSessionUpdates(state: UpdateState, message: SDKMessage): acp.SessionUpdate[] {
  if ('parent_tool_use_id' in message && message.parent_tool_use_id !== null) return subAgentUpdates(state, message);
  switch (message.type) {
    case 'user':
      return userUpdates(state, message);
    case 'assistant':
      return assistantUpdates(state, message);
    case 'stream_event':
      return streamUpdates(state, message.event);
    case 'progress':
      return progressUpdates(state, message.tool_use_id, message.data.text);
    case 'tombstone':
      return withdraw(state, message.message_uuids.length > 0);
    case 'result':
      return resultUpdates(state, message);
    case 'system':
      return systemUpdates(message);
  }
}

/** A session that was opened again: what it told when it ran, in one go. */
export function historyToUpdates(state: UpdateState, messages: readonly SessionMessage[]): acp.SessionUpdate[] {
  return [...messages.flatMap((message) => toSessionUpdates(state, message)), ...endCalls(state, 'This has no result: the session ended before it.')];
}

/** The client learns of a call with its block or with the question about it, whichever comes first. */
export function announceCall(state: UpdateState, call: Pick<ToolUseBlock, 'id' | 'name' | 'input'>): acp.SessionUpdate[] {
  if (state.calls.has(call.id)) return [];
  state.calls.set(call.id, { tool: call.name, output: '' });
  return [{ sessionUpdate: 'tool_call', ...announcedCall(call, state.cwd) }];
}

/** A note that stands by itself between what the model says. */
export function noteUpdate(text: string, messageId?: string): acp.SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', ...(messageId !== undefined && { messageId }), content: { type: 'text', text: `\n\n${text}\n\n` } };
}

/** What a sub-agent says belongs to its call; of what it does the client knows only what it was asked about. */
function subAgentUpdates(state: UpdateState, message: SDKMessage): acp.SessionUpdate[] {
  if (message.type === 'progress') return progressUpdates(state, message.tool_use_id, message.data.text);
  return message.type === 'user' ? resultsIn(state, message) : [];
}

function userUpdates(state: UpdateState, message: SDKUserMessage): acp.SessionUpdate[] {
  const results = resultsIn(state, message);
  if (results.length > 0 || message.isMeta) return results;
  const { content } = message.message;
  const told = readPrompt(textOf(content));
  if (told.kind === 'output') return told.text === '' ? [] : [noteUpdate(told.text, message.uuid)];
  const images = typeof content === 'string' ? [] : content.filter((block) => isBlock(block, 'image'));
  const parts: acp.ContentBlock[] = [
    ...(told.text.trim() === '' ? [] : [{ type: 'text', text: told.text } as const]),
    ...images.flatMap(({ source }) => (source.type === 'base64' ? [{ type: 'image', mimeType: source.media_type, data: source.data } as const] : [])),
  ];
  return parts.map((part) => ({ sessionUpdate: 'user_message_chunk', messageId: message.uuid, content: part }));
}

function resultsIn(state: UpdateState, { message, tool_use_result: view }: SDKUserMessage): acp.SessionUpdate[] {
  if (typeof message.content === 'string') return [];
  const results = message.content.filter((block) => isBlock(block, 'tool_result'));
  return results.flatMap((block): acp.SessionUpdate[] => {
    const call = state.calls.get(block.tool_use_id);
    if (!call) return [];
    state.calls.delete(block.tool_use_id);
    const result = results.length === 1 ? view : undefined;
    const finished: acp.SessionUpdate = { sessionUpdate: 'tool_call_update', ...finishedCall(block, call.tool, result) };
    if (result?.kind !== 'todos') return [finished];
    return [finished, { sessionUpdate: 'plan', entries: result.todos.map(({ content, status }) => ({ content, status, priority: 'medium' })) }];
  });
}

function assistantUpdates(state: UpdateState, message: SDKAssistantMessage): acp.SessionUpdate[] {
  if (!message.isApiErrorMessage) return message.message.content.flatMap((block) => blockUpdates(state, message, block));
  state.toldError = textOf(message.message.content);
  return [...withdraw(state, false), noteUpdate(state.toldError, message.uuid)];
}

/** Of a text that was sent as it came, only what is missing is sent. */
function blockUpdates(state: UpdateState, { message }: SDKAssistantMessage, block: ContentBlock): acp.SessionUpdate[] {
  const number = state.blockCounts.get(message.id) ?? 0;
  state.blockCounts.set(message.id, number + 1);
  const id = `${message.id}:${number}`;
  const streamed = state.streamed.get(id) ?? '';
  state.streamed.delete(id);
  const rest = (text: string): string => (text.startsWith(streamed) ? text.slice(streamed.length) : text);
  if (isBlock(block, 'text')) return chunk('agent_message_chunk', id, rest(block.text));
  if (isBlock(block, 'thinking')) return chunk('agent_thought_chunk', id, rest(block.thinking));
  return isBlock(block, 'tool_use') ? announceCall(state, block) : [];
}

function streamUpdates(state: UpdateState, event: RawStreamEvent): acp.SessionUpdate[] {
  const { message, index, delta } = event;
  if (event.type === 'message_start') {
    const withdrawn = withdraw(state, false);
    state.streamingId = isJsonObject(message) && typeof message['id'] === 'string' ? message['id'] : undefined;
    return withdrawn;
  }
  if (event.type !== 'content_block_delta' || state.streamingId === undefined || typeof index !== 'number' || !isJsonObject(delta)) return [];
  const id = `${state.streamingId}:${index}`;
  const { type, text, thinking } = delta;
  const piece = type === 'text_delta' ? text : type === 'thinking_delta' ? thinking : undefined;
  if (typeof piece !== 'string') return [];
  state.streamed.set(id, (state.streamed.get(id) ?? '') + piece);
  return chunk(type === 'text_delta' ? 'agent_message_chunk' : 'agent_thought_chunk', id, piece);
}

function progressUpdates(state: UpdateState, id: string, text: string): acp.SessionUpdate[] {
  const call = state.calls.get(id);
  if (!call || text === '') return [];
  call.output = liveTail(call.output + text);
  return [{ sessionUpdate: 'tool_call_update', ...runningCall(id, call.output) }];
}

/** The protocol cannot take back what was sent, so that it does not count is said. */
function withdraw(state: UpdateState, isCertain: boolean): acp.SessionUpdate[] {
  const isHalf = [...state.streamed.values()].some((text) => text.trim() !== '');
  state.streamed.clear();
  state.streamingId = undefined;
  if (!isHalf && !isCertain) return [];
  return [...endCalls(state, 'Not run: the answer broke off.'), noteUpdate('*The answer broke off. What it said does not count and is not part of the conversation.*')];
}

function endCalls(state: UpdateState, why: string): acp.SessionUpdate[] {
  const ids = [...state.calls.keys()];
  state.calls.clear();
  return ids.map((id) => ({ sessionUpdate: 'tool_call_update', ...endedCall(id, why) }));
}

/** Why a turn was no success, where the conversation does not say it already. */
function resultUpdates(state: UpdateState, { is_error: isError, errors }: SDKResultMessage): acp.SessionUpdate[] {
  const ended = [...withdraw(state, false), ...endCalls(state, 'This was not carried out: the turn ended before it.')];
  if (state.isCancelled) return ended;
  const [first, ...others] = errors;
  const untold = isError && first !== undefined && first !== state.toldError ? errors : others;
  return [...ended, ...untold.map((text) => noteUpdate(text))];
}

function systemUpdates(message: Extract<SDKMessage, { type: 'system' }>): acp.SessionUpdate[] {
  switch (message.subtype) {
    case 'init':
      return [];
    case 'notice':
      return [noteUpdate(message.text, message.uuid)];
    case 'compact_boundary':
      return [noteUpdate('Earlier conversation summarised for the model; all of it is kept in the session.', message.uuid)];
    case 'api_retry':
      return [noteUpdate(retryText(message), message.uuid)];
  }
}

function chunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', messageId: string, text: string): acp.SessionUpdate[] {
  return text === '' ? [] : [{ sessionUpdate, messageId, content: { type: 'text', text } }];
}
