import fc from 'fast-check';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTreeScanner } from '../../../src/platform/treeScanner.ts';
import type { TreeEntry, TreeScanner } from '../../../src/engine/ports.ts';

const run = promisify(execFile);
const everything = { extraPaths: new Set<string>(), timeBudgetMs: 60_000 };

async function inFolder(action: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-')));
  try {
    await action(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const name = fc.constantFrom('a', 'b', 'd/c', 'd/deep/e', 'out/x', 'out/sub/y', 'node_modules/p/q', 'd', 'out', '.git/HEAD');
const step = fc.oneof(
  name.map((file) => `mkdir -p "$(dirname ${file})"; echo "$RANDOM" > ${file}`),
  name.map((file) => `rm -rf ${file}`),
  fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `cp -r ${from} ${to}`),
  fc.tuple(name, name).map(([target, link]) => `ln -s ${target} ${link}`),
  name.map((folder) => `mkdir -p ${folder}`),
  name.map((file) => `chmod 600 ${file}`),
  fc.constantFrom('out', 'a', 'd/*', '').map((rule) => `echo '${rule}' > .gitignore`),
  fc.constant('rm -f .gitignore'),
);

/** Paths as watchers tell of them: a folder that came or went is one path. */
async function changedPaths(folder: string, before: ReadonlyMap<string, string>): Promise<{ told: string[]; now: Map<string, string> }> {
  const now = await looksOf(folder);
  const differs = (path: string): boolean => before.get(path) !== now.get(path);
  const isFolder = (path: string): boolean => before.get(path)?.startsWith('folder') !== now.get(path)?.startsWith('folder');
  const all = [...new Set([...before.keys(), ...now.keys()])].filter(differs);
  return { told: all.filter((path) => !all.some((other) => isFolder(other) && path.startsWith(`${other}/`))), now };
}

async function looksOf(folder: string): Promise<Map<string, string>> {
  const looks = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const { ino, mtimeMs, ctimeMs, mode } = await lstat(path);
    looks.set(path, entry.isDirectory() ? `folder ${ino} ${mode}` : `${ino} ${mtimeMs} ${ctimeMs} ${mode}`);
  }
  return looks;
}

function known(scanner: TreeScanner): Record<string, TreeEntry> {
  // Watchers don't tell of a folder when its times change.
  const timeless = (entry: TreeEntry): TreeEntry => (entry.kind === 'folder' ? { ...entry, mtimeMs: 0, ctimeMs: 0 } : entry);
  return Object.fromEntries([...scanner.entries].map(([path, entry]) => [path, timeless(entry)] as const).sort(([one], [other]) => (one < other ? -1 : 1)));
}

describe('the tree of the workspace, from one look to the next', function () {
  this.timeout(120_000);

  it('is what a first look at it would find, whether all is looked at or only what is told of', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.record({ command: step, isTold: fc.boolean() }), { minLength: 1, maxLength: 12 }), (steps) =>
        inFolder(async (folder) => {
          await run('bash', ['-c', 'mkdir -p d/deep out .git; echo a > a; echo c > d/c; echo e > d/deep/e; echo x > out/x'], { cwd: folder });
          const scanner = createTreeScanner({ roots: [folder], excluded: [] });
          await scanner.scan(everything);
          let looks = await looksOf(folder);
          for (const { command, isTold } of steps) {
            await run('bash', ['-c', command], { cwd: folder }).catch(() => {});
            const earlier = new Map(scanner.entries);
            const { told, now } = await changedPaths(folder, looks);
            looks = now;
            const { changes } = await scanner.scan({ ...everything, only: isTold ? told : undefined });
            const afresh = createTreeScanner({ roots: [folder], excluded: [] });
            await afresh.scan(everything);
            assert.deepEqual(known(scanner), known(afresh), `after ${command}`);
            for (const { path, before, after } of changes) {
              assert.deepEqual([before, after], [earlier.get(path), scanner.entries.get(path)], 'a change is from what was known to what is');
            }
            const changed = new Set(changes.map(({ path }) => path));
            for (const path of new Set([...earlier.keys(), ...scanner.entries.keys()])) if (!changed.has(path)) assert.equal(scanner.entries.get(path), earlier.get(path), `${path} changed and is not among the changes`);
          }
        }),
      ),
      { numRuns: 40 },
    ));

  it('takes what was noted for known, also in folders that are new with it, and sees when it goes', () =>
    inFolder(async (folder) => {
      const scanner = createTreeScanner({ roots: [folder], excluded: [] });
      await scanner.scan(everything);
      const path = join(folder, 'new', 'deep', 'file');
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, 'x');
      scanner.note(path);
      const files = async () => (await scanner.scan(everything)).changes.filter(({ before, after }) => (before ?? after)!.kind === 'file');
      assert.deepEqual(await files(), []);
      await writeFile(path, 'other');
      assert.deepEqual((await files()).map((change) => change.path), [path]);
      scanner.note(join(folder, 'gone', 'at', 'once'));
      await rm(join(folder, 'new'), { recursive: true });
      assert.deepEqual((await files()).map((change) => [change.path, change.after]), [[path, undefined]]);
    }));

  it('looks at a file although rules leave it out, and takes a folder in its place for a folder', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, '.gitignore'), 'out\n');
      await mkdir(join(folder, 'out'));
      const [kept, gone] = [join(folder, 'out', 'kept'), join(folder, 'gone')];
      await writeFile(kept, 'x');
      const scanner = createTreeScanner({ roots: [folder], excluded: [] });
      await scanner.scan(everything);
      const request = { ...everything, extraPaths: new Set([kept, gone]) };
      assert.deepEqual([scanner.adopt(kept)?.ignoredAt, scanner.adopt(gone)], [undefined, undefined]);
      const changed = async () => (await scanner.scan(request)).changes.filter(({ path }) => path === kept || path === gone).map(({ path, before, after }) => [path, before?.kind, after?.kind, after?.size]);
      assert.deepEqual(await changed(), []);
      await writeFile(kept, 'other');
      await mkdir(gone);
      const found = await changed();
      assert.deepEqual(new Set(found), new Set([[gone, undefined, 'folder', 0], [kept, 'file', 'file', 5]]));
      assert.deepEqual(await changed(), []);
    }));

  it('sees a noted file go that was never looked at in a walk', () =>
    inFolder(async (folder) => {
      const scanner = createTreeScanner({ roots: [folder], excluded: [] });
      await scanner.scan(everything);
      const path = join(folder, 'new', 'file');
      await mkdir(join(path, '..'));
      await writeFile(path, 'x');
      scanner.note(path);
      await rm(join(folder, 'new'), { recursive: true });
      const { changes } = await scanner.scan(everything);
      assert.ok(changes.some((change) => change.path === path && !change.after));
    }));
});
