import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contents, everyFile, git } from '../support/everyFile.ts';
import { Desk } from '../unit/engine/fileHistory/support.ts';

const child = fileURLToPath(new URL('../support/rewindAndStop.ts', import.meta.url));

describe('a process that is killed in the middle of a rewind', function () {
  this.timeout(30_000);

  it('over nested repositories: the next start finishes it, and of no repository a byte changes', () =>
    Desk.use(async (desk) => {
      for (const name of ['outer.txt', 'inner/a.txt', 'inner/deep/b.txt']) {
        await mkdir(desk.at(`${name}/..`), { recursive: true });
        await writeFile(desk.at(name), `${name}\n`);
      }
      for (const folder of ['inner/deep', 'inner', '.']) {
        git(desk.at(folder), 'init', '-q');
        git(desk.at(folder), 'add', '-A', ':!deep', ':!inner');
        git(desk.at(folder), 'commit', '-qm', 'first');
      }
      const before = await everyFile(desk.workspace);
      desk.say('m1');
      for (const name of ['outer.txt', 'inner/a.txt', 'inner/deep/b.txt']) await desk.agentWrites(name, 'changed\n');
      await desk.agentWrites('inner/deep/new/c.txt', 'new\n');
      await desk.store.dispose();
      const killed = spawn(process.execPath, ['--no-warnings', child, desk.root, desk.at('inner/deep/b.txt')], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(killed.stdout, 'data');
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      assert.equal(await readFile(desk.at('inner/deep/b.txt'), 'utf8'), 'changed\n');
      await desk.start();
      assert.deepEqual(desk.notices, ['A rewind that was cut short has been finished: 4 files brought back.']);
      const after = await everyFile(desk.workspace);
      assert.deepEqual(contents(after), contents(before));
      for (const [name, text] of Object.entries(before)) if (name.includes('.git/')) assert.equal(after[name], text, `${name} was touched`);
      for (const folder of ['inner/deep', 'inner', '.']) assert.equal(git(desk.at(folder), 'status', '--porcelain', '-uno'), '');
    }));
});
