import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { SessionMatch, SessionSummary } from '../../protocol/chatView.ts';
import type { FileSystem } from '../ports.ts';
import { parseObjects, readLines } from './readLines.ts';

/** Of what stands around the place that was found. UTF-16 units. */
const contextBefore = 40;
const contextAfter = 120;

export interface SearchRequest {
  readonly files: FileSystem;
  readonly sessions: readonly SessionSummary[];
  /** Of the transcript. */
  readonly pathOf: (session: SessionSummary) => Promise<string>;
  /** In any case of letters; white space stands for any. */
  readonly words: string;
}

/**
 * Looks for words in titles and then in what was said, run and printed. Yields each session once, as soon as it is found: by title all at once, then by content in the order
 * given, reading one file after the other and each only as far as it has to. Returns how many could not be read.
 */
export async function* searchSessions({ files, sessions, pathOf, words: text }: SearchRequest, signal: AbortSignal): AsyncGenerator<SessionMatch, { readonly unreadable: number }, void> {
  const words = text.trim().split(/\s+/);
  if (words[0] === '') return { unreadable: 0 };
  const pattern = new RegExp(words.map(literal).join('\\s+'), 'i');
  const byTitle = new Set(sessions.filter(({ title }) => pattern.test(title)));
  for (const { sessionId } of byTitle) yield { sessionId };
  const maybe = mayHold(words);
  let unreadable = 0;
  for (const session of sessions) {
    if (signal.aborted) break;
    if (byTitle.has(session)) continue;
    try {
      const excerpt = await findIn(files, await pathOf(session), { pattern, maybe }, signal);
      if (excerpt) yield { sessionId: session.sessionId, excerpt };
    } catch {
      unreadable++;
    }
  }
  return { unreadable };
}

interface Wanted {
  readonly pattern: RegExp;
  /** Whether the text of a line is worth parsing. */
  readonly maybe: (line: string) => boolean;
}

async function findIn(files: FileSystem, path: string, { pattern, maybe }: Wanted, signal: AbortSignal): Promise<SessionMatch['excerpt']> {
  for await (const { text } of readLines(files, path)) {
    if (signal.aborted) return undefined;
    if (!maybe(text)) continue;
    for (const line of parseObjects(text).objects) {
      for (const said of textsOf(line)) {
        const match = pattern.exec(said);
        if (match) return excerptOf(said, match.index, match[0].length);
      }
    }
  }
  return undefined;
}

/** Most lines are out without being parsed: a line that holds the words holds each of them, or hides letters in escapes. */
function mayHold(words: readonly string[]): (line: string) => boolean {
  const patterns = words.map((word) => new RegExp(literal(JSON.stringify(word).slice(1, -1)), 'i'));
  return (line) => patterns.every((pattern) => pattern.test(line)) || line.includes('\\u');
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What a person could remember of a line. What was told to the model beside the conversation is in every session alike. */
function textsOf(line: JsonObject): readonly string[] {
  if ((line['type'] !== 'user' && line['type'] !== 'assistant') || line['isMeta'] === true || !isJsonObject(line['message'])) return [];
  const { content } = line['message'];
  return typeof content === 'string' ? [content] : Array.isArray(content) ? content.flatMap(textsOfBlock) : [];
}

function textsOfBlock(block: unknown): readonly string[] {
  if (!isJsonObject(block)) return [];
  switch (block['type']) {
    case 'text':
    case 'thinking':
      return stringsIn(block[block['type']]);
    case 'tool_use':
      return stringsIn(block['input']);
    case 'tool_result':
      return Array.isArray(block['content']) ? block['content'].flatMap(textsOfBlock) : stringsIn(block['content']);
    default:
      return [];
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function excerptOf(text: string, at: number, length: number): NonNullable<SessionMatch['excerpt']> {
  const line = (part: string): string => part.replaceAll(/\s+/g, ' ').toWellFormed();
  const start = Math.max(0, at - contextBefore);
  const end = at + length;
  return {
    before: (start > 0 ? '…' : '') + line(text.slice(start, at)).trimStart(),
    match: line(text.slice(at, end)),
    after: line(text.slice(end, end + contextAfter)).trimEnd() + (end + contextAfter < text.length ? '…' : ''),
  };
}
