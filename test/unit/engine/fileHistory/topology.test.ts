import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, link, lstat, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { contents, everyFile, git } from '../../../support/everyFile.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const everything = { scope: 'both', skip: [], overwrite: [] } as const;
type Call = ReturnType<typeof toolUse>;
const bash = (command: string): Call => toolUse('Bash', { command });
const edit = (file_path: string, old_string: string, new_string: string): Call => toolUse('Edit', { file_path, old_string, new_string });
const write = (file_path: string, content: string): Call => toolUse('Write', { file_path, content });
const read = (file_path: string): Call => toolUse('Read', { file_path });

function lastPrompt(session: Session): string {
  return session.rewindTargets()[0]!.messageId;
}

/** Where the project lies, and what lies around it. */
describe('wherever a file lies, going back brings it back and touches nothing else', function () {
  this.timeout(60_000);
  let harness: EngineHarness;

  beforeEach(async () => {
    harness = await EngineHarness.start();
  });
  afterEach(() => harness.close());

  /** One turn with these calls, one after the other. Gives what they were told. */
  async function play(session: Session, calls: readonly Call[], prompt = 'please'): Promise<string[]> {
    harness.server.push(...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('Done.') }));
    await runTurn(session, prompt);
    return Object.values(toolResults(harness.server.requests.at(-1)!.body)).slice(-calls.length);
  }

  /** Plays, goes back, takes that back and goes back again: exact each time, and nothing was touched but these files. */
  async function thereAndBack(session: Session, folder: string, calls: readonly Call[], changed: readonly string[]): Promise<void> {
    const before = await everyFile(folder);
    await play(session, calls);
    const then = await everyFile(folder);
    const plan = await session.planRewind(lastPrompt(session));
    assert.deepEqual(plan.notCovered, []);
    assert.deepEqual(plan.files.map(({ path }) => path.slice(folder.length + 1)).sort(), [...changed].sort());
    assert.ok(plan.files.every(({ changedSince }) => !changedSince));
    assert.deepEqual((await session.rewind(lastPrompt(session), everything)).failed, []);
    const after = await everyFile(folder);
    assert.deepEqual(contents(after), contents(before));
    assert.deepEqual(Object.keys(before).filter((name) => after[name] !== before[name] && !changed.includes(name)), []);
    assert.deepEqual((await session.undoRewind()).failed, []);
    assert.deepEqual(contents(await everyFile(folder)), contents(then));
    await session.rewind(lastPrompt(session), everything);
    assert.deepEqual(contents(await everyFile(folder)), contents(before));
  }

  it('in two folders of a workspace that have files of the same name', async () => {
    const all = dirname(harness.cwd);
    const other = join(all, 'other');
    await mkdir(join(other, 'src'), { recursive: true });
    await writeFile(join(other, 'src/x.ts'), 'in other\n');
    await harness.write('src/x.ts', 'in workspace\n');
    git(other, 'init', '-q');
    const session = await harness.open({ permissionMode: 'bypassPermissions', roots: [harness.cwd, other] });
    const first = harness.server.requests.length;
    const told = await play(session, [edit(join(other, 'src/x.ts'), 'in other', 'changed'), bash(`pwd; echo by shell > src/x.ts; echo made > ${other}/made.txt`), bash(`cd ${other}; rm src/x.ts`), bash('pwd')], 'change @other/src/x.ts');
    assert.match(JSON.stringify(harness.server.requests[first]!.body), /in other/);
    assert.doesNotMatch(JSON.stringify(harness.server.requests[first]!.body), /in workspace/);
    assert.match(told[0]!, /^Changed/);
    assert.ok(told[3]!.startsWith(harness.cwd), told[3]);
    const plan = await session.planRewind(lastPrompt(session));
    assert.deepEqual([plan.notCovered, plan.files.map(({ path }) => path.slice(all.length + 1)).sort()], [[], ['other/made.txt', 'other/src/x.ts', 'workspace/src/x.ts']]);
    await session.rewind(lastPrompt(session), everything);
    assert.deepEqual([await readFile(join(other, 'src/x.ts'), 'utf8'), await harness.read('src/x.ts')], ['in other\n', 'in workspace\n']);
    await assert.rejects(lstat(join(other, 'made.txt')));
  });

  it('on another file system, mounted within the workspace or as the workspace', async () => {
    const disk = harness.path('disk');
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      console.log('      did not run: nothing can be mounted here');
      return;
    }
    try {
      await harness.write('near.txt', 'near\n');
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await harness.write(`disk/${name}`, `${name}\n`);
      const calls = [read('disk/a.txt'), edit('disk/a.txt', 'a.txt', 'edited'), write('disk/made/new.txt', 'new\n'), bash('mv disk/b.txt .; mv near.txt disk/; rm disk/c.txt; chmod 700 disk/a.txt')];
      const within = await harness.open({ permissionMode: 'bypassPermissions' });
      await thereAndBack(within, harness.cwd, calls, ['b.txt', 'disk/a.txt', 'disk/b.txt', 'disk/c.txt', 'disk/made/new.txt', 'disk/near.txt', 'near.txt']);
      const itself = await harness.open({ permissionMode: 'bypassPermissions', cwd: disk });
      await thereAndBack(itself, disk, [read('a.txt'), edit('a.txt', 'a.txt', 'edited'), write('made/new.txt', 'new\n'), bash('mv b.txt d.txt; ln -s d.txt l; rm c.txt')], ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'l', 'made/new.txt']);
      for (const session of [within, itself]) await session.dispose();
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('in an ignored folder, and outside of the workspace, by the tools', async () => {
    const outside = join(dirname(harness.cwd), 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'o.txt'), 'outside\n');
    await harness.write('.gitignore', 'dist/\n');
    await harness.write('dist/out.js', 'old\n');
    await harness.write('node_modules/a/b.js', 'b\n');
    const session = await harness.open();
    const calls = [read('dist/out.js'), edit('dist/out.js', 'old', 'new'), write('dist/made.js', 'made\n'), read('node_modules/a/b.js'), edit('node_modules/a/b.js', 'b', 'c'), read(join(outside, 'o.txt')), edit(join(outside, 'o.txt'), 'outside', 'changed'), write(join(outside, 'made.txt'), 'made\n')];
    const before = await everyFile(dirname(harness.cwd));
    await play(session, calls);
    const plan = await session.planRewind(lastPrompt(session));
    assert.deepEqual([plan.files.length, plan.notCovered], [5, []]);
    await session.rewind(lastPrompt(session), everything);
    const after = await everyFile(dirname(harness.cwd));
    const ours = ([name]: [string, string]): boolean => !name.startsWith('data');
    assert.deepEqual(Object.entries(contents(after)).filter(ours), Object.entries(contents(before)).filter(ours));
  });

  it('under names that are hard to write, by the tools and by commands', async () => {
    const names = ['line\nfeed.txt', ' first', 'last ', '-rf', '--', 'a"b\'c', 'back\\slash', '*?[x].txt', '$HOME', '`id`', '%41', '#1', 'a:b', '~', 'é.txt', 'e\u0301.txt', '👩‍👩‍👧', '\u202Ertl', 'tab\there', 'x'.repeat(255), '…', 'CON', 'a;b&c|d'];
    for (const name of names) await harness.write(name, 'old\n');
    git(harness.cwd, 'init', '-q');
    for (const tracked of [false, true]) {
      if (tracked) git(harness.cwd, 'add', '-A');
      if (tracked) git(harness.cwd, 'commit', '-qm', 'all');
      const session = await harness.open({ permissionMode: 'bypassPermissions' });
      await thereAndBack(session, harness.cwd, names.flatMap((name) => [read(harness.path(name)), edit(harness.path(name), 'old', 'new')]), names);
      await thereAndBack(session, harness.cwd, [bash('for f in * ; do echo changed > "./$f"; done')], names);
    }
  });

  it('under a second name: a hard link stays one, a link out of the workspace leads to what it did', async () => {
    await mkdir(harness.path('../outside'));
    await writeFile(harness.path('../outside/o.txt'), 'outside\n');
    await harness.write('one.txt', 'old\n');
    await link(harness.path('one.txt'), harness.path('two.txt'));
    await symlink('../outside/o.txt', harness.path('out.txt'));
    const session = await harness.open({ permissionMode: 'acceptEdits' });
    await play(session, [read('one.txt'), edit('one.txt', 'old', 'new'), read('out.txt'), edit('out.txt', 'outside', 'changed')]);
    assert.deepEqual(harness.requests.filter(({ toolName }) => toolName === 'Edit').map(({ proposal }) => proposal?.targetPath), [join(dirname(harness.cwd), 'outside/o.txt')]);
    assert.equal(await harness.read('two.txt'), 'new\n');
    await session.rewind(lastPrompt(session), everything);
    assert.deepEqual([await harness.read('one.txt'), await harness.read('two.txt'), await harness.read('../outside/o.txt')], ['old\n', 'old\n', 'outside\n']);
    assert.equal((await stat(harness.path('one.txt'))).ino, (await stat(harness.path('two.txt'))).ino);
    assert.ok((await lstat(harness.path('out.txt'))).isSymbolicLink());
  });

  it('with bits of its mode that are more than permissions', async () => {
    const names = ['edited', 'removed', 'opened'];
    const modes = async (): Promise<number[]> => Promise.all(names.map(async (name) => (await stat(harness.path(name))).mode & 0o7777));
    for (const name of names) {
      await harness.write(name, 'old\n');
      await chmod(harness.path(name), 0o6750);
    }
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await play(session, [read('edited'), edit('edited', 'old', 'new'), bash('rm removed; chmod 644 opened')]);
    await session.rewind(lastPrompt(session), everything);
    assert.deepEqual(await modes(), [0o6750, 0o6750, 0o6750]);
    await session.undoRewind();
    assert.equal((await stat(harness.path('edited'))).mode & 0o7777, 0o6750);
  });

  it('in a repository with stash, staged changes, tags and hooks: of .git not even the time of a folder changes', async () => {
    const { cwd } = harness;
    git(cwd, 'init', '-q');
    for (const name of ['a.txt', 'b.txt', 'staged.txt', 'dirty.txt']) await harness.write(name, `${name}\n`);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-qm', 'first');
    git(cwd, 'tag', 'v1');
    await harness.write('a.txt', 'stashed\n');
    git(cwd, 'stash');
    await harness.write('staged.txt', 'staged\n');
    git(cwd, 'add', 'staged.txt');
    await harness.write('dirty.txt', 'dirty\n');
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit']) await writeFile(join(cwd, `.git/hooks/${hook}`), '#!/bin/sh\necho ran >> hook-ran\n', { mode: 0o755 });
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await thereAndBack(session, cwd, [read('a.txt'), edit('a.txt', 'a.txt', 'edited'), bash('echo s > staged.txt; echo d > dirty.txt; rm b.txt; echo n > new.txt')], ['a.txt', 'b.txt', 'dirty.txt', 'new.txt', 'staged.txt']);
    await assert.rejects(lstat(harness.path('hook-ran')));
  });

  it('beside an untracked file of 5 GB without git: it is neither read nor copied, and the tools say that they do not change it', async () => {
    await harness.write('huge.bin', '');
    await truncate(harness.path('huge.bin'), 5 * 1024 ** 3);
    await harness.write('f.txt', 'f\n');
    const huge = await stat(harness.path('huge.bin'));
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await thereAndBack(session, harness.cwd, [read('f.txt'), edit('f.txt', 'f', 'g'), bash('echo h > f.txt; rm -f none')], ['f.txt']);
    const told = await play(session, [read('huge.bin'), edit('huge.bin', 'a', 'b'), write('huge.bin', 'small\n')]);
    for (const each of told) assert.match(each, /huge\.bin/);
    const now = await stat(harness.path('huge.bin'));
    assert.deepEqual([now.size, now.mtimeMs, now.ino, now.blocks], [huge.size, huge.mtimeMs, huge.ino, huge.blocks], told.join('\n'));
    const used = execFileSync('du', ['-sk', harness.dataRoot], { encoding: 'utf8' });
    assert.ok(Number.parseInt(used) < 1024, used);
  });

  it('of two sessions in one workspace, one goes back and the other’s files stay', async () => {
    for (const name of ['a.txt', 'b.txt', 'both.txt']) await harness.write(name, 'first\n\n\n\n\nlast\n');
    const [one, two] = [await harness.open({ permissionMode: 'bypassPermissions' }), await harness.open({ permissionMode: 'bypassPermissions' })];
    await play(one, [read('a.txt'), edit('a.txt', 'first', 'one'), read('both.txt'), edit('both.txt', 'first', 'one')]);
    await play(two, [bash('echo two > b.txt; echo made > made.txt'), read('both.txt'), edit('both.txt', 'last', 'two')]);
    const plan = await one.planRewind(lastPrompt(one));
    assert.deepEqual(plan.files.map(({ path, changedSince }) => `${path.slice(harness.cwd.length + 1)} ${changedSince}`).sort(), ['a.txt false', 'both.txt true']);
    await one.rewind(lastPrompt(one), { ...everything, merge: [harness.path('both.txt')] });
    assert.deepEqual(await Promise.all(['a.txt', 'b.txt', 'both.txt', 'made.txt'].map((name) => harness.read(name))), ['first\n\n\n\n\nlast\n', 'two\n', 'first\n\n\n\n\ntwo\n', 'made\n']);
  });
});
