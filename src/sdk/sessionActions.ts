import { errorText, TurnstoneError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { gcBlobs } from '../engine/fileHistory/gcBlobs.ts';
import { folderOf, readSession } from '../engine/transcript/sessionList.ts';
import { usableTitle } from '../engine/transcript/sessionLabels.ts';
import type { CustomTitleLine, PinLine } from '../protocol/transcript.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem as files } from '../platform/nodeFileSystem.ts';
import { SessionTrash, type TrashedSession } from '../platform/sessionTrash.ts';
import { knownSession } from './findSession.ts';
import { SessionTranscriptLock } from './transcriptLock.ts';

export interface SessionPlace {
  /** Uuid of a session, or the path of its transcript. */
  readonly session: string;
  /** Default: `TURNSTONE_HOME`, else `~/.turnstone`. */
  readonly dataRoot?: string | undefined;
}

/**
 * What is done to a session that nobody has open. One that is open is named and pinned by whoever has it
 * (`Session.rename`, `Session.setPinned`): here it is refused with `session_in_use`, and so is one of Claude Code.
 */
export async function renameSession(place: SessionPlace, title: string): Promise<void> {
  const customTitle = usableTitle(title);
  return withSession(place, (path, sessionId) => addLine(path, { type: 'custom-title', sessionId, timestamp: new Date().toISOString(), customTitle } satisfies CustomTitleLine));
}

export function pinSession(place: SessionPlace, pinned: boolean): Promise<void> {
  return withSession(place, (path, sessionId) => addLine(path, { type: 'session-pin', sessionId, timestamp: new Date().toISOString(), pinned } satisfies PinLine));
}

/** Moves a session to Turnstone's own trash, with all that belongs to it. Returns where it is there, to be given back. */
export async function deleteSession(place: SessionPlace, title: string): Promise<string> {
  const dataRoot = place.dataRoot ?? dataRootFrom();
  return withSession(place, async (path) => {
    try {
      return await new SessionTrash(dataRoot).put(path, title);
    } catch (thrown) {
      throw new TurnstoneError('disk', `“${title}” could not be moved to the trash: ${errorText(thrown)}. It is where it was.`, { cause: thrown });
    }
  });
}

export interface DeletedSession extends TrashedSession {
  /** Where it worked; undefined where its transcript does not say. */
  readonly folder: string | undefined;
}

/** Newest first. */
export async function deletedSessions(dataRoot = dataRootFrom()): Promise<readonly DeletedSession[]> {
  const trashed = await new SessionTrash(dataRoot).list();
  return Promise.all(trashed.map(async (each) => {
    const session = await readSession(files, each.transcript);
    return { ...each, folder: session && folderOf(session) };
  }));
}

/** By its id in the trash. Returns the id of the session. */
export async function restoreSession(id: string, dataRoot = dataRootFrom()): Promise<string> {
  const trash = new SessionTrash(dataRoot);
  const trashed = (await trash.list()).find((each) => each.id === id);
  if (!trashed) throw new TurnstoneError('not_found', 'That session is not in the trash any more. Nothing was changed.');
  try {
    await trash.restore(trashed);
    return trashed.sessionId;
  } catch (thrown) {
    throw new TurnstoneError('disk', `“${trashed.title}” could not be brought back: ${errorText(thrown)}. It is still in the trash.`, { cause: thrown });
  }
}

/** For good: the sessions in the trash, and every saved content that no other session names. Returns the freed bytes. */
export async function emptyTrash(dataRoot = dataRootFrom()): Promise<number> {
  const trash = new SessionTrash(dataRoot);
  const sessions = await trash.list();
  for (const session of sessions) await trash.remove(session);
  const { removed } = await gcBlobs({ files, dataRoot, now: Date.now() });
  return sessions.reduce((sum, { size }) => sum + size, removed.bytes);
}

async function withSession<T>({ session, dataRoot = dataRootFrom() }: SessionPlace, act: (path: string, sessionId: string) => Promise<T>): Promise<T> {
  const { path, isForeign } = await knownSession(files, dataRoot, session);
  if (isForeign) throw new TurnstoneError('session_in_use', 'This session belongs to Claude Code, and its file is never written to. Go on in a copy of it: the copy can be named, pinned and deleted.');
  const lock = new SessionTranscriptLock({ transcript: path, log: silentLog });
  const inUse = await lock.tryToTake();
  if (inUse !== undefined) throw new TurnstoneError('session_in_use', `${inUse} Nothing was changed. Do it there, or close it there first.`);
  try {
    return await act(path, path.split(/[\\/]/).at(-1)!.replace(/\.jsonl$/, ''));
  } finally {
    await lock.release();
  }
}

/** On a line of its own, also behind a torn one. */
async function addLine(path: string, line: CustomTitleLine | PinLine): Promise<void> {
  const size = (await files.stat(path))?.size ?? 0;
  const [last] = size === 0 ? [0x0a] : await files.readRange(path, size - 1, 1);
  await files.appendFile(path, `${last === 0x0a ? '' : '\n'}${JSON.stringify(line)}\n`);
}
