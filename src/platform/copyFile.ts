import { copyFile as copy } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './makeFolder.ts';

/** Byte for byte, of any size; replaces what is there. Rejects with the system's error. */
export async function copyFile(source: string, target: string): Promise<void> {
  await makeFolder(dirname(target));
  await copy(source, target);
}
