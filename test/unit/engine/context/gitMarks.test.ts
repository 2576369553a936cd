import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitMarks, isGitState } from '../../../../src/engine/context/gitMarks.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

describe('gitMarks', () => {
  let folder: string;
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: folder, stdio: 'pipe' });
  const marks = (cwd = folder) => gitMarks(nodeFileSystem, cwd);

  beforeEach(async () => void (folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-git-')))));
  afterEach(() => rm(folder, { recursive: true }));

  it('changes with a checkout, an add and a commit, and not with an edit', async () => {
    assert.equal(await marks(), undefined);
    git('init', '-q');
    await writeFile(join(folder, 'a.txt'), 'a');
    const seen = [await marks()];
    for (const step of [['add', '.'], ['commit', '-qm', 'one'], ['checkout', '-qb', 'other']]) {
      git(...step);
      seen.push(await marks());
    }
    assert.equal(new Set(seen).size, seen.length);
    await writeFile(join(folder, 'a.txt'), 'changed');
    await mkdir(join(folder, 'deep/er'), { recursive: true });
    assert.equal(await marks(join(folder, 'deep/er')), seen.at(-1));
  });

  it('finds the state of a worktree', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('worktree', 'add', '-q', 'tree');
    assert.match((await marks(join(folder, 'tree'))) ?? '', /worktrees[\\/]tree/);
  });

  it('knows the paths that say so', () => {
    const yes = ['/w/.git/HEAD', '/w/.git/index', '/w/.git/refs/heads/main', '/w/.git/worktrees/t/HEAD'];
    const no = ['/w/HEAD', '/w/.git/config', '/w/.git/objects/ab/cd', '/w/.gitignore'];
    assert.deepEqual([...yes, ...no].map(isGitState), [...yes.map(() => true), ...no.map(() => false)]);
  });
});
