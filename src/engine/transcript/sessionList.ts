import { isJsonObject, tryParseJson, type JsonObject } from '../../base/json.ts';
import { cutText } from '../../base/text.ts';
import type { SessionSummary } from '../../protocol/chatView.ts';
import { textOf } from '../../protocol/contentBlocks.ts';
import type { FileSystem } from '../ports.ts';
import { contentOf, isPrompt } from './loadTranscript.ts';
import { parseObjects } from './readLines.ts';
import { joinPath, projectFolder, withoutFinalSeparator } from './transcriptPath.ts';

/** SPEC P4: only so much is read of the head and of the tail of each file. Bytes. */
const readSize = 64 * 1024;
/** Of a title made of a prompt. UTF-16 units. */
const longestTitle = 80;

export interface ListSessionsOptions {
  /** At most this many, the newest. */
  readonly limit?: number | undefined;
}

/** The sessions of a folder, newest first, however large or damaged their files are. */
export async function listSessions(files: FileSystem, dataRoot: string, cwd: string, options: ListSessionsOptions = {}): Promise<SessionSummary[]> {
  const folder = projectFolder(dataRoot, cwd);
  if ((await files.stat(folder))?.kind !== 'folder') return [];
  const sessions: SessionSummary[] = [];
  for (const { name, kind } of await files.readFolder(folder)) {
    if (kind !== 'file' || !name.endsWith('.jsonl')) continue;
    const summary = await summaryOf(files, joinPath(folder, name), cwd);
    if (summary) sessions.push(summary);
  }
  sessions.sort((a, b) => (a.modified < b.modified ? 1 : a.modified > b.modified ? -1 : 0));
  return sessions.slice(0, options.limit);
}

export async function latestSessionId(files: FileSystem, dataRoot: string, cwd: string): Promise<string | undefined> {
  return (await listSessions(files, dataRoot, cwd, { limit: 1 }))[0]?.sessionId;
}

/** Undefined for a session of another folder with the same sanitised name, and for one that vanished meanwhile. */
async function summaryOf(files: FileSystem, path: string, cwd: string): Promise<SessionSummary | undefined> {
  const stat = await files.stat(path);
  if (!stat) return undefined;
  const head = await files.readRange(path, 0, readSize);
  const tail = stat.size <= readSize ? head : await files.readRange(path, Math.max(0, stat.size - readSize), readSize);
  const headLines = objectsIn(head);
  const tailLines = tail === head ? headLines : objectsIn(tail);
  const lines = tail === head ? headLines : [...headLines, ...tailLines];
  const ownCwd = lines.find((line) => typeof line['cwd'] === 'string')?.['cwd'] as string | undefined;
  if (ownCwd !== undefined && !isSameFolder(ownCwd, cwd)) return undefined;
  return {
    sessionId: path.split(/[\\/]/).at(-1)!.replace(/\.jsonl$/, ''),
    title: titleOf(lines) ?? promptIn(head) ?? 'Untitled session',
    modified: lastTimestamp(tailLines) ?? new Date(stat.mtimeMs).toISOString(),
    messageCount: stat.size <= readSize ? headLines.filter((line) => isPrompt(line) || line['type'] === 'assistant').length : null,
  };
}

/** Whole objects among some bytes; lines that are cut at either end fall out. */
function objectsIn(bytes: Uint8Array): JsonObject[] {
  return new TextDecoder().decode(bytes).split('\n').flatMap((line) => parseObjects(line).objects);
}

function titleOf(lines: readonly JsonObject[]): string | undefined {
  const last = (field: string): string | undefined => lines.findLast((line) => typeof line[field] === 'string' && line[field] !== '')?.[field] as string | undefined;
  return last('customTitle') ?? last('aiTitle') ?? firstPrompt(lines);
}

function firstPrompt(lines: readonly JsonObject[]): string | undefined {
  for (const line of lines) {
    if (!isPrompt(line)) continue;
    const text = textOf(contentOf(line)!).trim();
    // Claude Code tells of local commands in tags of its own.
    if (text !== '' && !/^<(command-|local-command|bash-|system-reminder)/.test(text)) return firstWords(text);
  }
  return undefined;
}

/** The first prompt may be longer than what was read of its line (a pasted file): then its beginning is enough. */
function promptIn(head: Uint8Array): string | undefined {
  const cutLine = new TextDecoder().decode(head).split('\n').at(-1)!;
  const match = /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.){1,400})/.exec(cutLine);
  const text = match && tryParseJson(`{"text":"${match[1]}"}`);
  return isJsonObject(text) && typeof text['text'] === 'string' ? firstWords(text['text'].trim()) : undefined;
}

function firstWords(text: string): string {
  const line = text.split('\n', 1)[0]!.trim();
  if (line.length <= longestTitle) return line;
  const cut = cutText(line, longestTitle);
  return `${cutText(cut, Math.max(cut.lastIndexOf(' '), longestTitle / 2))}…`;
}

function lastTimestamp(lines: readonly JsonObject[]): string | undefined {
  const value = lines.findLast((line) => typeof line['timestamp'] === 'string')?.['timestamp'] as string | undefined;
  return value !== undefined && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
}

function isSameFolder(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** A closing separator and the letter case of a drive don't make another folder. */
function comparable(path: string): string {
  return withoutFinalSeparator(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}
