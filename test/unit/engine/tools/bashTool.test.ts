import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { OutputCollector } from '../../../../src/engine/tools/outputCollector.ts';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

describe('Bash', function () {
  this.timeout(30_000);
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  it('gives output, streams it, and tells the file history', async () => {
    const outcome = await bench.run('Bash', { command: 'echo a; echo b' });
    assert.equal(outcome.content, 'a\nb');
    assert.equal(outcome.isError, false);
    assert.equal(bench.progress.map((progress) => progress.text).join(''), 'a\nb\n');
    assert.deepEqual(bench.history, ['shell echo a; echo b', 'shell over']);
    assert.ok(outcome.result?.kind === 'shell' && outcome.result.exitCode === 0 && outcome.result.output === 'a\nb\n');
  });

  it('says the exit code, and when nothing was printed', async () => {
    const outcome = await bench.run('Bash', { command: 'echo bad >&2; exit 2' });
    assert.deepEqual([outcome.content, outcome.isError], ['bad\n(Exit code 2.)', true]);
    assert.equal(await bench.say('Bash', { command: 'true' }), '(The command printed nothing.)');
  });

  it('says that time was over', async () => {
    const outcome = await bench.run('Bash', { command: 'echo start; sleep 60', timeout: 400 });
    assert.deepEqual([outcome.content, outcome.isError], ['start\n(The command was ended after 0.4 s, its time limit, with the processes it started.)', true]);
  });

  it('keeps what was printed before the user interrupted', async () => {
    const controller = new AbortController();
    const running = bench.run('Bash', { command: 'echo start; sleep 60' }, { signal: controller.signal });
    while (bench.progress.length === 0) await wait(10);
    controller.abort();
    assert.match(String((await running).content), /^start\n\(The user interrupted the command/);
  });

  it('bounds what is streamed and what the model gets', async () => {
    const content = await bench.say('Bash', { command: 'seq 1 300000' });
    assert.ok(content.length < 31_000);
    assert.match(content, /^1\n2\n[\s\S]*characters of output left out here[\s\S]*\n300000$/);
    const streamed = bench.progress.reduce((sum, progress) => sum + progress.text.length, 0);
    assert.ok(streamed < 600_000, `${streamed} characters were streamed`);
    assert.equal(bench.progress.at(-1)?.kind, 'status');
  });
});

describe('OutputCollector', () => {
  it('keeps start and end, and counts exactly what is left out', () => {
    const output = new OutputCollector(20);
    for (let index = 0; index < 100; index++) output.add(String(index % 10));
    assert.equal(output.text, '0123456789\n\n[… 80 characters of output left out here …]\n\n0123456789');
  });

  it('cuts no character in two and leaves out colours', () => {
    const output = new OutputCollector(10);
    output.add('abcd🙂🙂🙂🙂🙂🙂efg');
    assert.doesNotMatch(output.text, /\p{Surrogate}/u);
    const coloured = new OutputCollector(100);
    coloured.add('\u001b[31mred\u001b[0m \u001b]0;title\u0007x');
    assert.equal(coloured.text, 'red x');
  });
});
