import fc from 'fast-check';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TreeEntry, TreeScanner } from '../../src/engine/ports.ts';
import { createTreeScanner } from '../../src/platform/treeScanner.ts';

const run = promisify(execFile);
const everything = { extraPaths: new Set<string>(), timeBudgetMs: 60_000 };
const name = fc.constantFrom('a', 'b', 'd/c', 'd/deep/e', 'd/deep/f', 'out/x', 'sub/s', 'd', 'loose');
const step = fc.oneof(
  name.map((file) => `mkdir -p "$(dirname ${file})"; echo "$RANDOM" > ${file}`),
  // The same size, and the time that it had.
  name.map((file) => `[ -f ${file} ] && { touch -r ${file} .git/t; tr a-z b-za < ${file} > .git/n; cat .git/n > ${file}; touch -r .git/t ${file}; }`),
  name.map((file) => `rm -rf ${file}`),
  fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(name, name).map(([target, link]) => `ln -sf ${target} ${link}`),
  name.map((file) => `[ -f ${file} ] && chmod 600 ${file}`),
  fc.constantFrom('git add -A', 'git commit -qam x', 'git status', 'git checkout -q .', 'git reset -q', 'git rm -rq --cached d', 'git stash -q', 'git update-index --assume-unchanged a', 'touch a d/c', 'echo out > .gitignore', 'git -C sub add -A'),
  fc.constantFrom('trustctime false', 'checkStat minimal', 'fileMode false', 'ignoreStat true', 'autocrlf true', 'untrackedCache true').map((setting) => `git config core.${setting}; git status`),
  fc.constantFrom('--skip-worktree d/c', '--no-skip-worktree d/c', '--no-assume-unchanged a', '--split-index', '--no-split-index', '--index-version 4', '--refresh').map((flag) => `git update-index ${flag}`),
  fc.constantFrom('git add -N loose', 'git sparse-checkout set --cone d/deep', 'git sparse-checkout set --sparse-index d/deep', 'git sparse-checkout disable', 'touch .git/index.lock', 'echo > .git/index'),
);

function known(scanner: TreeScanner): Record<string, TreeEntry> {
  return Object.fromEntries([...scanner.entries].filter(([path]) => !path.includes('/.git/')).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whatever git is asked, the tree is known as if each file had been looked at. */
describe('files that git finds unchanged', function () {
  this.timeout(120_000);

  it('are not looked at, and every change is seen all the same', async () => {
    const top = realpathSync(await mkdtemp(join(tmpdir(), 'turnstone-')));
    try {
      const courses = fc.sample(fc.array(step, { minLength: 1, maxLength: 6 }), 60);
      const git = 'git -c user.name=t -c user.email=t@e.com';
      const shell = (folder: string, command: string): Promise<unknown> => run('bash', ['-c', command.replace(/(^|[;{] )git /g, `$1${git} `)], { cwd: folder }).catch(() => {});
      const folders = courses.map((_, at) => join(top, String(at)));
      for (const folder of folders) await shell(top, `mkdir -p ${folder}/d/deep ${folder}/out ${folder}/sub; cd ${folder}; for f in a b d/c d/deep/e d/deep/f out/x sub/s; do echo $f > $f; done; git init -q; git add a b d out; git commit -qm first; git init -q sub; echo l > loose`);
      // As old as files are in which git may be trusted.
      await pause(3_000);
      for (const [at, folder] of folders.entries()) {
        const scanner = createTreeScanner({ roots: [folder], excluded: [], asksGitFrom: 1 });
        await scanner.scan(everything);
        for (const command of courses[at]!) {
          const before = new Map(scanner.entries);
          await shell(folder, command);
          const { changes } = await scanner.scan(everything);
          const afresh = createTreeScanner({ roots: [folder], excluded: [], asksGitFrom: Infinity });
          await afresh.scan(everything);
          assert.deepEqual(known(scanner), known(afresh), `after ${command} in ${courses[at]!.join('; ')}`);
          const differ = [...new Set([...before.keys(), ...scanner.entries.keys()])].filter((path) => before.get(path) !== scanner.entries.get(path));
          assert.deepEqual(changes.map(({ path }) => path).sort(), differ.sort());
        }
      }
    } finally {
      await rm(top, { recursive: true, force: true });
    }
  });

  it('with thousands of them it takes no more looks than there are changes', async () => {
    const folder = realpathSync(await mkdtemp(join(tmpdir(), 'turnstone-')));
    try {
      await run('bash', ['-c', 'for d in $(seq 30); do mkdir d$d; for f in $(seq 100); do echo $f > d$d/f$f; done; done; git init -q; git add -A; git -c user.name=t -c user.email=t@e.com commit -qm first'], { cwd: folder });
      await pause(3_000);
      const scanner = createTreeScanner({ roots: [folder], excluded: [] });
      await scanner.scan(everything);
      const first = scanner.entries.get(join(folder, 'd1/f1'));
      await run('bash', ['-c', 'echo changed > d7/f9; rm d8/f1; echo new > d9/new'], { cwd: folder });
      const { changes } = await scanner.scan(everything);
      assert.deepEqual(changes.map(({ path }) => path.slice(folder.length + 1)).filter((path) => !/^d\d+$/.test(path)).sort(), ['d7/f9', 'd8/f1', 'd9/new']);
      assert.equal(scanner.entries.get(join(folder, 'd1/f1')), first);
      assert.equal(scanner.entries.get(join(folder, 'd7/f9'))!.size, lstatSync(join(folder, 'd7/f9')).size);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are those of the repository that the folder lies in, whatever index the environment names', async () => {
    const folder = realpathSync(await mkdtemp(join(tmpdir(), 'turnstone-')));
    process.env['GIT_INDEX_FILE'] = join(folder, '.git/other');
    try {
      await run('bash', ['-c', 'echo a > f; git init -q; env -u GIT_INDEX_FILE git add f'], { cwd: folder });
      await pause(3_000);
      const scanner = createTreeScanner({ roots: [folder], excluded: [], asksGitFrom: 1 });
      await scanner.scan(everything);
      await writeFile(join(folder, 'f'), 'changed');
      assert.deepEqual((await scanner.scan(everything)).changes.map(({ path }) => path), [join(folder, 'f')]);
    } finally {
      delete process.env['GIT_INDEX_FILE'];
      await rm(folder, { recursive: true, force: true });
    }
  });
});
