import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadFileState } from '../../src/engine/tools/readFileState.ts';
import { createTreeScanner } from '../../src/platform/treeScanner.ts';
import { OutsideWatching } from '../../src/vscode/outsideWatching.ts';
import { watchFiles } from '../../src/vscode/fileWatching.ts';
import { WorkspaceNews } from '../../src/vscode/workspaceNews.ts';
import { until, workspaceFile } from './extensionApi.ts';

describe('What changed outside', () => {
  // Folders that were made a moment ago may not be watched yet; those of the workspace are.
  const folder = workspaceFile('watched').fsPath;
  const inFolder = join(folder, 'deep', 'a.txt');
  const file = workspaceFile('src/watched.txt').fsPath;
  let state = new ReadFileState();
  let told: Set<string>;
  let watching: ReturnType<typeof watchFiles>;

  beforeEach(async () => {
    await mkdir(join(folder, 'deep'), { recursive: true });
    for (const path of [file, inFolder]) await writeFile(path, 'one\n');
    told = new Set();
    watching = watchFiles((path) => {
      told.add(path);
      state.invalidate(path);
    });
    // Watching begins a little later, and with what was made just before.
    const probe = workspaceFile('src/probe').fsPath;
    let count = 0;
    await until('it watches', async () => {
      await writeFile(probe, String(++count));
      return told.has(probe);
    });
    state = new ReadFileState();
    for (const path of [file, inFolder]) state.record(path, { hash: 'h', onDisk: { mtimeMs: 1, size: 4 }, verifiedAtMs: 60_000, whole: true });
  });

  afterEach(async () => {
    watching.dispose();
    for (const path of [folder, file, workspaceFile('src/probe').fsPath]) await rm(path, { recursive: true, force: true });
  });

  const isDoubted = (path: string): boolean => state.get(path)?.onDisk === undefined;

  it('is a file that another one took the place of, in one step', async () => {
    await writeFile(`${file}.new`, 'two\n');
    await rename(`${file}.new`, file);
    await until('it is told', () => isDoubted(file));
  });

  it('is all that was in a folder that went, though only the folder is told of', async () => {
    await rm(folder, { recursive: true });
    await until('it is told', () => isDoubted(inFolder));
  });

  it('is a file outside of the workspace, once the agent has read it, whatever its times say', async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-')));
    const path = join(outside, 'read.txt');
    await writeFile(path, 'one\n');
    const watchingOutside = new OutsideWatching((changed) => state.invalidate(changed));
    try {
      state.record(path, { hash: 'h', onDisk: { mtimeMs: 1, size: 4 }, verifiedAtMs: 60_000, whole: true });
      watchingOutside.follow(state.list().map((entry) => entry.path));
      let count = 0;
      await until('it is told', async () => {
        await writeFile(path, `${++count % 10}ne\n`);
        await utimes(path, 1, 1);
        return isDoubted(path);
      });
    } finally {
      watchingOutside.dispose();
      await rm(outside, { recursive: true });
    }
  });

  it('is enough to know how the workspace stands, whatever came and went', async () => {
    const root = workspaceFile('src/../').fsPath.replace(/[\\/]$/, '');
    const scanner = createTreeScanner({ roots: [root], excluded: [] });
    const news = new WorkspaceNews();
    const also = watchFiles((path) => news.add(path));
    try {
      const reader = news.follow();
      const everything = { extraPaths: new Set<string>(), timeBudgetMs: 30_000 };
      await scanner.scan(everything);
      await rm(folder, { recursive: true });
      await writeFile(`${file}.new`, 'two\n');
      await rename(`${file}.new`, file);
      await mkdir(join(workspaceFile('src/fresh').fsPath, 'deep'), { recursive: true });
      await writeFile(join(workspaceFile('src/fresh').fsPath, 'deep', 'b.txt'), 'b\n');
      const timeless = (entries: typeof scanner.entries) => Object.fromEntries([...entries].map(([path, entry]) => [path, entry.kind === 'folder' ? 'folder' : entry] as const).sort(([one], [other]) => (one < other ? -1 : 1)));
      await until('the look at what was told of finds all of it', async () => {
        const paths = reader.take();
        assert.ok(paths, 'everything is watched');
        await scanner.scan({ ...everything, only: paths });
        const afresh = createTreeScanner({ roots: [root], excluded: [] });
        await afresh.scan(everything);
        return JSON.stringify(timeless(scanner.entries)) === JSON.stringify(timeless(afresh.entries));
      });
    } finally {
      also.dispose();
      await rm(workspaceFile('src/fresh').fsPath, { recursive: true, force: true });
    }
  });
});
