import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobStore, heldForMs } from '../../../../src/engine/fileHistory/blobStore.ts';
import { gcBlobs } from '../../../../src/engine/fileHistory/gcBlobs.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

const hour = 60 * 60 * 1000;

async function useRoot(action: (dataRoot: string, blobs: BlobStore) => Promise<void>): Promise<void> {
  const dataRoot = await mkdtemp(join(tmpdir(), 'turnstone-'));
  try {
    await action(dataRoot, new BlobStore({ files: nodeFileSystem, digest: nodeDigest, folder: join(dataRoot, 'blobs') }));
  } finally {
    await rm(dataRoot, { recursive: true, force: true });
  }
}

async function isThere(dataRoot: string, hash: string): Promise<boolean> {
  return stat(join(dataRoot, 'blobs', hash.slice(0, 2), hash.slice(2))).then(() => true, () => false);
}

describe('gcBlobs', () => {
  it('keeps what a transcript of any project names, also across its chunks, what is new and what a session holds', async () => {
    await useRoot(async (dataRoot, blobs) => {
      const [named, atBorder, nested, held, orphan] = await Promise.all(['named', 'at the border', 'nested', 'held', 'orphan'].map((text) => blobs.put(Buffer.from(text))));
      await mkdir(join(dataRoot, 'projects', 'one'), { recursive: true });
      await mkdir(join(dataRoot, 'projects', 'two', 'deeper'), { recursive: true });
      const padding = 'x'.repeat(1024 * 1024 - 30);
      await writeFile(join(dataRoot, 'projects', 'one', 'a.jsonl'), `{"hash":"${named}"}\n`);
      await writeFile(join(dataRoot, 'projects', 'one', 'b.jsonl'), `${padding}"${atBorder}"\n`);
      await writeFile(join(dataRoot, 'projects', 'two', 'deeper', 'c.jsonl'), `{"hash":"${nested}"}\n`);
      await blobs.hold([held!]);
      const young = await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() });
      assert.deepEqual([young.removed.count, young.kept.count], [0, 5]);
      const trial = await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + 2 * hour, isTrial: true });
      assert.ok(await isThere(dataRoot, orphan!), 'a trial removes nothing');
      const outcome = await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + 2 * hour });
      assert.deepEqual(trial, outcome);
      assert.deepEqual(outcome, { kept: { count: 4, bytes: 28 }, removed: { count: 1, bytes: 6 } });
      for (const hash of [named, atBorder, nested, held]) assert.ok(await isThere(dataRoot, hash!));
      assert.equal(await isThere(dataRoot, orphan!), false);
    });
  });

  it('lets go of what a session held that has not been heard of for long, and of sessions that were deleted', async () => {
    await useRoot(async (dataRoot, blobs) => {
      const [held, named] = await Promise.all([blobs.put(Buffer.from('held')), blobs.put(Buffer.from('named'))]);
      await blobs.hold([held]);
      const transcript = join(dataRoot, 'projects', 'p', 's.jsonl');
      await mkdir(join(dataRoot, 'projects', 'p'), { recursive: true });
      await writeFile(transcript, named);
      assert.equal((await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + heldForMs + hour })).removed.count, 1);
      assert.deepEqual(await readdir(join(dataRoot, 'blobs', 'in-use')), []);
      await rm(transcript);
      assert.equal((await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + 2 * hour })).removed.count, 1);
    });
  });

  it('touches nothing but contents, and removes nothing when a transcript can not be read', async () => {
    await useRoot(async (dataRoot, blobs) => {
      const orphan = await blobs.put(Buffer.from('orphan'));
      await writeFile(join(dataRoot, 'blobs', 'note.txt'), 'of somebody');
      await writeFile(join(dataRoot, 'blobs', orphan.slice(0, 2), 'other'), 'of somebody');
      await mkdir(join(dataRoot, 'projects', 'p'), { recursive: true });
      await writeFile(join(dataRoot, 'projects', 'p', 's.jsonl'), 'x');
      const broken = { ...nodeFileSystem, readRange: () => Promise.reject(new Error('EIO')) };
      await assert.rejects(gcBlobs({ files: broken, dataRoot, now: Date.now() + 2 * hour }), /EIO/);
      assert.ok(await isThere(dataRoot, orphan));
      await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + 2 * hour });
      assert.equal(await isThere(dataRoot, orphan), false);
      assert.ok(await stat(join(dataRoot, 'blobs', 'note.txt')));
      assert.ok(await stat(join(dataRoot, 'blobs', orphan.slice(0, 2), 'other')));
    });
  });

  it('there may be nothing at all', async () => {
    await useRoot(async (dataRoot) => {
      assert.deepEqual(await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() }), { kept: { count: 0, bytes: 0 }, removed: { count: 0, bytes: 0 } });
    });
  });
});
