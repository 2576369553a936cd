import assert from 'node:assert/strict';
import { bundleAgent } from './runAgent.ts';
import type { AgentRun, Death } from './runAgent.ts';
import { checkAfterKill } from './checkAfterKill.ts';
import { steps } from './scenario.ts';

const isLong = process.env['TURNSTONE_LONG'] !== undefined;
const randomKills = isLong ? 300 : 6;
/** At once: more than the machine has cores only makes each slower. */
const atOnce = 2;

describe('A session whose process is killed', function () {
  this.timeout(60 * 60 * 1000);
  let agent: Awaited<ReturnType<typeof bundleAgent>>;
  let lived: AgentRun;
  let places: string[];

  before(async () => {
    agent = await bundleAgent();
    lived = await agent.run('lives');
    places = lived.said.flatMap((each) => ('place' in each ? [each.place] : []));
  });
  after(async () => {
    agent.dispose();
    await lived.harness.close();
  });

  it('says the same as one whose process lived', async () => {
    assert.equal(lived.wasKilled, false);
    for (const { name } of steps) assert.ok(places.some((place) => place.startsWith(`${name}/`)), name);
    for (const kind of ['the rewind', 'the boundary', 'results', 'an answer', 'a partial answer', 'what was said']) assert.ok(places.some((place) => place.includes(`half an append of ${kind}#`)), kind);
    await checkAfterKill(lived);
  });

  it('at every boundary: around each line and file it writes, at each event it hears, at each message it passes on', async () => {
    const deaths = (isLong ? places : boundaries(places)).map((killAt): Death => ({ killAt }));
    const killed = await killEach(deaths);
    // Timers may put lines together in another way than in the run that lived.
    assert.ok(killed > deaths.length * 0.7, `${killed} of ${deaths.length} were killed`);
  });

  it('the instant a request of it arrives', async () => {
    const requests = lived.harness.server.requests.length - 1;
    const deaths = Array.from({ length: requests }, (_, index): Death => ({ atRequest: index + 1 }));
    assert.equal(await killEach(isLong ? deaths : deaths.filter((_, index) => index % 2 === 0)), isLong ? deaths.length : Math.ceil(deaths.length / 2));
  });

  it(`at ${randomKills} random instants`, async () => {
    const deaths = Array.from({ length: randomKills }, (): Death => ({ afterMs: Math.random() * lived.duration }));
    assert.ok((await killEach(deaths)) > 0);
  });

  it('among the writes of a set, with nothing kept of what files held: what was written is named', async () => {
    const run = await agent.run({ killAt: 'make/after write of file#1' }, { fileHistory: false });
    assert.equal(run.wasKilled, true);
    const session = await run.harness.open({ resume: run.sessionId, fileHistory: false });
    assert.equal(session.notices.filter((notice) => /writing changes to 2 files that belong together.*a\.txt was written, and what it held before was not kept/.test(notice)).length, 1, session.notices.join('\n'));
    assert.equal(await run.harness.read('a.txt'), 'one\n');
    await session.dispose();
    const again = await run.harness.open({ resume: run.sessionId, fileHistory: false });
    assert.deepEqual(again.notices.filter((notice) => notice.includes('belong together')), [], 'said once');
    await again.dispose();
    await run.harness.close();
  });

  /** Kills and resumes, two at once. Returns how many were dead before their end. */
  async function killEach(deaths: readonly Death[]): Promise<number> {
    const waiting = [...deaths];
    const faults: string[] = [];
    let killed = 0;
    const work = async (): Promise<void> => {
      for (let death = waiting.shift(); death !== undefined; death = waiting.shift()) {
        const run = await agent.run(death);
        if (run.wasKilled) killed += 1;
        await checkAfterKill(run).catch((thrown: unknown) => void faults.push(`${JSON.stringify(death)}: ${thrown instanceof Error ? thrown.message.split('\n', 1)[0] : String(thrown)}`));
        await run.harness.close();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (faults.length > 0) assert.fail(faults.join('\n'));
    return killed;
  }
});

/**
 * Of all places the first of each kind, in whatever step it comes; what is half written, in each step. Of the events of
 * a streamed answer some of each kind; of those of sub-agents, whose cost is noted elsewhere than their words, nearly all.
 */
function boundaries(places: readonly string[]): string[] {
  const kinds = new Map<string, number>();
  return places.filter((place) => {
    const [step, what] = place.split(/[/#]/) as [string, string];
    if (what.startsWith('heard') && step !== 'delegate') return false;
    const kind = what.startsWith('half') ? `${step} ${what}` : what;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return kinds.get(kind)! <= (what.startsWith('heard') ? 4 : what.startsWith('event') ? 3 : 1);
  });
}
