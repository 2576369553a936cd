import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isTurnstoneError } from '../../../src/base/errors.ts';
import type { ShellExit } from '../../../src/engine/ports.ts';
import { createNodeShell } from '../../../src/platform/nodeShell.ts';

const shell = createNodeShell({ graceMs: 300 });
let folder: string;

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ShellExit;
}

async function run(command: string, options: { signal?: AbortSignal; timeoutMs?: number; onOutput?: (text: string) => void } = {}): Promise<Ran> {
  const running = shell.run({ command, cwd: folder, timeoutMs: options.timeoutMs ?? 60_000 }, options.signal ?? new AbortController().signal);
  const text = { stdout: '', stderr: '' };
  for (;;) {
    const step = await running.next();
    if (step.done) return { ...text, exit: step.value };
    text[step.value.stream] += step.value.text;
    options.onOutput?.(text.stdout);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A zombie waits for init to notice it; that is not ours to hurry. */
async function isRunning(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' R ');
  return !/\) Z /.test(stat);
}

/** Starts two children and a grandchild in a session of its own, which ignores SIGTERM, and prints all ids. */
const family = `sleep 300 & echo $! ; (sleep 301; true) & echo $! ; setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & sleep 0.5; echo ready; wait`;

describe('nodeShell', function () {
  this.timeout(30_000);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-shell-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('runs a command in its folder and tells output and exit code', async () => {
    await writeFile(join(folder, 'a.txt'), 'x');
    const ran = await run('ls; echo bad >&2; exit 3');
    assert.deepEqual({ ...ran, exit: { ...ran.exit, durationMs: 0 } }, {
      stdout: 'a.txt\n',
      stderr: 'bad\n',
      exit: { exitCode: 3, timedOut: false, interrupted: false, durationMs: 0 },
    });
  });

  it('has closed input, so that nothing waits for an answer', async () => {
    assert.equal((await run('cat; echo over')).stdout, 'over\n');
  });

  it('decodes characters that are cut between two chunks', async () => {
    const ran = await run(`printf '\\xe5\\x8c'; sleep 0.1; printf '\\x97\\xe4'; sleep 0.1; printf '\\xba\\xac'`);
    assert.equal(ran.stdout, '北京');
  });

  it('loses nothing of a long output, however slowly it is read', async () => {
    const running = shell.run({ command: 'seq 1 600000', cwd: folder, timeoutMs: 60_000 }, new AbortController().signal);
    let text = '';
    let pauses = 0;
    for (;;) {
      const step = await running.next();
      if (step.done) break;
      text += step.value.text;
      if (pauses++ < 5) await wait(150);
    }
    assert.ok(text.endsWith('599999\n600000\n'));
    assert.equal(text.split('\n').length, 600_001);
  });

  it('ends the whole process tree on abort, sessions of their own included', async () => {
    const controller = new AbortController();
    const ran = await run(family, { signal: controller.signal, onOutput: (text) => text.includes('ready') && controller.abort() });
    assert.deepEqual([ran.exit.interrupted, ran.exit.timedOut, ran.exit.exitCode], [true, false, null]);
    const pids = ran.stdout.split('\n').filter((line) => /^\d+$/.test(line)).map(Number);
    assert.equal(pids.length, 3);
    for (const pid of pids) assert.equal(await isRunning(pid), false, `process ${pid} lives`);
  });

  it('ends the tree when time is over, and says that it was that', async () => {
    const ran = await run('sleep 300 & echo $!; wait', { timeoutMs: 300 });
    assert.deepEqual([ran.exit.timedOut, ran.exit.interrupted], [true, false]);
    assert.equal(await isRunning(Number(ran.stdout)), false);
  });

  it('ends the tree when the reader stops early', async () => {
    const running = shell.run({ command: 'sleep 300 & echo $!; wait', cwd: folder, timeoutMs: 60_000 }, new AbortController().signal);
    const first = await running.next();
    assert.ok(!first.done);
    await running.return({ exitCode: null, timedOut: false, interrupted: true, durationMs: 0 });
    assert.equal(await isRunning(Number(first.value.text)), false);
  });

  it('does not wait for what a command leaves in the background, and leaves nothing', async () => {
    const ran = await run('sleep 300 & echo $!');
    assert.equal(ran.exit.exitCode, 0);
    await wait(50);
    assert.equal(await isRunning(Number(ran.stdout)), false);
  });

  it('runs nothing after an abort', async () => {
    const ran = await run('echo x > made', { signal: AbortSignal.abort() });
    assert.equal(ran.exit.interrupted, true);
    await assert.rejects(readFile(join(folder, 'made')));
  });

  it('says so when the folder is gone', async () => {
    await rm(folder, { recursive: true });
    await assert.rejects(run('true'), (error) => isTurnstoneError(error) && /does not exist/.test(error.message));
  });

  it('takes no command with a NUL character', async () => {
    await assert.rejects(run('echo a\0b'), (error) => isTurnstoneError(error) && /NUL character/.test(error.message));
  });

  it('withholds keys from the command', async () => {
    process.env['SOME_API_KEY'] = 'secret-value';
    process.env['VSCODE_TEST_ONLY'] = 'secret-value';
    try {
      assert.doesNotMatch((await run('env')).stdout, /secret-value/);
    } finally {
      delete process.env['SOME_API_KEY'];
      delete process.env['VSCODE_TEST_ONLY'];
    }
  });
});
