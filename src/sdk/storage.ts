import { gcBlobs, type GcOutcome } from '../engine/fileHistory/gcBlobs.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem as files } from '../platform/nodeFileSystem.ts';

/** What is kept of files as they were before changes: by some session, and by none any more. Nothing is removed. */
export function savedContents(dataRoot = dataRootFrom()): Promise<GcOutcome> {
  return gcBlobs({ files, dataRoot, now: Date.now(), isTrial: true });
}

/** Removes what no session needs any more. */
export function cleanSavedContents(dataRoot = dataRootFrom()): Promise<GcOutcome> {
  return gcBlobs({ files, dataRoot, now: Date.now() });
}
