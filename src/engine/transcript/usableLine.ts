import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { assistantLineSchema, rewindLineSchema, systemLineSchema, userLineSchema } from '../../protocol/transcript.ts';
import { isSaid, saidContent } from './saidBlocks.ts';

/** Follows nothing that can be read; the reader joins it to the line before. No line has this uuid. */
const unreadableParent = '';

export interface UsableLine {
  /** Mostly the line itself; where some of it is damaged, a copy without that. */
  readonly value: JsonObject;
  /** What is lost of what it says: nothing, some blocks of its content, everything. */
  readonly lost: 'nothing' | 'part' | 'all';
}

/** A parsed line as it can be used. Types that are not part of the conversation come back as they are. */
export function usableLine(line: JsonObject): UsableLine {
  if (typeof line['type'] !== 'string') return { value: line, lost: 'all' };
  if (!isConversationLine(line)) return { value: line, lost: line['type'] === 'rewind' && !rewindLineSchema.safeParse(line).success ? 'all' : 'nothing' };
  if (isSound(line)) return { value: line, lost: 'nothing' };
  const value = withoutDamage(line);
  if (!isSound(value)) return { value: line, lost: 'all' };
  const [before, after] = [contentIn(line), contentIn(value)];
  if (!Array.isArray(before) || !Array.isArray(after)) return { value, lost: 'nothing' };
  if (after.length === 0 && before.length > 0) return { value: line, lost: 'all' };
  return { value, lost: before.length === after.length && before.every((block, index) => isAllThere(block, after[index])) ? 'nothing' : 'part' };
}

/** What other tools add to a block, and the API does not take, is no loss; what is in it would be. */
function isAllThere(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (!isJsonObject(before) || !isJsonObject(after)) return false;
  const [inner, kept] = [before['content'], after['content']];
  if (!Array.isArray(inner) || !Array.isArray(kept)) return inner === kept && (inner !== undefined || after['type'] !== 'tool_result');
  return inner.length === kept.length && inner.every((block, index) => isAllThere(block, kept[index]));
}

/** Of a type that says something in the conversation; only these can be its end. */
export function isConversationLine(line: JsonObject): boolean {
  return line['type'] === 'user' || line['type'] === 'assistant' || isCompactBoundary(line);
}

export function isCompactBoundary(line: JsonObject): boolean {
  return line['type'] === 'system' && line['subtype'] === 'compact_boundary';
}

/** Content of a message in which all that we read of it is there. */
export function isSoundContent(content: unknown): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.every(isSoundBlock));
}

function isSound(line: JsonObject): boolean {
  if (line['type'] === 'system') return isChained(line) || systemLineSchema.safeParse(line).success;
  const isUser = line['type'] === 'user';
  if (!isAsWritten(line) && !(isUser ? userLineSchema : assistantLineSchema).safeParse(line).success) return false;
  const { content, usage } = line['message'] as JsonObject;
  return isSoundContent(content) && (isUser ? isSaid(content) : isSoundUsage(usage)) && isSoundResult(line['toolUseResult']);
}

/** What the schemas ask for of a line as we write it, asked in a fraction of their time; content and usage are looked at apart. */
function isAsWritten(line: JsonObject): boolean {
  const { isMeta, isApiErrorMessage, type, message } = line;
  if (!isChained(line)) return false;
  if (isMeta !== undefined || isApiErrorMessage !== undefined || !isJsonObject(message) || message['role'] !== type) return false;
  if (type === 'user') return true;
  const { id, model, stop_reason: stopReason, content } = message;
  return typeof id === 'string' && typeof model === 'string' && (typeof stopReason === 'string' || stopReason === null) && Array.isArray(content);
}

function isChained({ uuid, parentUuid, sessionId, timestamp, cwd, version }: JsonObject): boolean {
  return (typeof parentUuid === 'string' || parentUuid === null) && [uuid, sessionId, timestamp, cwd, version].every((value) => typeof value === 'string');
}

function withoutDamage(line: JsonObject): JsonObject {
  const { message, parentUuid } = line;
  return {
    ...line,
    parentUuid: typeof parentUuid === 'string' || parentUuid === null ? parentUuid : line['type'] === 'system' ? null : unreadableParent,
    sessionId: stringOr(line['sessionId'], ''),
    timestamp: stringOr(line['timestamp'], ''),
    cwd: stringOr(line['cwd'], undefined),
    version: stringOr(line['version'], undefined),
    isMeta: line['isMeta'] === true,
    isApiErrorMessage: line['isApiErrorMessage'] === true,
    toolUseResult: isSoundResult(line['toolUseResult']) ? line['toolUseResult'] : undefined,
    message: isJsonObject(message) ? (line['type'] === 'user' ? soundQuestion(message) : soundAnswer(message)) : message,
  };
}

function contentIn(line: JsonObject): unknown {
  return isJsonObject(line['message']) ? line['message']['content'] : undefined;
}

function soundQuestion(message: JsonObject): JsonObject {
  return { ...message, role: 'user', content: saidContent(soundBlocks(message['content'])) };
}

function soundAnswer(message: JsonObject): JsonObject {
  return {
    ...message,
    role: 'assistant',
    // Some tools that write such files give it as a text.
    content: typeof message['content'] === 'string' ? [{ type: 'text', text: message['content'] }] : soundBlocks(message['content']),
    id: stringOr(message['id'], undefined),
    model: stringOr(message['model'], undefined),
    stop_reason: stringOr(message['stop_reason'], null),
    usage: isSoundUsage(message['usage']) ? message['usage'] : undefined,
  };
}

/** A result keeps its place, whatever happened to its content: it answers a call. */
function soundBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.flatMap((block: unknown) => {
    if (isSoundBlock(block)) return [block];
    if (!isJsonObject(block) || block['type'] !== 'tool_result') return [];
    const inner = block['content'];
    return [{ ...block, content: Array.isArray(inner) ? inner.filter(isSoundBlock) : undefined }];
  });
}

function stringOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}

/** Absent, or with the two counts that are always there and no count that is none. */
function isSoundUsage(usage: unknown): boolean {
  if (usage === undefined) return true;
  if (!isJsonObject(usage) || typeof usage['input_tokens'] !== 'number' || typeof usage['output_tokens'] !== 'number') return false;
  const optional = [usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
  return optional.every((count) => count === undefined || count === null || typeof count === 'number');
}

function isSoundBlock(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'thinking':
      return typeof block['thinking'] === 'string' && typeof block['signature'] === 'string';
    case 'redacted_thinking':
      return typeof block['data'] === 'string';
    case 'tool_use':
      return typeof block['id'] === 'string' && typeof block['name'] === 'string' && isJsonObject(block['input']);
    case 'tool_result':
      // One that belongs to no call is not sent.
      return block['content'] === undefined || isSoundContent(block['content']);
    case 'image':
    case 'document':
      return isJsonObject(block['source']) && typeof block['source']['type'] === 'string';
    default:
      return typeof block['type'] === 'string';
  }
}

/** Claude Code keeps other shapes here; of ours, all that is shown must be there. */
function isSoundResult(result: unknown): boolean {
  if (!isJsonObject(result)) return true;
  switch (result['kind']) {
    case 'edit':
      return isSoundChange(result['change']);
    case 'edits':
      return Array.isArray(result['changes']) && result['changes'].every(isSoundChange);
    case 'shell':
      return typeof result['output'] === 'string' && (result['exitCode'] === null || typeof result['exitCode'] === 'number');
    case 'read':
      return typeof result['path'] === 'string' && typeof result['lineCount'] === 'number';
    case 'todos':
      return Array.isArray(result['todos']) && result['todos'].every(isSoundTodo);
    case 'search':
      return typeof result['count'] === 'number';
    case 'refused':
      return true;
    default:
      return typeof result['kind'] !== 'string';
  }
}

function isSoundChange(change: unknown): boolean {
  return isJsonObject(change) && typeof change['path'] === 'string' && typeof change['diff'] === 'string' && typeof change['linesAdded'] === 'number' && typeof change['linesRemoved'] === 'number';
}

function isSoundTodo(todo: unknown): boolean {
  return isJsonObject(todo) && typeof todo['content'] === 'string' && typeof todo['status'] === 'string' && typeof todo['activeForm'] === 'string';
}
