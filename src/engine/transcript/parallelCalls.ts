import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';

/**
 * Claude Code chains the calls of one message and their results side by side, so that a path from leaf to root meets
 * only one of them. This adds the others: blocks of messages that are on the path, and results of calls that have none
 * there. In our own transcripts, which are chained in one line, it finds nothing. Order is that of `candidates`.
 */
export function withParallelCalls(path: readonly TranscriptEntry[], candidates: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const onPath = new Set(path);
  const messageIds = new Set(path.flatMap(({ value }) => messageIdOf(value) ?? []));
  const siblings = candidates.filter((entry) => !onPath.has(entry) && messageIds.has(messageIdOf(entry.value) ?? ''));
  const open = new Set([...path, ...siblings].flatMap(({ value }) => blockFields(value, 'tool_use', 'id')));
  for (const { value } of path) for (const id of blockFields(value, 'tool_result', 'tool_use_id')) open.delete(id);
  const results = candidates.filter((entry) => !onPath.has(entry) && blockFields(entry.value, 'tool_result', 'tool_use_id').some((id) => open.delete(id)));
  if (siblings.length + results.length === 0) return path;
  const included = new Set([...path, ...siblings, ...results]);
  const position = new Map(candidates.map((entry, index) => [entry, index]));
  // Lines that can't be candidates (progress) stay behind the one that they followed.
  let last = -1;
  for (const entry of path) position.set(entry, (last = position.get(entry) ?? last + 0.001));
  return [...included].sort((a, b) => position.get(a)! - position.get(b)!);
}

function messageIdOf(line: JsonObject): string | undefined {
  const message = line['message'];
  const id = line['type'] === 'assistant' && isJsonObject(message) ? message['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function blockFields(line: JsonObject, type: string, field: string): string[] {
  const message = line['message'];
  const content = isJsonObject(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => (isJsonObject(block) && block['type'] === type && typeof block[field] === 'string' ? [block[field]] : []));
}
