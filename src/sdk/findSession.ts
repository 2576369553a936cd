import { TurnstoneError } from '../base/errors.ts';
import type { FileSystem } from '../engine/ports.ts';
import { isForeignTranscript } from '../engine/transcript/claudeSessions.ts';
import { findTranscript, joinPath } from '../engine/transcript/transcriptPath.ts';
import { claudeRootFrom } from '../platform/nodeEnvironment.ts';

export interface FoundSession {
  readonly path: string;
  /** Claude Code wrote it, or something else that is not Turnstone: it is read and never written. */
  readonly isForeign: boolean;
}

/** By uuid or by the path of its transcript: of ours, then of Claude Code's. */
export async function findSession(files: FileSystem, dataRoot: string, idOrPath: string): Promise<FoundSession | undefined> {
  const own = await findTranscript(files, dataRoot, idOrPath);
  const path = own ?? (await findTranscript(files, claudeRootFrom(), idOrPath));
  if (path === undefined) return undefined;
  const projects = joinPath(joinPath(await files.realpath(dataRoot), 'projects'), '');
  const isOurs = (await files.realpath(path)).startsWith(projects);
  return { path, isForeign: !isOurs && (own === undefined || (await isForeignTranscript(files, path))) };
}

/** Rejects with `not_found`. */
export async function knownSession(files: FileSystem, dataRoot: string, idOrPath: string): Promise<FoundSession> {
  const found = await findSession(files, dataRoot, idOrPath);
  if (!found) throw new TurnstoneError('not_found', `There is no session ${idOrPath} in ${dataRoot}.`);
  return found;
}

export const foreignText = 'This is a session of Claude Code. It is shown as it is in its file, which is never written to.';

export function foreignError(path: string): TurnstoneError {
  return new TurnstoneError('session_in_use', `${path} is a session of Claude Code, and its file is never written to. Nothing was sent. Go on in a copy of it (on the command line: --fork-session).`);
}
