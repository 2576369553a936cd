import { listSessions as list } from '../engine/transcript/sessionList.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';
import type { SessionSummary } from '../protocol/chatView.ts';

export interface SessionQuery {
  /** Absolute. */
  readonly cwd: string;
  readonly dataRoot?: string | undefined;
}

/** Sessions of a folder, newest first. Reads the head and tail of each transcript only. */
export async function listSessions(query: SessionQuery): Promise<readonly SessionSummary[]> {
  const cwd = await nodeFileSystem.realpath(query.cwd);
  return list(nodeFileSystem, query.dataRoot ?? dataRootFrom(), cwd);
}

export async function latestSessionId(query: SessionQuery): Promise<string | undefined> {
  return (await listSessions(query))[0]?.sessionId;
}
