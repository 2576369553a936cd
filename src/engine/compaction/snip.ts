import { isBlock, toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { ConversationMessage, SessionMessage } from '../../protocol/messages.ts';
import { isRequest, resultText, toolResultsOf } from './toolCalls.ts';
import type { ToolCalls } from './toolCalls.ts';

const emptySearch = /^No (?:matches|files) found\.$/;
/** Refused without a word: a reason that the user gave would be something to remember. */
const refused = /^(?:The user rejected this\. Nothing was changed\. Ask what they want|Not run: the user rejected an earlier call)/;

/**
 * Stage 2: exchanges that carry nothing are left out: searches that found nothing, calls that were refused
 * without a reason, reads of a file that was read again. Only before the last request that met a cold cache
 * (`coldPoint`), so that no warm one is broken and no turn that is still going is touched.
 */
export function snip(messages: readonly SessionMessage[], calls: ToolCalls, coldPoint: number): readonly SessionMessage[] {
  const limit = coldPoint < 0 ? -1 : messages.slice(0, coldPoint + 1).findLastIndex(isRequest);
  if (limit <= 0) return messages;
  const empty = withoutBrokenThinking(emptyExchanges(messages.slice(0, limit), calls), messages);
  if (empty.size === 0) return messages;
  const answers = answersWith(messages, empty);
  return messages.map((message, index) => (index >= limit || message.type === 'system' ? message : without(message, empty, answers)));
}

/** Ids of calls that, with their results, tell the model nothing. */
function emptyExchanges(messages: readonly SessionMessage[], calls: ToolCalls): ReadonlySet<string> {
  const empty = new Set<string>();
  const readLater = new Set<string>();
  for (const message of messages.toReversed()) {
    for (const result of toolResultsOf(message)) {
      const call = calls.get(result.tool_use_id);
      if (call && (saysNothing(call, result) || isSuperseded(call, readLater))) empty.add(call.id);
      else if (call?.name === 'Read' && !result.is_error) readLater.add(partRead(call));
    }
  }
  return empty;
}

/** Thinking and the calls it led to go together or stay together: the server takes no half of it while it may count as still going on. */
function withoutBrokenThinking(empty: ReadonlySet<string>, messages: readonly SessionMessage[]): ReadonlySet<string> {
  const assistant = messages.filter((message) => message.type === 'assistant');
  const thoughtful = new Set(assistant.filter(({ message }) => message.content.some(isThinking)).map(({ message }) => message.id));
  const kept = new Set(assistant.filter(({ message }) => toolUsesOf(message.content).some((call) => !empty.has(call.id))).map(({ message }) => message.id));
  const broken = assistant.filter(({ message }) => thoughtful.has(message.id) && kept.has(message.id)).flatMap(({ message }) => toolUsesOf(message.content).map((call) => call.id));
  return broken.length === 0 ? empty : new Set([...empty].filter((id) => !broken.includes(id)));
}

function saysNothing(call: ToolUseBlock, result: ToolResultBlock): boolean {
  const text = resultText(result);
  if (result.is_error) return refused.test(text);
  return (call.name === 'Grep' || call.name === 'Glob') && emptySearch.test(text);
}

/** The same part, or the whole file, was read again further on. */
function isSuperseded(call: ToolUseBlock, readLater: ReadonlySet<string>): boolean {
  if (call.name !== 'Read') return false;
  return readLater.has(partRead(call)) || readLater.has(partRead({ ...call, input: { file_path: call.input['file_path'] } }));
}

function partRead({ input }: ToolUseBlock): string {
  return JSON.stringify([input['file_path'], input['offset'] ?? null, input['limit'] ?? null]);
}

/** Ids of the API messages that lose a call. Their thinking goes, too: it led to what is no longer there. */
function answersWith(messages: readonly SessionMessage[], empty: ReadonlySet<string>): ReadonlySet<string> {
  const answers = new Set<string>();
  for (const message of messages) {
    if (message.type === 'assistant' && toolUsesOf(message.message.content).some((call) => empty.has(call.id))) answers.add(message.message.id);
  }
  return answers;
}

/** What was made of a message before, so that it stays the same object. */
const made = new WeakMap<ConversationMessage, { readonly key: string; readonly message: ConversationMessage }>();

/** A message that is left without content stays in its place, empty; normalisation drops it. */
function without(message: ConversationMessage, empty: ReadonlySet<string>, answers: ReadonlySet<string>): ConversationMessage {
  const { content } = message.message;
  if (typeof content === 'string') return message;
  const losesThinking = message.type === 'assistant' && answers.has(message.message.id);
  const kept = content.filter((block) => !isLeftOut(block, empty, losesThinking));
  if (kept.length === content.length) return message;
  const key = kept.map((block) => content.indexOf(block)).join(' ');
  const known = made.get(message);
  if (known?.key === key) return known.message;
  const shorter = { ...message, message: { ...message.message, content: kept } } as ConversationMessage;
  made.set(message, { key, message: shorter });
  return shorter;
}

function isLeftOut(block: ContentBlock, empty: ReadonlySet<string>, losesThinking: boolean): boolean {
  if (isBlock(block, 'tool_use')) return empty.has(block.id);
  if (isBlock(block, 'tool_result')) return empty.has(block.tool_use_id);
  return losesThinking && isThinking(block);
}

function isThinking(block: ContentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
