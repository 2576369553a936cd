import { describe, it } from 'mocha';
import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { contents, everyFile, git } from '../../../support/everyFile.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import { Desk } from './support.ts';

const everything = { scope: 'both', skip: [], overwrite: [] } as const;

function bash(command: string, more: object = {}): ScriptedTurn {
  return turn({ reply: message([toolUse('Bash', { command, ...more })]) });
}

const done = turn({ reply: message('Done.') });

interface Scene {
  readonly harness: EngineHarness;
  readonly session: Session;
}

async function afterCommands(commands: readonly ScriptedTurn[], files: Record<string, string>, prepare: (harness: EngineHarness) => Promise<void>, check: (scene: Scene) => Promise<void>): Promise<void> {
  const harness = await EngineHarness.start([...commands, done], { files });
  try {
    await prepare(harness);
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await runTurn(session, 'please');
    await check({ harness, session });
  } finally {
    await harness.close();
  }
}

function lastPrompt(session: Session): string {
  return session.rewindTargets()[0]!.messageId;
}

describe('what shell commands change comes back', () => {
  const files = { 'f.txt': 'a\na\n', 'x': 'ex\n', 'z': 'zed\n', 'other.txt': 'other\n', 'sub/deep/k.txt': 'k\n' };
  const command = 'sed -i s/a/b/ f.txt; echo n>new.txt; mv x y; rm z; mkdir -p made/empty; ln -s f.txt link; chmod 755 sub/deep/k.txt; mkdir made/full; echo 1 > made/full/one';

  for (const kind of ['without git', 'tracked by git', 'in git, but not tracked'] as const) {
    it(`edits, new files, moves, deletions, modes, links and folders, ${kind}`, async () => {
      let before: Record<string, string> = {};
      const prepare = async (harness: EngineHarness): Promise<void> => {
        if (kind !== 'without git') git(harness.cwd, 'init', '-q');
        if (kind === 'tracked by git') git(harness.cwd, 'add', '-A');
        if (kind === 'tracked by git') git(harness.cwd, 'commit', '-qm', 'first');
        before = await everyFile(harness.cwd);
      };
      await afterCommands([bash(command)], files, prepare, async ({ harness, session }) => {
        const plan = await session.planRewind(lastPrompt(session));
        assert.deepEqual(plan.notCovered, []);
        const names = (list: readonly string[]): string[] => list.map((path) => path.slice(harness.cwd.length + 1)).sort();
        assert.deepEqual(names(plan.files.map((file) => file.path)), ['f.txt', 'link', 'made/empty', 'made/full/one', 'new.txt', 'sub/deep/k.txt', 'x', 'y', 'z']);
        assert.ok(plan.files.every((file) => !file.changedSince));
        const changed = await everyFile(harness.cwd);
        const outcome = await session.rewind(lastPrompt(session), everything);
        assert.deepEqual(outcome.failed, []);
        const after = await everyFile(harness.cwd);
        assert.deepEqual(contents(after), contents(before));
        for (const [name, text] of Object.entries(before)) if (!['f.txt', 'x', 'z'].includes(name)) assert.equal(after[name], text, `${name} was touched`);
        assert.deepEqual((await session.undoRewind()).failed, []);
        assert.deepEqual(contents(await everyFile(harness.cwd)), contents(changed));
      });
    });
  }

  it('a file that a folder took the place of, and a folder that a file did', async () => {
    let before: Record<string, string> = {};
    await afterCommands([bash('rm x; mkdir x; echo in > x/y; rm -r sub; echo file > sub')], files, async ({ cwd }) => void (before = await everyFile(cwd)), async ({ harness, session }) => {
      const changed = await everyFile(harness.cwd);
      assert.deepEqual((await session.rewind(lastPrompt(session), everything)).failed, []);
      assert.deepEqual(contents(await everyFile(harness.cwd)), contents(before));
      assert.deepEqual((await session.undoRewind()).failed, []);
      assert.deepEqual(contents(await everyFile(harness.cwd)), contents(changed));
    });
  });

  it('a command that was ended by its time limit', async () => {
    await afterCommands([bash('echo changed > f.txt; sleep 30', { timeout: 300 })], files, async () => {}, async ({ harness, session }) => {
      assert.equal(await harness.read('f.txt'), 'changed\n');
      await session.rewind(lastPrompt(session), everything);
      assert.equal(await harness.read('f.txt'), 'a\na\n');
    });
  });

  it('a command in the background, while it runs and when it was ended', async () => {
    const harness = await EngineHarness.start([bash('echo one > f.txt; sleep 0.4; echo two > x; sleep 30', { run_in_background: true }), bash('sleep 0.6'), done, done], { files });
    try {
      const session = await harness.open({ permissionMode: 'bypassPermissions' });
      await runTurn(session, 'start it');
      const first = lastPrompt(session);
      const plan = await session.planRewind(first);
      assert.deepEqual(plan.files.map((file) => `${file.path.slice(harness.cwd.length + 1)} ${file.changedSince}`).sort(), ['f.txt false', 'x false']);
      await harness.write('z', 'by the user or by the command?\n');
      await runTurn(session, 'go on');
      const later = await session.planRewind(first);
      assert.equal(later.files.find((file) => file.path.endsWith('/z'))?.changedSince, true, 'between turns the user may have done it');
      await session.rewind(first, { ...everything, skip: [harness.path('z')] });
      assert.deepEqual([await harness.read('f.txt'), await harness.read('x'), await harness.read('z')], ['a\na\n', 'ex\n', 'by the user or by the command?\n']);
    } finally {
      await harness.close();
    }
  });

  it('two commands at once: what changed is taken back, and that either may have done it is said', async () => {
    const commands = turn({ reply: message([toolUse('Bash', { command: 'sleep 0.2; echo one > f.txt; sleep 30', run_in_background: true }, { id: 'first' }), toolUse('Bash', { command: 'echo two > x; until grep -q one f.txt; do sleep 0.05; done' }, { id: 'second' })]) });
    await afterCommands([commands], files, async () => {}, async ({ harness, session }) => {
      const plan = await session.planUndo({ toolUseId: 'second' });
      assert.deepEqual(plan.files.map(({ path }) => path.slice(harness.cwd.length + 1)).sort(), ['f.txt', 'x']);
      assert.deepEqual(plan.besideCommands, ['sleep 0.2; echo one > f.txt; sleep 30']);
      const whole = await session.planRewind(lastPrompt(session));
      assert.equal(whole.besideCommands, undefined, 'both are gone back before');
      await session.undo({ toolUseId: 'second' }, everything);
      assert.deepEqual([await harness.read('f.txt'), await harness.read('x')], ['a\na\n', 'ex\n']);
    });
  });

  it('a file that a background command changed and a tool changed after it, before anybody looked', () =>
    Desk.use(async (desk) => {
      desk.news = { take: () => undefined };
      await desk.restart();
      await writeFile(desk.at('f.txt'), 'one\ntwo\nthree\n');
      desk.say('m1');
      const recording = await desk.history.shellCommand('watch', 'background');
      await writeFile(desk.at('f.txt'), 'ONE\ntwo\nthree\n');
      await desk.agentWrites('f.txt', 'ONE\ntwo\nTHREE\n', 'edit');
      await recording.over();
      assert.deepEqual(desk.history.changes().map(({ toolUseId, paths }) => [toolUseId, paths.length]), [['edit', 1], ['background', 1]]);
      await desk.undoSelected({ toolUseId: 'background' });
      assert.equal(await readFile(desk.at('f.txt'), 'utf8'), 'one\ntwo\nTHREE\n');
      await desk.rewind('m1');
      assert.equal(await readFile(desk.at('f.txt'), 'utf8'), 'one\ntwo\nthree\n');
    }));

  it('although the look at them goes on beside the next request: an edit that follows waits for it', async () => {
    const calls = [bash('sed -i s/a/b/ f.txt'), turn({ reply: message([toolUse('Read', { file_path: 'f.txt' })]) }), turn({ reply: message([toolUse('Edit', { file_path: 'f.txt', old_string: 'b\nb', new_string: 'b\nc' })]) })];
    await afterCommands(calls, { 'f.txt': 'a\na\n' }, async () => {}, async ({ harness, session }) => {
      const lines = (await harness.transcript(session)).filter((line) => line['type'] === 'file-history-snapshot');
      const told = lines.flatMap((line) => ((line['files'] as { before?: object; after?: object }[] | undefined) ?? []).map((file) => [line['shellRun'] !== undefined, file.before !== undefined, file.after !== undefined]));
      assert.deepEqual(told, [[true, true, true], [false, true, false], [false, false, true]]);
      await session.rewind(lastPrompt(session), everything);
      assert.equal(await harness.read('f.txt'), 'a\na\n');
    });
  });

  it('a command of a sub-agent, with the call that started it', async () => {
    const task = turn({ reply: message([toolUse('Task', { description: 'Do it', prompt: 'Do it.', subagent_type: 'general-purpose' }, { id: 'task' })]) });
    await afterCommands([task, bash('echo b > f.txt; rm x; mkdir new; echo n > new/n'), turn({ reply: message('Did it.') })], files, async () => {}, async ({ harness, session }) => {
      assert.equal(await harness.read('f.txt'), 'b\n');
      assert.deepEqual(session.changes().map(({ toolUseId }) => toolUseId), ['task']);
      const outcome = await session.undo({ toolUseId: 'task' }, everything);
      assert.deepEqual([outcome.failed, await harness.read('f.txt'), await harness.read('x'), (await readdir(harness.cwd)).includes('new')], [[], 'a\na\n', 'ex\n', false]);
      await session.undoRewind();
      assert.equal(await harness.read('new/n'), 'n\n');
    });
  });

  it('after a restart, and after the user went on working: their files are theirs', async () => {
    await afterCommands([bash('echo b > f.txt; rm z')], files, async () => {}, async ({ harness, session }) => {
      const prompt = lastPrompt(session);
      await harness.write('other.txt', 'mine\n');
      await harness.write('f.txt', 'mine too\n');
      await session.dispose();
      const again = await harness.open({ resume: session.sessionId });
      const plan = await again.planRewind(prompt);
      assert.deepEqual(plan.files.map(({ path, changedSince }) => `${path.slice(harness.cwd.length + 1)} ${changedSince}`).sort(), ['f.txt true', 'z false']);
      await again.rewind(prompt, { ...everything, skip: [harness.path('f.txt')] });
      assert.deepEqual([await harness.read('z'), await harness.read('f.txt'), await harness.read('other.txt')], ['zed\n', 'mine too\n', 'mine\n']);
    });
  });

  it('names with spaces, line feeds and other letters', async () => {
    const strange = { 'a b/c d.txt': '1', 'line\nfeed': '2', 'ünïcödé 北京': '3', '-rf': '4' };
    let before: Record<string, string> = {};
    await afterCommands([bash('for f in *; do [ -f "$f" ] && echo x > "./$f"; done; rm -r "a b"')], strange, async ({ cwd }) => {
      git(cwd, 'init', '-q');
      git(cwd, 'add', '-A');
      git(cwd, 'commit', '-qm', 'first');
      before = contents(await everyFile(cwd));
    }, async ({ harness, session }) => {
      assert.deepEqual((await session.planRewind(lastPrompt(session))).notCovered, []);
      await session.rewind(lastPrompt(session), everything);
      assert.deepEqual(contents(await everyFile(harness.cwd)), before);
    });
  });
});

describe('what can not be brought back is said, and nothing else', () => {
  it('a command that changed nothing is not listed', async () => {
    await afterCommands([bash('ls; cat f.txt; git status; touch f.txt')], { 'f.txt': 'a\n' }, async ({ cwd }) => void git(cwd, 'init', '-q'), async ({ session }) => {
      const plan = await session.planRewind(lastPrompt(session));
      assert.deepEqual([plan.files, plan.notCovered], [[], []]);
    });
  });

  it('ignored files, by name, also without git; a commit, too', async () => {
    await afterCommands([bash('echo x > dist/out.js; echo y > node_modules/a/b.js; mkdir node_modules/c; echo l > a.log; git add -A; git -c user.name=t -c user.email=t@e.com commit -qm second')], { '.gitignore': 'dist/\n*.log\n', 'dist/out.js': 'old\n', 'node_modules/a/b.js': 'b\n', 'f.txt': 'f\n' }, async ({ cwd }) => void git(cwd, 'init', '-q'), async ({ harness, session }) => {
      const plan = await session.planRewind(lastPrompt(session));
      assert.deepEqual(plan.files, []);
      assert.deepEqual(plan.notCovered.map(({ name }) => name.slice(harness.cwd.length + 1)).sort(), ['.git', 'a.log', 'dist', 'node_modules']);
      const before = await everyFile(harness.cwd);
      await session.rewind(lastPrompt(session), everything);
      assert.deepEqual(await everyFile(harness.cwd), before);
    });
  });

  for (const isTracked of [false, true]) {
    it(`files and folders whose names are no UTF-8, ${isTracked ? '' : 'not '}tracked by git, and only those that a command changed`, async () => {
      const raw = (cwd: string, name: string): Buffer => Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name, 'latin1')]);
      let isTaken = true;
      await afterCommands([bash('ls'), bash('echo b > f.txt; echo b > caf*; rm gone*; echo n > "$(printf "sub/new\\376")"')], { 'f.txt': 'a\n', 'sub/s.txt': 's\n' }, async ({ cwd }) => {
        for (const name of ['caf\xe9', 'gone\xfe', 'gone\xff', 'same\xff']) await writeFile(raw(cwd, name), 'a\n').catch(() => (isTaken = false));
        if (isTracked) git(cwd, 'init', '-q');
        if (isTracked) git(cwd, 'add', '-A');
        if (isTracked) git(cwd, 'commit', '-qm', 'first');
      }, async ({ harness, session }) => {
        if (!isTaken) return console.log('      did not run: this file system takes no such names');
        const reason = 'its name is not valid UTF-8, and such files are not kept';
        const plan = await session.planRewind(lastPrompt(session));
        assert.deepEqual(plan.files.map(({ path }) => path), [harness.path('f.txt')]);
        assert.deepEqual(plan.notCovered.toSorted((a, b) => (a.name < b.name ? -1 : 1)), ['caf\ufffd', 'gone\ufffd', 'sub/new\ufffd'].map((name) => ({ name: harness.path(name), reason })));
        await session.rewind(lastPrompt(session), everything);
        assert.equal(await readFile(raw(harness.cwd, 'caf\xe9'), 'utf8'), 'b\n');
        await mkdir(raw(harness.cwd, 'folder\xff'));
        harness.server.push(bash('echo b > folder*/inside'), done);
        await runTurn(session, 'again');
        const [gap] = (await session.planRewind(lastPrompt(session))).notCovered;
        assert.match(`${gap?.name} ${gap?.reason}`, /echo b.*folder\ufffd: its name is not valid UTF-8, what it changed there can't be brought back/s);
      });
    });
  }

  it('an untracked file of 5 GB is never read, and named only when a command touched it', async () => {
    const prepare = async (harness: EngineHarness): Promise<void> => {
      await writeFile(harness.path('huge.bin'), '');
      await truncate(harness.path('huge.bin'), 5 * 1024 ** 3);
    };
    await afterCommands([bash('echo b > f.txt')], { 'f.txt': 'a\n' }, prepare, async ({ session }) => assert.deepEqual((await session.planRewind(lastPrompt(session))).notCovered, []));
    await afterCommands([bash('echo b >> huge.bin')], { 'f.txt': 'a\n' }, prepare, async ({ harness, session }) => {
      const plan = await session.planRewind(lastPrompt(session));
      assert.deepEqual(plan.notCovered, [{ name: harness.path('huge.bin'), reason: 'it is larger than 5 MB, and git does not keep it' }]);
    });
  });

  it('a tracked file in another form than git keeps it is copied; one of 6 MB that is clean needs no copy', async () => {
    let before: Record<string, string> = {};
    await afterCommands([bash('for f in *; do echo changed > "$f"; done')], { 'crlf.txt': 'a\r\nb\r\n', 'lf.txt': 'a\nb\n', 'large.bin': 'x'.repeat(6_000_000), 'id.c': '$Id$\n' }, async ({ cwd }) => {
      git(cwd, 'init', '-q');
      await writeFile(join(cwd, '.gitattributes'), '* text=auto\n*.c ident\n');
      git(cwd, 'add', '-A');
      git(cwd, 'commit', '-qm', 'first');
      before = contents(await everyFile(cwd));
    }, async ({ harness, session }) => {
      assert.deepEqual((await session.planRewind(lastPrompt(session))).notCovered, []);
      await session.rewind(lastPrompt(session), everything);
      assert.deepEqual(contents(await everyFile(harness.cwd)), before);
    });
  });
});

describe('what must not or shall not be kept', () => {
  it('the content of a file that a rule denies is in no snapshot, and that is said when a command changed it', async () => {
    const harness = await EngineHarness.start([bash('sh script.sh'), done], { files: { '.env.local': 'KEY=very-secret\n', 'script.sh': 'echo other > .env.local\n' } });
    try {
      const session = await harness.open({ permissionMode: 'bypassPermissions', permissionRules: { deny: ['Read(**/.env*)'] } });
      await runTurn(session, 'please');
      const plan = await session.planRewind(lastPrompt(session));
      assert.equal(await harness.read('.env.local'), 'other\n');
      assert.deepEqual(plan.notCovered.map(({ name }) => name), [harness.path('.env.local')]);
      for (const name of await readdir(harness.dataRoot, { recursive: true })) {
        const stat = await lstat(join(harness.dataRoot, name));
        if (stat.isFile()) assert.ok(!(await readFile(join(harness.dataRoot, name), 'utf8')).includes('very-secret'), name);
      }
    } finally {
      await harness.close();
    }
  });

  it('with the file history switched off nothing is kept, and going back says so', async () => {
    const harness = await EngineHarness.start([bash('echo b > f.txt'), done], { files: { 'f.txt': 'a\n' } });
    try {
      const session = await harness.open({ permissionMode: 'bypassPermissions', fileHistory: false });
      await runTurn(session, 'please');
      const plan = await session.planRewind(lastPrompt(session));
      assert.deepEqual(plan.files, []);
      assert.deepEqual(plan.notCovered.map(({ name }) => name), ['Shell command `echo b > f.txt`', 'Changes to files']);
      assert.equal(await readdir(join(harness.dataRoot, 'blobs')).catch(() => 'none'), 'none');
    } finally {
      await harness.close();
    }
  });
});

describe('nothing else is touched', () => {
  it('nested repositories, submodules and worktrees: HEAD, index and status stay; an edit inside a submodule comes back', async () => {
    let before: Record<string, string> = {};
    await afterCommands([bash('echo changed > sub/s.txt; echo changed > nested/n.txt; echo changed > tree/w.txt; rm nested/untracked')], {}, async ({ cwd }) => {
      const library = join(cwd, '..', 'library');
      for (const [folder, file] of [[library, 's.txt'], [cwd, 'w.txt'], [join(cwd, 'nested'), 'n.txt']] as const) {
        await mkdir(folder, { recursive: true });
        git(folder, 'init', '-q');
        await writeFile(join(folder, file), `${file}\n`);
        git(folder, 'add', file);
        git(folder, 'commit', '-qm', 'first');
      }
      await writeFile(join(cwd, 'nested', 'untracked'), 'u\n');
      git(cwd, 'submodule', 'add', '-q', library, 'sub');
      git(cwd, 'worktree', 'add', '-q', 'tree');
      await symlink('nested', join(cwd, 'toFolder'));
      before = await everyFile(cwd);
    }, async ({ harness, session }) => {
      const plan = await session.planRewind(lastPrompt(session));
      assert.deepEqual(plan.notCovered, []);
      assert.equal(plan.files.length, 4);
      await session.rewind(lastPrompt(session), everything);
      const after = await everyFile(harness.cwd);
      assert.deepEqual(contents(after), contents(before));
      const touched = Object.keys(before).filter((name) => after[name] !== before[name]);
      assert.deepEqual(touched.sort(), ['nested/n.txt', 'nested/untracked', 'sub/s.txt', 'tree/w.txt']);
    });
  });

  it('200 files, an untracked large one and commits of the user between turns: only what the agent changed', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index % 7}/f${index}.txt`, `${index}\n`]));
    const harness = await EngineHarness.start([bash('echo b > a.txt'), done, bash('echo c > a.txt'), done], { files: { ...many, 'a.txt': 'a\n', 'out/big.jsonl': '{}\n'.repeat(1000) } });
    try {
      git(harness.cwd, 'init', '-q');
      git(harness.cwd, 'add', '-A', 'p1', 'a.txt');
      git(harness.cwd, 'commit', '-qm', 'first');
      const session = await harness.open({ permissionMode: 'bypassPermissions' });
      await runTurn(session, 'one');
      await harness.write('p2/mine.txt', 'mine\n');
      git(harness.cwd, 'commit', '-qam', 'second');
      git(harness.cwd, 'stash', 'list');
      await runTurn(session, 'two');
      const before = await everyFile(harness.cwd);
      await session.rewind(session.rewindTargets().at(-1)!.messageId, everything);
      const after = await everyFile(harness.cwd);
      assert.equal(await harness.read('a.txt'), 'a\n');
      assert.deepEqual(Object.keys(before).filter((name) => after[name] !== before[name]), ['a.txt']);
    } finally {
      await harness.close();
    }
  });
});
