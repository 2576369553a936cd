import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobStore, heldForMs } from '../../../../src/engine/fileHistory/blobStore.ts';
import { gcBlobs } from '../../../../src/engine/fileHistory/gcBlobs.ts';
import type { FileSystem } from '../../../../src/engine/ports.ts';
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

type Step = 'stat' | 'rename' | 'remove' | 'touch' | 'readFile' | 'writeFile';

/** The disk, where something else happens before or after the nth such step about a file. */
function interrupted({ step, when, nth, about }: { readonly step: Step; readonly when: 'before' | 'after'; readonly nth: number; readonly about: string }, by: () => Promise<void>): FileSystem & { wasInterrupted(): boolean } {
  let count = 0;
  const original = nodeFileSystem[step] as (path: string, ...rest: unknown[]) => Promise<unknown>;
  return {
    ...nodeFileSystem,
    [step]: async (path: string, ...rest: unknown[]) => {
      const isHere = path.includes(about) && ++count === nth;
      if (isHere && when === 'before') await by();
      const outcome = await original(path, ...rest);
      if (isHere && when === 'after') await by();
      return outcome;
    },
    wasInterrupted: () => count >= nth,
  };
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

  it('takes nothing away that another process puts at the same time, whichever of their steps comes first', async () => {
    const content = Buffer.from('wanted again');
    const steps = ['stat', 'rename', 'remove'] as const;
    for (const step of steps) {
      for (const when of ['before', 'after'] as const) {
        for (let nth = 1; nth <= 3; nth++) {
          await useRoot(async (dataRoot, first) => {
            const hash = await first.put(content);
            const path = join(dataRoot, 'blobs', hash.slice(0, 2), hash.slice(2));
            const old = new Date(Date.now() - 3 * hour);
            await utimes(path, old, old);
            // A process of its own: it has not seen the content.
            const other = new BlobStore({ files: nodeFileSystem, digest: nodeDigest, folder: join(dataRoot, 'blobs') });
            const files = interrupted({ step, when, nth, about: hash.slice(2) }, async () => assert.equal(await other.put(content), hash));
            await gcBlobs({ files, dataRoot, now: Date.now() });
            if (!files.wasInterrupted()) return;
            assert.deepEqual(Buffer.from(await other.get(hash)), content, `${when} ${step} ${nth}`);
            assert.deepEqual(await readdir(join(dataRoot, 'blobs', hash.slice(0, 2))), [hash.slice(2)]);
          });
        }
      }
    }
  });

  it('goes by steps of its own, too: put looks, the content is cleaned away, put goes on', async () => {
    for (const step of ['touch', 'stat', 'readFile', 'writeFile'] as const) {
      for (const when of ['before', 'after'] as const) {
        await useRoot(async (dataRoot, first) => {
          const hash = await first.put(Buffer.from('wanted again'));
          const path = join(dataRoot, 'blobs', hash.slice(0, 2), hash.slice(2));
          const old = new Date(Date.now() - 3 * hour);
          await utimes(path, old, old);
          const files = interrupted({ step, when, nth: 1, about: hash.slice(2) }, async () => void (await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() })));
          const other = new BlobStore({ files, digest: nodeDigest, folder: join(dataRoot, 'blobs') });
          assert.equal(await other.put(Buffer.from('wanted again')), hash);
          assert.deepEqual(Buffer.from(await other.get(hash)), Buffer.from('wanted again'), `${when} ${step}`);
        });
      }
    }
  });

  it('ends what another cleaning had begun, and what was on its way can be read meanwhile', async () => {
    await useRoot(async (dataRoot, blobs) => {
      const [named, orphan] = await Promise.all([blobs.put(Buffer.from('named')), blobs.put(Buffer.from('orphan'))]);
      await mkdir(join(dataRoot, 'projects', 'p'), { recursive: true });
      await writeFile(join(dataRoot, 'projects', 'p', 's.jsonl'), named);
      for (const hash of [named, orphan]) {
        const path = join(dataRoot, 'blobs', hash.slice(0, 2), hash.slice(2));
        await rename(path, `${path}.going`);
      }
      assert.deepEqual(Buffer.from(await blobs.get(named)), Buffer.from('named'));
      assert.deepEqual((await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() + 2 * hour })).removed.count, 1);
      assert.ok(await isThere(dataRoot, named));
      await assert.rejects(blobs.get(orphan), /missing/);
    });
  });

  it('may run twice at once', async () => {
    await useRoot(async (dataRoot, blobs) => {
      const hash = await blobs.put(Buffer.from('orphan'));
      const now = Date.now() + 2 * hour;
      const files = interrupted({ step: 'rename', when: 'before', nth: 1, about: hash.slice(2) }, async () => void (await gcBlobs({ files: nodeFileSystem, dataRoot, now })));
      await gcBlobs({ files, dataRoot, now });
      assert.ok(files.wasInterrupted());
      assert.equal(await isThere(dataRoot, hash), false);
    });
  });

  it('a session that goes on for long does not trust what it has seen long ago', async () => {
    await useRoot(async (dataRoot) => {
      let now = Date.now();
      const blobs = new BlobStore({ files: nodeFileSystem, digest: nodeDigest, folder: join(dataRoot, 'blobs'), clock: { now: () => now } });
      const hash = await blobs.put(Buffer.from('seen'));
      const path = join(dataRoot, 'blobs', hash.slice(0, 2), hash.slice(2));
      const old = new Date(Date.now() - 3 * hour);
      await utimes(path, old, old);
      now += 2 * hour;
      await blobs.put(Buffer.from('seen'));
      assert.equal((await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() })).removed.count, 0);
      assert.ok(await isThere(dataRoot, hash));
    });
  });

  it('there may be nothing at all', async () => {
    await useRoot(async (dataRoot) => {
      assert.deepEqual(await gcBlobs({ files: nodeFileSystem, dataRoot, now: Date.now() }), { kept: { count: 0, bytes: 0 }, removed: { count: 0, bytes: 0 } });
    });
  });
});
