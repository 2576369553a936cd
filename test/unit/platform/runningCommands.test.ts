import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftOverCommands, RunningCommands } from '../../../src/platform/runningCommands.ts';
import { createNodeShell } from '../../../src/platform/nodeShell.ts';

const goneProcess = 2 ** 22 + 1;

describe('Commands that outlive their process', function () {
  this.timeout(20_000);
  let folder: string;
  let file: string;
  let child: ChildProcess;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-'));
    file = join(folder, 's.running.json');
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: { ...process.env, TURNSTONE_COMMAND: 'mine' } });
    await once(child, 'spawn');
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** As a process that was killed would have left it. */
  function leave(change: object = {}, owner: object = { pid: goneProcess }): void {
    new RunningCommands(join(folder, 's.jsonl')).add({ mark: 'TURNSTONE_COMMAND=mine', command: 'serve' }).started(child.pid!);
    const record = JSON.parse(readFileSync(file, 'utf8')) as { owner: object; commands: [object] };
    writeFileSync(file, JSON.stringify({ owner: { ...record.owner, ...owner }, commands: [{ ...record.commands[0], ...change }] }));
  }

  it('are ended, and told once', async () => {
    leave();
    assert.deepEqual(await endLeftOverCommands(folder), [{ sessionId: 's', command: 'serve' }]);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.equal(existsSync(file), false);
    assert.deepEqual(await endLeftOverCommands(folder), []);
  });

  it('are found by their mark alone when the process was killed in the moment of their start', async function () {
    // Elsewhere it can't be seen which process carries a mark.
    if (process.platform !== 'linux') return;
    leave({ pid: undefined, startTime: undefined });
    assert.deepEqual(await endLeftOverCommands(folder), [{ sessionId: 's', command: 'serve' }]);
  });

  it('are left alone while their session lives, on another machine, or when they are not the same', async () => {
    const others: readonly (readonly [object, object])[] = [
      [{}, { pid: process.pid }],
      [{}, { host: 'elsewhere' }],
      [{ mark: 'TURNSTONE_COMMAND=other' }, { pid: goneProcess }],
    ];
    for (const [change, owner] of process.platform === 'linux' ? others : others.slice(0, 2)) {
      leave(change, owner);
      assert.deepEqual(await endLeftOverCommands(folder), []);
      assert.equal(child.exitCode ?? child.signalCode, null);
    }
    writeFileSync(file, '{"owner":5');
    assert.deepEqual(await endLeftOverCommands(folder), []);
    assert.deepEqual(await endLeftOverCommands(join(folder, 'none')), []);
  });

  it('are written down before they start', async () => {
    const ran = join(folder, 'ran');
    let hadRun = true;
    const shell = createNodeShell({
      onStart: () => {
        // Long enough for a shell that had been started already.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        hadRun = existsSync(ran);
        return { started() {}, over() {} };
      },
    });
    const run = shell.run({ command: `touch '${ran}'`, cwd: folder, timeoutMs: 10_000 }, new AbortController().signal);
    while (!(await run.next()).done);
    assert.deepEqual([hadRun, existsSync(ran)], [false, true]);
  });

  it('are written down while they run, and only then', async () => {
    const running = new RunningCommands(join(folder, 's.jsonl'));
    const shell = createNodeShell({ onStart: (command) => running.add(command) });
    const seen: string[] = [];
    const run = shell.run({ command: 'echo one; sleep 0.1; echo two', cwd: folder, timeoutMs: 10_000 }, new AbortController().signal);
    while (!(await run.next()).done) seen.push(existsSync(file) ? readFileSync(file, 'utf8') : '');
    assert.match(seen[0]!, /"command":"echo one; sleep 0.1; echo two"/);
    assert.equal(existsSync(file), false);
    const tooLong = shell.run({ command: `: ${'x'.repeat(3_000_000)}`, cwd: folder, timeoutMs: 10_000 }, new AbortController().signal);
    await assert.rejects(tooLong.next(), /The command was not run: the shell .* could not be started/);
    assert.equal(existsSync(file), false);
  });
});
