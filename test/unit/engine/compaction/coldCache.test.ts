import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { LEFT_OUT_RESULT } from '../../../../src/engine/compaction/microcompact.ts';
import { systemClock } from '../../../../src/base/abort.ts';
import type { Clock } from '../../../../src/base/abort.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import { promptParts } from '../../../support/promptCacheSimulation.ts';
import { words } from './engineSupport.ts';

/** A clock that can be put forward. */
function movableClock(): Clock & { forward(minutes: number): void } {
  let ahead = 0;
  return { now: () => systemClock.now() + ahead, setTimeout: systemClock.setTimeout, forward: (minutes) => void (ahead += minutes * 60_000) };
}

describe('what is left out when the cache is cold', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const texts = Array.from({ length: 8 }, (_, index) => [`f${index}.txt`, `${words(`f${index}-`, 200)}\n`] as const);

  async function readAll(clock: Clock): Promise<Awaited<ReturnType<EngineHarness['open']>>> {
    harness = await EngineHarness.start([], { files: Object.fromEntries(texts) });
    const session = await harness.open({ clock });
    for (const [name] of texts) harness.server.push(turn({ reply: message([toolUse('Read', { file_path: harness.path(name) }, { id: name.replace('.txt', '') })]) }));
    harness.server.push(turn({ reply: message([toolUse('Grep', { pattern: 'nowhere-to-be-found' }, { id: 'g' })]) }), turn({ reply: message('read') }));
    await runTurn(session, 'read them');
    return session;
  }

  it('old results and searches that found nothing; while it is warm, nothing', async () => {
    const clock = movableClock();
    const session = await readAll(clock);
    harness.server.push(turn({ reply: message('warm') }), turn({ reply: message('cold') }));
    await runTurn(session, 'at once');
    const warm = toolResults(harness.server.requests.at(-1)!.body);
    assert.ok(!Object.values(warm).includes(LEFT_OUT_RESULT) && warm['g']?.startsWith('No matches'));
    clock.forward(6);
    await runTurn(session, 'after a break');
    const cold = toolResults(harness.server.requests.at(-1)!.body);
    assert.deepEqual(Object.entries(cold).filter(([, text]) => text === LEFT_OUT_RESULT).map(([id]) => id), ['f0', 'f1', 'f2']);
    assert.equal(cold['g'], undefined);
    harness.server.assertClean();
  });

  it('stays left out, byte for byte, in later requests and after a resume', async () => {
    const clock = movableClock();
    const session = await readAll(clock);
    clock.forward(6);
    harness.server.push(...['one', 'two', 'three'].map((reply) => turn({ reply: message(reply) })));
    await runTurn(session, 'after a break');
    const first = promptParts(harness.server.requests.at(-1)!.body);
    await runTurn(session, 'at once');
    const second = promptParts(harness.server.requests.at(-1)!.body);
    assert.deepEqual(second.slice(0, first.length), first);
    await session.dispose();
    const again = await harness.open({ clock, resume: session.sessionId });
    await runTurn(again, 'resumed');
    const third = promptParts(harness.server.requests.at(-1)!.body);
    assert.deepEqual(third.slice(0, second.length), second);
    harness.server.assertClean();
  });

  it('refusals as the engine words them are among what carries nothing', async () => {
    const clock = movableClock();
    harness = await EngineHarness.start(
      [
        turn({ reply: message([toolUse('Bash', { command: 'rm x' }, { id: 'b1' }), toolUse('Bash', { command: 'rm y' }, { id: 'b2' })]) }),
        turn({ reply: message('as you wish') }),
        turn({ reply: message('cold') }),
      ],
      {},
    );
    harness.answer = () => ({ behavior: 'deny' });
    const session = await harness.open({ clock });
    await runTurn(session, 'clean up');
    clock.forward(6);
    await runTurn(session, 'after a break');
    assert.deepEqual(Object.keys(toolResults(harness.server.requests[1]!.body)), ['b1', 'b2']);
    assert.deepEqual(Object.keys(toolResults(harness.server.requests[2]!.body)), []);
    harness.server.assertClean();
  });
});

describe('a result that is too large', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  it('goes to a file beside the transcript that the model may read, and stays the same after a resume', async () => {
    const large = Array.from({ length: 1_900 }, (_, index) => `${index} ${words('v', 14)}`).join('\n');
    harness = await EngineHarness.start([], { files: { 'large.txt': large } });
    const session = await harness.open();
    const folder = session.transcriptPath.replace(/\.jsonl$/, '/tool-results');
    harness.server.push(
      turn({ reply: message([toolUse('Read', { file_path: harness.path('large.txt') }, { id: 'r1' })]) }),
      turn({ reply: message([toolUse('Read', { file_path: `${folder}/r1.txt`, offset: 1_500, limit: 2 }, { id: 'r2' })]) }),
      turn({ reply: message('found') }),
      turn({ reply: message('again') }),
    );
    assert.equal(resultOf(await runTurn(session, 'read it')).result, 'found');
    const shown = toolResults(harness.server.requests.at(-1)!.body);
    assert.match(shown['r1']!, /^\(This result has \d+ characters[\s\S]*r1\.txt/);
    assert.ok(shown['r1']!.length < 6_000);
    assert.match(shown['r2']!, /1499 v0 v1/);
    assert.equal(harness.requests.length, 0, 'nobody is asked whether our own file may be read');
    assert.match(await readFile(`${folder}/r1.txt`, 'utf8'), /1899 v0 v1 [^\n]*$/);
    const before = promptParts(harness.server.requests.at(-1)!.body);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    await runTurn(again, 'and now?');
    assert.deepEqual(promptParts(harness.server.requests.at(-1)!.body).slice(0, before.length), before);
    harness.server.assertClean();
  });
});
