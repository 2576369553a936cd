import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { mergeUserChanges } from '../../src/engine/fileHistory/mergeUserChanges.ts';
import { threeTexts } from '../support/threeTexts.ts';

describe('a merge of two changes', () => {
  it('says the same as `git merge-file` wherever both find no conflict', async function () {
    this.timeout(120_000);
    if (spawnSync('git', ['--version']).status !== 0) {
      console.log('      (not compared: git is not installed)');
      return;
    }
    const folder = await mkdtemp(join(tmpdir(), 'turnstone-'));
    try {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(threeTexts, async (texts) => {
          const names = (['present', 'base', 'target'] as const).map((name) => [join(folder, name), texts[name]] as const);
          for (const [path, text] of names) await writeFile(path, text);
          const git = spawnSync('git', ['merge-file', '-p', ...names.map(([path]) => path)], { encoding: 'utf8' });
          const ours = mergeUserChanges(texts);
          if (git.status !== 0 || ours.conflicts.length > 0) return;
          compared++;
          assert.equal(ours.text, git.stdout);
        }),
        { numRuns: 300 },
      );
      assert.ok(compared > 60, `${compared} clean merges`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
