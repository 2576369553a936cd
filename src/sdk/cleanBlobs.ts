import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { gcBlobs } from '../engine/fileHistory/gcBlobs.ts';
import type { FileSystem } from '../engine/ports.ts';
import { joinPath } from '../engine/transcript/transcriptPath.ts';

/** Milliseconds after a session was opened: nobody waits for it. */
const delayMs = 2 * 60 * 1000;
/** Milliseconds between two cleanings of one folder, by whatever process. */
const intervalMs = 24 * 60 * 60 * 1000;
/** Its time is that of the last cleaning. */
const markerName = 'last-cleaned';

const scheduled = new Set<string>();

/** Once a day, some time after the start, saved contents that no session needs any more are removed. Never keeps a process alive. */
export function scheduleCleaning(options: { readonly files: FileSystem; readonly dataRoot: string; readonly log: Log }): void {
  if (scheduled.has(options.dataRoot)) return;
  scheduled.add(options.dataRoot);
  setTimeout(() => {
    scheduled.delete(options.dataRoot);
    clean(options).catch((thrown: unknown) => options.log.warn(`Saved file contents could not be cleaned up: ${errorText(thrown)}`));
  }, delayMs).unref();
}

async function clean({ files, dataRoot, log }: { readonly files: FileSystem; readonly dataRoot: string; readonly log: Log }): Promise<void> {
  const folder = joinPath(dataRoot, 'blobs');
  if (!(await files.stat(folder))) return;
  const marker = joinPath(folder, markerName);
  const last = await files.stat(marker);
  if (last && Date.now() - last.mtimeMs < intervalMs) return;
  await files.writeFile(marker, new Uint8Array(), { mode: 0o600 });
  const { kept, removed } = await gcBlobs({ files, dataRoot, now: Date.now() });
  log.info(`Saved file contents: ${kept.count} of ${kept.bytes} bytes are kept, ${removed.count} of ${removed.bytes} bytes were needed no more.`);
}
