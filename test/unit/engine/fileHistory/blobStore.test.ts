import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { BlobStore } from '../../../../src/engine/fileHistory/blobStore.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

const bytes = new TextEncoder().encode('hello\n');
const hash = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03';

describe('BlobStore', () => {
  let folder: string;
  const open = (): BlobStore => new BlobStore({ files: nodeFileSystem, digest: nodeDigest, folder });
  const isDiskError = (pattern: RegExp) => (error: unknown) => isTurnstoneError(error) && error.code === 'disk' && pattern.test(error.message);
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'turnstone-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps a content once, under its whole SHA-256, for the owner alone', async () => {
    assert.equal(await open().put(bytes), hash);
    const before = await stat(join(folder, hash.slice(0, 2), hash.slice(2)));
    assert.equal(await open().put(bytes), hash);
    const after = await stat(join(folder, hash.slice(0, 2), hash.slice(2)));
    assert.deepEqual([after.ino, after.mode & 0o777], [before.ino, 0o600]);
    assert.ok(after.mtimeMs >= before.mtimeMs, 'whoever cleans up sees that it was wanted again');
    assert.deepEqual(Buffer.from(await open().get(hash)), Buffer.from(bytes));
    assert.deepEqual((await readdir(folder, { recursive: true })).length, 2);
  });

  it('refuses what is damaged, missing or no hash, and heals it when the content comes by again', async () => {
    await open().put(bytes);
    await writeFile(join(folder, hash.slice(0, 2), hash.slice(2)), 'hellO\n');
    await assert.rejects(open().get(hash), isDiskError(/damaged/));
    await open().put(bytes);
    assert.deepEqual(Buffer.from(await open().get(hash)), Buffer.from(bytes));
    await assert.rejects(open().get(hash.replace('5', '6')), isDiskError(/missing/));
    await assert.rejects(open().get('../../etc/passwd'), isDiskError(/not the name/));
  });
});
