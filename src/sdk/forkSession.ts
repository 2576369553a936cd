import { TurnstoneError } from '../base/errors.ts';
import { forkTranscript } from '../engine/transcript/forkTranscript.ts';
import { loadTranscript } from '../engine/transcript/loadTranscript.ts';
import { transcriptPath } from '../engine/transcript/transcriptPath.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';
import { knownSession } from './findSession.ts';

export interface ForkOptions {
  /** Uuid of a session, or the path of its transcript. It is not changed. */
  readonly session: string;
  /** Uuid of a prompt of the conversation: the fork ends before it. Left out: the whole conversation is copied. */
  readonly messageId?: string | undefined;
  /** Working folder of the fork. Default: that of the session. */
  readonly cwd?: string | undefined;
  /** Default: `TURNSTONE_HOME`, else `~/.turnstone`. */
  readonly dataRoot?: string | undefined;
}

export interface ForkedSession {
  readonly sessionId: string;
  readonly transcriptPath: string;
  /** What the message at the cut said; '' without one. */
  readonly prompt: string;
}

/**
 * Begins a new session with the conversation of another one, up to a message. No file of the workspace is touched. What is
 * not yet written by a running turn is not copied. Rejects with `not_found` when there is no such session or message.
 */
export async function forkSession({ session, messageId, cwd, dataRoot = dataRootFrom() }: ForkOptions): Promise<ForkedSession> {
  const { path: source } = await knownSession(nodeFileSystem, dataRoot, session);
  const folder = cwd === undefined ? (await loadTranscript(nodeFileSystem, source)).cwd : await nodeFileSystem.realpath(cwd);
  if (folder === undefined) throw new TurnstoneError('configuration', 'The session does not say which folder it worked in: say where the fork shall work.');
  const sessionId = crypto.randomUUID();
  const target = transcriptPath(dataRoot, folder, sessionId);
  const { prompt } = await forkTranscript(nodeFileSystem, { source, target, sessionId, cwd: folder, messageId, timestamp: new Date().toISOString() });
  return { sessionId, transcriptPath: target, prompt };
}
