import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftOverFiles } from '../../../src/platform/leftOverFiles.ts';
import { temporaryPath } from '../../../src/platform/writeFileWhole.ts';
import { inFolder } from '../engine/transcript/support.ts';

describe('removeLeftOverFiles', () => {
  it('removes what a dead process was writing to these files, and nothing else', () =>
    inFolder(async (folder) => {
      const { pid } = spawnSync(process.execPath, ['--version']);
      const half = (path: string, of: number): string => temporaryPath(path).replace(`.${process.pid}-`, `.${of}-`);
      const [a, other, odd] = [join(folder, 'a.txt'), join(folder, 'other.txt'), join(folder, 'deep', 'x.12-abc.tmp')];
      await mkdir(join(folder, 'deep'));
      const kept = [a, other, half(a, process.pid), half(other, pid), join(folder, '.a.txt.swp'), join(folder, `.a.txt.${pid}.tmp`)];
      for (const path of [...kept, half(a, pid), half(odd, pid)]) await writeFile(path, 'x');
      await removeLeftOverFiles([a, odd, join(folder, 'gone', 'b.txt')]);
      const names = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
      assert.deepEqual(names.sort(), [...kept, join(folder, 'deep')].sort());
    }));
});
