import type { JsonObject } from '../../base/json.ts';
import type { SessionSummary } from '../../protocol/chatView.ts';
import type { FileSystem } from '../ports.ts';
import { newestFirst, summariesIn } from './sessionList.ts';
import { foldersOf } from './transcriptPath.ts';
import { objectsIn } from './readLines.ts';

/** Bytes. Our own lines come with the first prompt and after each answer. */
const lookedAt = 64 * 1024;
/** Lines that only Turnstone writes. */
const ownTypes: ReadonlySet<unknown> = new Set(['session-state', 'fork-origin', 'permission-request', 'permission-decision', 'partial', 'charge', 'told', 'request-repair', 'change-set']);

/**
 * The sessions of Claude Code in a folder, newest first; `root` is its configuration folder (`~/.claude`). Left out is
 * what is no conversation: transcripts of sub-agents, and files that hold summaries or snapshots alone.
 */
export async function listClaudeSessions(files: FileSystem, root: string, cwd: string): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for (const folder of await foldersOf(files, root, cwd)) {
    for (const { summary, lines } of await summariesIn(files, folder, cwd)) {
      if (isConversation(lines, summary)) sessions.push({ ...summary, source: 'claude-code' });
    }
  }
  return newestFirst(sessions);
}

/** A transcript that Turnstone did not write, as far as can be told: nothing of ours stands at its beginning or its end. */
export async function isForeignTranscript(files: FileSystem, path: string): Promise<boolean> {
  const size = (await files.stat(path))?.size ?? 0;
  const head = objectsIn(await files.readRange(path, 0, lookedAt));
  const tail = size > lookedAt ? objectsIn(await files.readRange(path, Math.max(lookedAt, size - lookedAt), lookedAt)) : [];
  const lines = [...head, ...tail];
  return !lines.some(isOwn);
}

function isOwn(line: JsonObject): boolean {
  return ownTypes.has(line['type']) || (line['type'] === 'file-history-snapshot' && Array.isArray(line['files']));
}

function isConversation(lines: readonly JsonObject[], { messageCount }: SessionSummary): boolean {
  const said = lines.filter((line) => line['type'] === 'user' || line['type'] === 'assistant');
  // Of a large file only the ends are known.
  if (messageCount === null && said.length === 0) return true;
  return said.some((line) => line['isSidechain'] !== true);
}
