import { gcBlobs, type GcOutcome } from '../engine/fileHistory/gcBlobs.ts';
import { sessionStorage } from '../engine/fileHistory/sessionStorage.ts';
import type { SessionStorage } from '../engine/fileHistory/sessionStorage.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem as files } from '../platform/nodeFileSystem.ts';
import { knownSession } from './findSession.ts';

/** What is kept of files as they were before changes: by some session, and by none any more. Nothing is removed. */
export function savedContents(dataRoot = dataRootFrom()): Promise<GcOutcome> {
  return gcBlobs({ files, dataRoot, now: Date.now(), isTrial: true });
}

/** What one session takes; null where it is so large that counting takes its time. */
export async function sessionSize(session: string, dataRoot = dataRootFrom()): Promise<SessionStorage | null> {
  const { path } = await knownSession(files, dataRoot, session);
  const size = (await files.stat(path))?.size ?? 0;
  return size > quicklyCounted ? null : sessionStorage(files, dataRoot, path);
}

/** Bytes: read in less than a tenth of a second. */
const quicklyCounted = 50 * 1024 * 1024;

/** Removes what no session needs any more. */
export function cleanSavedContents(dataRoot = dataRootFrom()): Promise<GcOutcome> {
  return gcBlobs({ files, dataRoot, now: Date.now() });
}
