import { isJsonObject, tryParseJson, type JsonObject } from '../../base/json.ts';
import { cutText } from '../../base/text.ts';
import type { SessionSummary } from '../../protocol/chatView.ts';
import { textOf } from '../../protocol/contentBlocks.ts';
import type { FileSystem } from '../ports.ts';
import { contentOf, isPrompt } from './loadTranscript.ts';
import { objectsIn, parseObjects } from './readLines.ts';
import { isLabelLine, labelsOf } from './sessionLabels.ts';
import { joinPath, projectFolder, withoutFinalSeparator } from './transcriptPath.ts';

/** Only so much is read of the head and of the tail of each file. Bytes. */
const readSize = 64 * 1024;
/** And this is mostly enough. */
const quickReadSize = 8 * 1024;
/** Files that are looked at at once: more than the threads that read them, so that none waits. */
const atOnce = 16;
/** Of a title made of a prompt. UTF-16 units. */
const longestTitle = 80;

export interface ListSessionsOptions {
  /** At most this many, the newest. */
  readonly limit?: number | undefined;
}

/** The sessions of a folder, newest first, however large or damaged their files are. */
export async function listSessions(files: FileSystem, dataRoot: string, cwd: string, options: ListSessionsOptions = {}): Promise<SessionSummary[]> {
  const sessions = await summariesIn(files, projectFolder(dataRoot, cwd), cwd);
  return newestFirst(sessions.map(({ summary }) => summary)).slice(0, options.limit);
}

export function newestFirst(sessions: readonly SessionSummary[]): SessionSummary[] {
  return sessions.toSorted((a, b) => (a.modified < b.modified ? 1 : a.modified > b.modified ? -1 : 0));
}

/** A session, and what was read of the beginning and the end of its file. */
interface SessionFile {
  readonly summary: SessionSummary;
  readonly lines: readonly JsonObject[];
}

/** Of one folder, those that worked in `cwd`; in no order. */
export async function summariesIn(files: FileSystem, folder: string, cwd: string): Promise<SessionFile[]> {
  if ((await files.stat(folder))?.kind !== 'folder') return [];
  const names = (await files.readFolder(folder)).flatMap(({ name, kind }) => (kind === 'file' && name.endsWith('.jsonl') ? [name] : []));
  const sessions: SessionFile[] = [];
  const work = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const session = await readSession(files, joinPath(folder, name));
      if (session && isOf(cwd, session)) sessions.push(session);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return sessions;
}

export async function latestSessionId(files: FileSystem, dataRoot: string, cwd: string): Promise<string | undefined> {
  return (await listSessions(files, dataRoot, cwd, { limit: 1 }))[0]?.sessionId;
}

/** Where it worked, as its first lines say. */
export function folderOf({ lines }: SessionFile): string | undefined {
  return lines.find((line) => typeof line['cwd'] === 'string')?.['cwd'] as string | undefined;
}

/** Different folders may share a sanitised name. One line that says so is enough: another may be damaged, or of a subfolder. */
function isOf(cwd: string, { lines }: SessionFile): boolean {
  const own = lines.flatMap((line) => (typeof line['cwd'] === 'string' ? [line['cwd']] : []));
  return own.length === 0 || own.some((folder) => isSameFolder(folder, cwd));
}

/** Undefined for one that vanished meanwhile. */
export async function readSession(files: FileSystem, path: string): Promise<SessionFile | undefined> {
  const stat = await files.stat(path);
  if (!stat) return undefined;
  const quick = stat.size > readSize ? await readEnds(files, path, stat.size) : undefined;
  const { head, headLines, tailLines } = quick ?? (await readMore(files, path, stat.size));
  const lines = tailLines === headLines ? headLines : [...headLines, ...tailLines];
  const labels = labelsOf(lines);
  const summary: SessionSummary = {
    sessionId: path.split(/[\\/]/).at(-1)!.replace(/\.jsonl$/, ''),
    title: labels.customTitle ?? labels.aiTitle ?? firstPrompt(lines) ?? promptIn(head) ?? 'Untitled session',
    modified: lastTimestamp(tailLines) ?? new Date(stat.mtimeMs).toISOString(),
    messageCount: stat.size <= readSize ? headLines.filter((line) => isPrompt(line) || line['type'] === 'assistant').length : null,
    size: stat.size,
    ...(labels.pinned && { pinned: true }),
  };
  return { summary, lines };
}

interface Ends {
  readonly head: Uint8Array;
  readonly headLines: readonly JsonObject[];
  readonly tailLines: readonly JsonObject[];
}

/** Of our own large sessions: where it worked is said at once, and what it is called in its newest state. Undefined where that is not enough. */
async function readEnds(files: FileSystem, path: string, size: number): Promise<Ends | undefined> {
  const [head, tail] = await Promise.all([files.readRange(path, 0, quickReadSize), files.readRange(path, size - quickReadSize, quickReadSize)]);
  const tailLines: JsonObject[] = [];
  const texts = new TextDecoder().decode(tail).split('\n');
  // The first is cut.
  for (const text of texts.slice(1).reverse()) {
    tailLines.unshift(...parseObjects(text).objects);
    if (tailLines[0]?.['type'] === 'session-state') break;
  }
  const { customTitle, aiTitle } = labelsOf(tailLines);
  if (tailLines[0]?.['type'] !== 'session-state' || (customTitle ?? aiTitle) === undefined) return undefined;
  const first = new TextDecoder().decode(head).split('\n', 1)[0]!;
  const headLines = parseObjects(first).objects;
  return headLines.some((line) => typeof line['cwd'] === 'string') ? { head, headLines, tailLines } : undefined;
}

async function readMore(files: FileSystem, path: string, size: number): Promise<Ends> {
  const head = await files.readRange(path, 0, readSize);
  const headLines = objectsIn(head);
  if (size <= readSize) return { head, headLines, tailLines: headLines };
  return { head, headLines, tailLines: objectsIn(await files.readRange(path, Math.max(0, size - readSize), readSize)) };
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
  const value = lines.findLast((line) => typeof line['timestamp'] === 'string' && !isLabelLine(line))?.['timestamp'] as string | undefined;
  return value !== undefined && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
}

function isSameFolder(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** A closing separator and the letter case of a drive don't make another folder. */
function comparable(path: string): string {
  return withoutFinalSeparator(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}
