import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitIndex } from '../../../src/platform/gitIndex.ts';
import { entryOf } from '../../../src/platform/treeEntries.ts';
import { git } from '../../support/everyFile.ts';

const names = ['a.txt', 'deep/er/b.txt', 'deep/er/long name, longer than a few bytes.txt', 'umlaut ä, 日本.txt', ...Array.from({ length: 40 }, (_, at) => `many/${'x'.repeat(at)}.txt`)];

describe('the index of git', () => {
  let folder: string;
  const read = (hashLength: 20 | 32 = 20): GitIndex | undefined => GitIndex.read(join(folder, '.git', 'index'), hashLength);
  const known = (index: GitIndex | undefined): string[] => names.filter((name) => index?.isAs(name, entryOf(join(folder, name), lstatSync(join(folder, name)), undefined)));

  function repository(...init: string[]): void {
    git(folder, 'init', '-q', ...init);
    for (const name of names) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), name);
    }
    git(folder, 'add', '-A');
  }

  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'turnstone-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const version of ['2', '3', '4']) {
    it(`of version ${version} is read: files that stand as it says, and no others`, () => {
      repository();
      git(folder, 'update-index', '--index-version', version);
      assert.deepEqual(known(read()), names);
      writeFileSync(join(folder, names[0]!), 'changed');
      git(folder, 'update-index', '--assume-unchanged', names[1]!);
      git(folder, 'update-index', '--skip-worktree', names[2]!);
      assert.deepEqual(known(read()), names.slice(3));
      assert.equal(read()!.isAs('none.txt', entryOf(folder, lstatSync(join(folder, names[0]!)), undefined)), false);
    });
  }

  it('with objects of SHA-256 is read', () => {
    repository('--object-format=sha256');
    assert.deepEqual(known(read(32)), names);
  });

  it('that is split, damaged or not there tells nothing', () => {
    repository();
    git(folder, 'update-index', '--split-index');
    assert.deepEqual(known(read()), []);
    for (const bytes of [Buffer.from('DIRC'), Buffer.from('nothing of the kind, but long enough'), Buffer.alloc(0)]) {
      writeFileSync(join(folder, '.git', 'index'), bytes);
      assert.equal(read(), undefined);
    }
    rmSync(join(folder, '.git'), { recursive: true });
    assert.equal(read(), undefined);
  });
});
