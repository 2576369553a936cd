import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

/** A zombie is gone but for its parent's noticing. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' R ');
  return !/\) [ZX] /.test(stat);
}

describe('background commands', function () {
  this.timeout(30_000);
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  async function start(command: string): Promise<string> {
    const said = await bench.say('Bash', { command, run_in_background: true });
    return /^Started in the background as (bash_\w+)\./.exec(said)![1]!;
  }

  /** Asks again and again until the answer is the awaited one; what was printed meanwhile is in it. */
  async function outputUntil(id: string, pattern: RegExp, filter?: string): Promise<string> {
    let all = '';
    for (;;) {
      all += `${await bench.say('BashOutput', { bash_id: id, ...(filter && { filter }) })}\n`;
      if (pattern.test(all)) return all;
      await wait(20);
    }
  }

  it('go on after their call, and show each output once', async () => {
    const id = await start('echo one; read -t 1 < <(sleep 2); echo two; exit 3');
    assert.deepEqual(bench.history, ['shell echo one; read -t 1 < <(sleep 2); echo two; exit 3']);
    assert.match(await outputUntil(id, /one/), /^one$[\s\S]*\(It is still running\.\)/m);
    const rest = await outputUntil(id, /exit code 3/);
    assert.match(rest, /^two$/m);
    assert.doesNotMatch(rest, /one/);
    assert.equal(await bench.say('BashOutput', { bash_id: id }), '(Nothing new was printed.)\n(It has ended with exit code 3.)');
  });

  it('can be looked at through a filter', async () => {
    const id = await start('echo yes 1; echo no; echo yes 2');
    await outputUntil(id, /exit code 0/, '^yes');
    const all = await start('echo a; echo b');
    const seen = await outputUntil(all, /exit code 0/, 'nothing like this');
    assert.doesNotMatch(seen, /^[ab]$/m);
    assert.match(await bench.say('BashOutput', { bash_id: id, filter: '(' }), /^filter is not a regular expression/);
    for (const slow of ['(a+)+$', '(a|b*)*', '(?:x{2,})+']) assert.match(await bench.say('BashOutput', { bash_id: id, filter: slow }), /can take for ever/);
  });

  it('are ended with all their processes', async () => {
    const id = await start('sleep 300 & echo "child $!"; wait');
    const pid = Number(/child (\d+)/.exec(await outputUntil(id, /child \d+/))![1]);
    assert.ok((await isRunning(pid)));
    assert.equal(await bench.say('KillShell', { shell_id: id }), '(It was ended, with the processes it started.)');
    assert.ok(!(await isRunning(pid)));
    assert.match(await bench.say('KillShell', { shell_id: id }), /^\(It was over already\./);
  });

  it('live through the interruption of a turn, and end with the session', async () => {
    const turn = new AbortController();
    const said = await bench.say('Bash', { command: 'echo "me $$"; sleep 300', run_in_background: true }, { signal: turn.signal });
    const id = /bash_\w+/.exec(said)![0];
    const pid = Number(/me (\d+)/.exec(await outputUntil(id, /me \d+/))![1]);
    turn.abort();
    await wait(50);
    assert.ok((await isRunning(pid)));
    await bench.context.backgroundShells.dispose();
    assert.ok(!(await isRunning(pid)));
  });

  it('are told of once when they end by themselves, not when somebody saw it', async () => {
    const { backgroundShells } = bench.context;
    const id = await start('exit 7');
    let notes: string[] = [];
    while (notes.length === 0) {
      await wait(20);
      notes = backgroundShells.takeEndNotes();
    }
    assert.deepEqual(notes, [`The background command ${id} (exit 7) is over: It has ended with exit code 7. BashOutput shows what it printed.`]);
    const seen = await start('exit 8');
    await outputUntil(seen, /exit code 8/);
    const killed = await start('sleep 300');
    await bench.say('KillShell', { shell_id: killed });
    assert.deepEqual(backgroundShells.takeEndNotes(), []);
  });

  it('are bounded in what is kept, and named when an id is wrong', async () => {
    const id = await start('seq 1 200000');
    let notes: string[] = [];
    while (notes.length === 0) {
      await wait(20);
      notes = bench.context.backgroundShells.takeEndNotes();
    }
    const said = await bench.say('BashOutput', { bash_id: id });
    assert.ok(said.length < 31_000);
    assert.match(said, /^1\n2\n[\s\S]*left out here[\s\S]*\n200000\n\(It has ended/);
    assert.match(await bench.say('BashOutput', { bash_id: 'bash_x' }), new RegExp(`no background command bash_x.*There are: ${id}`));
    assert.match(await bench.say('KillShell', { shell_id: 'bash_x' }), /no background command bash_x/);
  });

  it('say when they could not be started', async () => {
    bench.context = { ...bench.context, cwd: bench.at('gone') };
    assert.match(await outputUntil(await start('true'), /does not exist/), /The command was not run/);
  });
});
