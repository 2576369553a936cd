import assert from 'node:assert/strict';
import { rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { git } from '../../../support/everyFile.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

/** Letters for letters: what git keeps has the size of the file. */
const swapLetters = 'tr A-Za-z N-ZA-Mn-za-m';
const longAgo = new Date('2020-01-01T00:00:00Z');

/** Makes git write the file anew, by the settings of now, so long ago that it trusts its time. */
async function checkOut(cwd: string, name: string): Promise<void> {
  await rm(join(cwd, name));
  git(cwd, 'checkout', name);
  await utimes(join(cwd, name), longAgo, longAgo);
  git(cwd, 'update-index', '--refresh');
}

const cases: Record<string, (cwd: string) => Promise<void>> = {
  'it was told that most of what changes with a file does not count': async (cwd) => {
    git(cwd, 'config', 'core.trustctime', 'false');
    git(cwd, 'config', 'core.checkStat', 'minimal');
    const { atime, mtime } = await stat(join(cwd, 'sub/f.txt'));
    await writeFile(join(cwd, 'new'), 'HELLO\n');
    await utimes(join(cwd, 'new'), atime, mtime);
    await rename(join(cwd, 'new'), join(cwd, 'sub/f.txt'));
  },
  'another object stands for what the file was made from': async (cwd) => {
    await writeFile(join(cwd, 'other'), 'HELLO\n');
    git(cwd, 'replace', git(cwd, 'hash-object', 'sub/f.txt').trim(), git(cwd, 'hash-object', '-w', 'other').trim());
  },
  'attributes that it does not track name a filter': async (cwd) => {
    git(cwd, 'config', 'filter.swap.clean', swapLetters);
    git(cwd, 'config', 'filter.swap.smudge', swapLetters);
    await writeFile(join(cwd, 'sub/.gitattributes'), '* filter=swap\n');
    await checkOut(cwd, 'sub/f.txt');
  },
  'line ends are converted by a setting without a value': async (cwd) => {
    await writeFile(join(cwd, '.git/config'), '[core]\n\tautocrlf\n');
    await checkOut(cwd, 'sub/f.txt');
  },
};

describe('a file that git calls unchanged comes back from a command byte for byte where', () => {
  for (const [name, mislead] of Object.entries(cases)) {
    it(name, async () => {
      const harness = await EngineHarness.start([turn({ reply: message([toolUse('Bash', { command: 'echo by the command > sub/f.txt' })]) }), turn({ reply: message('Done.') })], { files: { 'sub/f.txt': 'hello\n' } });
      try {
        git(harness.cwd, 'init', '-q');
        await utimes(harness.path('sub/f.txt'), longAgo, longAgo);
        git(harness.cwd, 'add', '-A');
        await mislead(harness.cwd);
        const before = await harness.read('sub/f.txt');
        const session = await harness.open({ permissionMode: 'bypassPermissions' });
        await runTurn(session, 'please');
        const { messageId } = session.rewindTargets()[0]!;
        assert.deepEqual((await session.planRewind(messageId)).notCovered, []);
        await session.rewind(messageId, { scope: 'both', skip: [], overwrite: [] });
        assert.equal(await harness.read('sub/f.txt'), before);
      } finally {
        await harness.close();
      }
    });
  }
});
