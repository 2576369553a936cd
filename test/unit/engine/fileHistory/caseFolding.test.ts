import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystem } from '../../../../src/engine/ports.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { Desk } from './support.ts';

/** The path under the names that are there, where only their case differs. */
function asThere(path: string): string {
  return path.split('/').slice(1).reduce((folder, name) => {
    const there = namesIn(folder || '/').find((other) => other.toLowerCase() === name.toLowerCase());
    return `${folder}/${there ?? name}`;
  }, '');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** As a disk of macOS or Windows: `A` and `a` are one name, kept as it was written first; its real path is in that case. */
const folding: FileSystem = {
  ...nodeFileSystem,
  readFile: (path) => nodeFileSystem.readFile(asThere(path)),
  writeFile: (path, bytes, options) => nodeFileSystem.writeFile(asThere(path), bytes, options),
  stat: (path, options) => nodeFileSystem.stat(asThere(path), options),
  realpath: (path) => nodeFileSystem.realpath(asThere(path)),
  readLink: (path) => nodeFileSystem.readLink(asThere(path)),
  symlink: (target, path) => nodeFileSystem.symlink(target, asThere(path)),
  remove: (path) => nodeFileSystem.remove(asThere(path)),
  removeEmptyFolder: (path) => nodeFileSystem.removeEmptyFolder(asThere(path)),
  chmod: (path, mode) => nodeFileSystem.chmod(asThere(path), mode),
  readFolder: (path) => nodeFileSystem.readFolder(asThere(path)),
  makeFolder: (path) => nodeFileSystem.makeFolder(asThere(path)),
};

describe('going back on a disk that takes A and a for one name', () => {
  it('knows a file by whatever case it is called, and keeps the name that it has', () =>
    Desk.use(async (desk) => {
      const write = async (name: string, content: string): Promise<void> => {
        await desk.history.beforeWrite(desk.at(name));
        await folding.writeFile(desk.at(name), Buffer.from(content));
        await desk.history.afterWrite(desk.at(name));
      };
      await folding.writeFile(desk.at('Src/Read Me.txt'), Buffer.from('first'));
      const before = await desk.tree();
      desk.say('m1');
      await write('src/READ ME.TXT', 'second');
      await write('SRC/read me.txt', 'third');
      await write('src/New/file', 'made');
      assert.deepEqual(desk.history.changes().map(({ paths }) => paths), [[desk.at('Src/Read Me.txt'), desk.at('Src/New/file')]]);
      await writeFile(desk.at('Src/Read Me.txt'), 'third, mine');
      const plan = await desk.history.planRewind('m1', desk.branch, 0);
      assert.deepEqual(plan.files.map(({ path, changedSince }) => [path, changedSince]), [[desk.at('Src/Read Me.txt'), true], [desk.at('Src/New/file'), false]]);
      await desk.rewind('m1', { overwrite: [desk.at('sRC/rEAD mE.txt')] });
      assert.deepEqual(await desk.tree(), before);
      await desk.undo();
      assert.equal(await readFile(join(desk.workspace, 'Src', 'Read Me.txt'), 'utf8'), 'third, mine');
    }, folding));
});
