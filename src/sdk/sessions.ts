import { searchSessions as search } from '../engine/transcript/searchSessions.ts';
import { listClaudeSessions } from '../engine/transcript/claudeSessions.ts';
import { latestSessionId as latest, listSessions as listOwn, newestFirst } from '../engine/transcript/sessionList.ts';
import { claudeRootFrom, dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';
import type { SessionMatch, SessionSummary } from '../protocol/chatView.ts';
import { knownSession } from './findSession.ts';

export interface SessionQuery {
  /** Absolute. */
  readonly cwd: string;
  readonly dataRoot?: string | undefined;
}

export interface SessionSearch {
  /** As {@link listSessions} gives them. */
  readonly sessions: readonly SessionSummary[];
  readonly words: string;
  readonly dataRoot?: string | undefined;
}

/** Sessions of a folder, newest first, those of Claude Code among them. Reads the head and tail of each transcript only. */
export async function listSessions(query: SessionQuery): Promise<readonly SessionSummary[]> {
  const cwd = await nodeFileSystem.realpath(query.cwd);
  const own = await listOwn(nodeFileSystem, query.dataRoot ?? dataRootFrom(), cwd);
  return newestFirst([...own, ...(await listClaudeSessions(nodeFileSystem, claudeRootFrom(), cwd))]);
}

/**
 * Looks for words in titles and contents, and yields what it finds as it goes. Ends early, without an error, when `signal`
 * says so. Returns how many sessions could not be read.
 */
export async function* searchSessions({ sessions, words, dataRoot = dataRootFrom() }: SessionSearch, signal: AbortSignal): AsyncGenerator<SessionMatch, { readonly unreadable: number }, void> {
  const pathOf = async ({ sessionId }: SessionSummary): Promise<string> => (await knownSession(nodeFileSystem, dataRoot, sessionId)).path;
  return yield* search({ files: nodeFileSystem, sessions, pathOf, words }, signal);
}

/** Of our own. */
export async function latestSessionId({ cwd, dataRoot = dataRootFrom() }: SessionQuery): Promise<string | undefined> {
  return latest(nodeFileSystem, dataRoot, await nodeFileSystem.realpath(cwd));
}
