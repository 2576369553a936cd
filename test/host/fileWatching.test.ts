import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReadFileState } from '../../src/engine/tools/readFileState.ts';
import { watchFiles } from '../../src/vscode/fileWatching.ts';
import { until, workspaceFile } from './extensionApi.ts';

describe('What changed outside', () => {
  const folder = workspaceFile('watched').fsPath;
  const file = join(folder, 'deep', 'a.txt');
  let state = new ReadFileState();
  let told: Set<string>;
  let watching: ReturnType<typeof watchFiles>;

  beforeEach(async () => {
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(file, 'one\n');
    told = new Set();
    watching = watchFiles((path) => {
      told.add(path);
      state.invalidate(path);
    });
    // Watching begins a little later, and later still in a folder that was just made.
    const probe = join(folder, 'deep', 'probe');
    let count = 0;
    await until('it watches', async () => {
      await writeFile(probe, String(++count));
      return told.has(probe);
    });
    state = new ReadFileState();
    state.record(file, { hash: 'h', onDisk: { mtimeMs: 1, size: 4 }, verifiedAtMs: 60_000, whole: true });
  });

  afterEach(async () => {
    watching.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const isDoubted = (): boolean => state.get(file)?.onDisk === undefined;

  it('is a file that another one took the place of, in one step', async () => {
    await writeFile(`${file}.new`, 'two\n');
    await rename(`${file}.new`, file);
    await until('it is told', isDoubted);
  });

  it('is all that was in a folder that went, though only the folder is told of', async () => {
    await rm(join(folder, 'deep'), { recursive: true });
    await until('it is told', isDoubted);
  });
});
