import assert from 'node:assert/strict';
import type { Session } from '../../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';
import { TestClock } from '../../support/testClock.ts';

const cut = { stopReason: 'max_tokens' };

/** Messages are known by their id, not by how many requests or attempts there were: O18. */
describe('going back after turns that did not go straight (O18)', () => {
  let harness: EngineHarness;
  let clock: TestClock;

  beforeEach(async () => {
    harness = await EngineHarness.start([], { files: { 'a.txt': 'v0\n' } });
    clock = new TestClock();
  });
  afterEach(() => harness.close());

  const writes = (content: string): ScriptedTurn => turn({ reply: message([toolUse('Bash', { command: `echo ${content} > a.txt` })]) });

  async function play(session: Session, prompt: string, turns: readonly ScriptedTurn[]): Promise<void> {
    harness.server.push(...turns);
    for await (const each of session.submitMessage(prompt)) {
      if (each.type === 'system' && each.subtype === 'api_retry') void clock.waitForTimer(each.retry_delay_ms).then(() => clock.advance(each.retry_delay_ms));
    }
  }

  it('finds the exact point of each message, also after a restart', async () => {
    const options = { permissionMode: 'bypassPermissions', clock, random: () => 0, model: 'claude-haiku-4-5' } as const;
    const session = await harness.open(options);
    const done = turn({ reply: message('Done.') });
    await play(session, 'one', [writes('v1'), done]);
    await play(session, 'two', [fault.overloaded(), writes('v2'), fault.overloaded(), done]);
    await play(session, 'three', [writes('v3'), turn({ reply: message('lost', cut) }), turn({ reply: message('half ', cut) }), turn({ reply: message('whole') })]);
    await play(session, 'four', [fault.overloaded(), fault.overloaded(), writes('v4'), done]);
    const targets = session.rewindTargets();
    assert.deepEqual(targets.map(({ text }) => text), ['four', 'three', 'two', 'one']);
    await session.dispose();
    for (const [at, content] of [[0, 'v3\n'], [1, 'v2\n'], [2, 'v1\n'], [3, 'v0\n']] as const) {
      const again = await harness.open({ ...options, resume: session.sessionId });
      assert.deepEqual(again.rewindTargets().map(({ messageId }) => messageId), targets.slice(at).map(({ messageId }) => messageId));
      const outcome = await again.rewind(targets[at]!.messageId, { scope: 'both', skip: [], overwrite: [] });
      assert.deepEqual([outcome.failed, outcome.prompt, await harness.read('a.txt')], [[], targets[at]!.text, content]);
      await again.dispose();
    }
    const last = await harness.open({ ...options, resume: session.sessionId });
    harness.server.push(done);
    await runTurn(last, 'anew');
    assert.deepEqual(last.rewindTargets().map(({ text }) => text), ['anew']);
    harness.server.assertClean();
  });
});
