import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Waits until a file holds what is wanted; it is looked at whenever the system tells of a change. The test's own limit ends the waiting. */
export async function untilFile(path: string, isAsWanted: (text: string) => boolean): Promise<void> {
  const watcher = watch(dirname(path));
  try {
    for (;;) {
      const changed = once(watcher, 'change');
      if (isAsWanted(await readFile(path, 'utf8').catch(() => ''))) return;
      await changed;
    }
  } finally {
    watcher.close();
  }
}
