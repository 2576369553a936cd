import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';

export interface SmallDisk {
  /** True: a file system of its own that is full indeed. */
  readonly isReal: boolean;
  fill(): void;
  free(): void;
  dispose(): void;
}

/** A disk that can be filled, mounted at a folder. Where nobody may mount, what is written there fails as on a full disk. */
export function smallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    console.log('      (no disk could be mounted here: writing only fails as if it were full)');
    return failingDisk(folder);
  }
  const filler = join(folder, 'filler');
  return {
    isReal: true,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, new Uint8Array(bavail * bsize));
    },
    free: () => rmSync(filler, { force: true }),
    dispose: () => void execFileSync('umount', [folder]),
  };
}

/** As much of each append as half of it still gets through; new files don't. */
export function failingDisk(folder: string): SmallDisk {
  const { appendFile: append, writeFile: write } = nodeFileSystem;
  let isFull = false;
  const noSpace = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  Object.assign(nodeFileSystem, {
    appendFile: async (path: string, text: string) => {
      if (!isFull || !path.startsWith(folder)) return append(path, text);
      await appendFile(path, text.slice(0, text.length / 2));
      throw noSpace();
    },
    writeFile: async (...args: Parameters<typeof write>) => {
      if (isFull && args[0].startsWith(folder)) throw noSpace();
      return write(...args);
    },
  });
  return { isReal: false, fill: () => void (isFull = true), free: () => void (isFull = false), dispose: () => void Object.assign(nodeFileSystem, { appendFile: append, writeFile: write }) };
}
