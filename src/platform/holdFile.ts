import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HeldFile } from '../engine/ports.ts';
import { makeFolder } from './makeFolder.ts';
import { temporaryPath } from './writeFileWhole.ts';

/** Copied at once. Bytes. */
const chunkSize = 1024 * 1024;

/** An open file is there until it is closed, whatever happens to its name. */
export async function holdFile(path: string): Promise<HeldFile> {
  const handle = await open(path, 'r');
  return {
    size: async () => (await handle.stat()).size,
    async writeAgain() {
      await makeFolder(dirname(path), 0o700);
      const temporary = temporaryPath(path);
      const copy = await open(temporary, 'wx', 0o600);
      try {
        try {
          const buffer = new Uint8Array(chunkSize);
          for (let offset = 0; ; ) {
            const { bytesRead } = await handle.read(buffer, 0, chunkSize, offset);
            if (bytesRead === 0) break;
            await copy.writeFile(buffer.subarray(0, bytesRead));
            offset += bytesRead;
          }
          await copy.sync();
        } finally {
          await copy.close();
        }
        await rename(temporary, path);
      } catch (thrown) {
        await unlink(temporary).catch(() => {});
        throw thrown;
      }
    },
    close: () => handle.close(),
  };
}
