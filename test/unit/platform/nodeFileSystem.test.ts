import assert from 'node:assert/strict';
import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemErrorCode } from '../../../src/base/errors.ts';
import { nodeFileSystem as files } from '../../../src/platform/nodeFileSystem.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('nodeFileSystem', () => {
  let folder: string;
  const at = (...parts: string[]): string => join(folder, ...parts);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-files-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('gives up on a folder that can not be made, with the reason', async () => {
    await symlink(at('nowhere'), at('dangling'));
    await writeFile(at('file'), 'f');
    for (const path of [at('dangling', 'a', 'b'), at('file', 'a', 'b'), ...(process.platform === 'linux' ? ['/proc/no-such-process/a/b'] : [])]) {
      await assert.rejects(files.appendFile(`${path}/x.jsonl`, 'line'), /EEXIST|ENOENT|ENOTDIR/);
      await assert.rejects(files.makeFolder(path), /EEXIST|ENOENT|ENOTDIR/);
    }
    await files.makeFolder(at('one', 'two', 'three'));
    await files.makeFolder(at('one', 'two', 'three'));
    assert.deepEqual(await readdir(at('one', 'two')), ['three']);
  });

  it('writes new files and missing folders, and leaves no temporary file', async () => {
    await files.writeFile(at('a', 'b', 'c.txt'), bytes('x'));
    assert.equal(await readFile(at('a', 'b', 'c.txt'), 'utf8'), 'x');
    assert.deepEqual(await readdir(at('a', 'b')), ['c.txt']);
  });

  it('keeps the mode, or sets the one it is given', async () => {
    await writeFile(at('run.sh'), 'old');
    await chmod(at('run.sh'), 0o755);
    await files.writeFile(at('run.sh'), bytes('new'));
    assert.equal((await stat(at('run.sh'))).mode & 0o777, 0o755);
    await files.writeFile(at('secret'), bytes('s'), { mode: 0o600 });
    assert.equal((await stat(at('secret'))).mode & 0o777, 0o600);
  });

  it('writes to the target of a chain of links, relative ones too, and the links stay', async () => {
    await mkdir(at('d'));
    await writeFile(at('d', 'real.md'), 'hello');
    await symlink('d/real.md', at('middle'));
    await symlink(at('middle'), at('link.md'));
    await files.writeFile(at('link.md'), bytes('changed'));
    assert.equal(await readFile(at('d', 'real.md'), 'utf8'), 'changed');
    assert.equal(await readlink(at('middle')), 'd/real.md');
    assert.ok((await lstat(at('link.md'))).isSymbolicLink());
    assert.equal(await files.realpath(at('link.md')), at('d', 'real.md'));
  });

  it('makes the target of a link that points to nothing yet', async () => {
    await symlink('later.txt', at('link'));
    assert.equal(await files.realpath(at('link')), at('later.txt'));
    await files.writeFile(at('link'), bytes('x'));
    assert.equal(await readFile(at('later.txt'), 'utf8'), 'x');
    assert.ok((await lstat(at('link'))).isSymbolicLink());
  });

  it('refuses a loop of links', async () => {
    await symlink('b', at('a'));
    await symlink('a', at('b'));
    await assert.rejects(files.writeFile(at('a'), bytes('x')), (error) => systemErrorCode(error) === 'ELOOP');
  });

  it('keeps the other names of a hard-linked file', async () => {
    await writeFile(at('one'), 'a longer text');
    await link(at('one'), at('two'));
    await files.writeFile(at('one'), bytes('short'));
    assert.equal(await readFile(at('two'), 'utf8'), 'short');
    assert.equal((await stat(at('one'))).nlink, 2);
  });

  it('leaves the old content when a write is not possible', async () => {
    await mkdir(at('folder'));
    await writeFile(at('folder', 'keep'), 'k');
    await assert.rejects(files.writeFile(at('folder'), bytes('x')));
    assert.deepEqual(await readdir(folder), ['folder']);
  });

  it('resolves the links of what exists and appends the rest', async () => {
    await mkdir(at('real'));
    await symlink('real', at('alias'));
    assert.equal(await files.realpath(at('alias', 'new', 'x.ts')), at('real', 'new', 'x.ts'));
  });

  it('tells what is at a path', async () => {
    await writeFile(at('f'), 'abc');
    await symlink('f', at('l'));
    const found = await files.stat(at('l'));
    assert.deepEqual([found?.kind, found?.size], ['file', 3]);
    assert.equal((await files.stat(at('l'), { follow: false }))?.kind, 'link');
    assert.equal((await files.stat(folder))?.kind, 'folder');
    assert.equal(await files.stat(at('nothing', 'here')), undefined);
  });

  it('appends privately, makes the folder, and makes it again when it is gone', async () => {
    await files.appendFile(at('p', 's.jsonl'), 'a\n');
    await files.appendFile(at('p', 's.jsonl'), 'é\n');
    assert.equal(await readFile(at('p', 's.jsonl'), 'utf8'), 'a\né\n');
    assert.deepEqual([(await stat(at('p'))).mode & 0o777, (await stat(at('p', 's.jsonl'))).mode & 0o777], [0o700, 0o600]);
    await rm(at('p'), { recursive: true });
    await files.appendFile(at('p', 's.jsonl'), 'b\n');
    assert.equal(await readFile(at('p', 's.jsonl'), 'utf8'), 'b\n');
  });

  it('removes files and empty folders only', async () => {
    await files.writeFile(at('d', 'f'), bytes('x'));
    assert.equal(await files.removeEmptyFolder(at('d')), false);
    await files.remove(at('d', 'f'));
    await files.remove(at('d', 'f'));
    assert.equal(await files.removeEmptyFolder(at('d')), true);
  });

  it('reads a part, fewer bytes at the end', async () => {
    await writeFile(at('f'), '0123456789');
    assert.equal(new TextDecoder().decode(await files.readRange(at('f'), 7, 10)), '789');
    assert.equal((await files.readRange(at('f'), 20, 10)).length, 0);
  });
});
