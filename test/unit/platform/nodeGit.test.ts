import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeGit } from '../../../src/platform/nodeGit.ts';
import { dataRootFrom, nodeEnvironment } from '../../../src/platform/nodeEnvironment.ts';

describe('createNodeGit', () => {
  const git = createNodeGit();
  const never = new AbortController().signal;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-git-'));
    execFileSync('git', ['init', '-q', '-b', 'trunk', folder]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives what git says', async () => {
    assert.equal(await git.run(['symbolic-ref', '--short', 'HEAD'], folder, never), 'trunk\n');
  });

  it('finds the repository from a folder inside, and starts nothing outside of one', async () => {
    const inside = await mkdtemp(join(folder, 'inside-'));
    const outside = await mkdtemp(join(tmpdir(), 'turnstone-no-git-'));
    assert.match((await git.run(['version'], inside, never)) ?? '', /^git version/);
    assert.equal(await git.run(['version'], outside, never), undefined);
    await rm(outside, { recursive: true });
  });

  it('gives nothing where git fails or was interrupted', async () => {
    assert.equal(await git.run(['no-such-command'], folder, never), undefined);
    assert.equal(await git.run(['status'], join(folder, 'gone'), never), undefined);
    assert.equal(await git.run(['status'], folder, AbortSignal.abort()), undefined);
  });
});

describe('dataRootFrom', () => {
  it('takes TURNSTONE_HOME, else a folder in the home folder', () => {
    assert.equal(dataRootFrom({ TURNSTONE_HOME: join(tmpdir(), 'elsewhere') }), join(tmpdir(), 'elsewhere'));
    assert.equal(dataRootFrom({}), join(nodeEnvironment('1', undefined).homeFolder, '.turnstone'));
    assert.equal(nodeEnvironment('1', join(tmpdir(), 'x')).dataRoot, join(tmpdir(), 'x'));
  });
});
