import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/abort.ts';
import { isTurnstoneError } from '../../src/base/errors.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import type { Session } from '../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../support/engineHarness.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';
import { failingDisk, smallDisk } from './fullDisk.ts';
import { bundleAgent } from './runAgent.ts';

const noticesOf = (messages: readonly SDKMessage[]): string[] => messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
const uuidsOf = (session: Session): string[] => session.messages.map(({ uuid }) => uuid);

describe('A session whose disk makes trouble', function () {
  this.timeout(120_000);
  let harness: EngineHarness;

  afterEach(() => harness.close());

  /** The prompts are answered with a word each, but for "write", where a file is to be changed first. */
  async function open(): Promise<Session> {
    harness = await EngineHarness.start(
      [
        turn({
          reply: ({ messages }) => {
            const last = JSON.stringify(messages.at(-1));
            return last.includes('[write]') && !last.includes('tool_result') ? message([toolUse('Write', { file_path: harness.path('new.txt'), content: 'new\n' })]) : message('Yes.');
          },
          times: Number.POSITIVE_INFINITY,
        }),
      ],
      { files: { 'a.txt': 'one\n' } },
    );
    return harness.open();
  }

  /** The conversation is on disk, whole and once. */
  async function checkSaved(session: Session): Promise<void> {
    const known = uuidsOf(session);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual(uuidsOf(again), known);
    assert.deepEqual(again.cost, session.cost);
    assert.equal(resultOf(await runTurn(again, 'And now?')).subtype, 'success');
    harness.server.assertClean();
    await again.dispose();
  }

  for (const disk of [smallDisk, failingDisk]) {
    it(`that is full (${disk.name}) tells the user at once and what to do, goes on in memory, and saves everything when there is room`, async () => {
      const session = await open();
      const small = disk(harness.dataRoot);
      try {
        assert.deepEqual(noticesOf(await runTurn(session, 'First')), []);
        const before = await readFile(session.transcriptPath);
        small.fill();
        const during = await runTurn(session, `Second ${'x'.repeat(20_000)}`);
        assert.match(noticesOf(during).join('\n'), /could not be saved to .*: the disk is full\. It goes on in memory, and what is missing is written as soon as that works again/);
        assert.ok(during.findIndex((each) => each.type === 'system' && each.subtype === 'notice') < during.findIndex((each) => each.type === 'assistant'), 'before the answer comes');
        assert.equal(noticesOf(during).filter((text) => text.includes('disk is full')).length, 1);
        assert.equal(resultOf(during).subtype, 'success');

        // What a file holds can't be kept now: so it is not changed.
        const writing = await runTurn(session, 'Please [write].');
        assert.match(Object.values(toolResults(harness.server.requests.at(-1)!.body)).join(' '), /was not changed, because what it holds now could not be kept first/);
        await assert.rejects(harness.read('new.txt'));
        assert.ok(noticesOf(writing).length > 0, 'told again in each turn');

        const after = await readFile(session.transcriptPath);
        assert.deepEqual(after.subarray(0, before.length), before, 'what was saved is as it was');
        small.free();
        assert.deepEqual(noticesOf(await runTurn(session, 'Fourth')), []);
        await checkSaved(session);
      } finally {
        small.free();
        await session.dispose();
        small.dispose();
      }
    });
  }

  it('says so when nothing may be written to the folder, and saves everything when it may', async () => {
    const session = await open();
    // Not even root can make a folder where a file is.
    await mkdir(harness.dataRoot);
    await writeFile(join(harness.dataRoot, 'projects'), '');
    const notices = noticesOf(await runTurn(session, 'First'));
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /could not be saved to .*It goes on in memory/);
    await assert.rejects(session.rewind(session.rewindTargets()[0]!.messageId, { scope: 'both', skip: [], overwrite: [] }), (error) => isTurnstoneError(error) && error.code === 'disk');
    await rm(join(harness.dataRoot, 'projects'));
    assert.deepEqual(noticesOf(await runTurn(session, 'Second')), []);
    await checkSaved(session);
  });

  it('whose folder is removed brings it all back, what it knows of files too, and says so', async () => {
    const session = await open();
    await runTurn(session, 'Please [write] it');
    const before = await readFile(session.transcriptPath, 'utf8');
    await rm(join(harness.dataRoot, 'projects'), { recursive: true });
    const notices = noticesOf(await runTurn(session, 'Second'));
    assert.deepEqual(notices, ['Another program has removed the file of this session. It has been written down anew, as it was.']);
    assert.ok((await readFile(session.transcriptPath, 'utf8')).startsWith(before));
    const known = uuidsOf(session);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([uuidsOf(again), again.cost], [known, session.cost]);
    // After a restart, its changes can still be taken back.
    const target = again.rewindTargets().find(({ text }) => text.includes('[write]'))!;
    assert.equal(await harness.read('new.txt'), 'new\n');
    await again.rewind(target.messageId, { scope: 'files', skip: [], overwrite: [] });
    await assert.rejects(harness.read('new.txt'), /ENOENT/);
    await again.dispose();
  });

  it('whose folder is removed where it can not be held on to writes what was said anew, and says so', async () => {
    const session = await open();
    const { hold } = nodeFileSystem;
    Object.assign(nodeFileSystem, { hold: () => Promise.reject(new Error('EMFILE')) });
    await runTurn(session, 'First').finally(() => Object.assign(nodeFileSystem, { hold }));
    await rm(join(harness.dataRoot, 'projects'), { recursive: true });
    const notices = noticesOf(await runTurn(session, 'Second'));
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /Another program has removed the file of this session.*written down anew/);
    const spoken = JSON.stringify(harness.server.requests.at(-1)!.body.messages);
    assert.ok(spoken.includes('First') && spoken.includes('Second'), 'the conversation goes on');
    await checkSaved(session);
  });

  it('keeps order and cost when the clock goes back in the middle of an answer', async () => {
    await open();
    let back = 0;
    const clock = { ...systemClock, now: () => systemClock.now() - back };
    const session = await harness.open({ clock });
    await runTurn(session, 'First');
    for await (const each of session.submitMessage('Second')) {
      if (each.type === 'assistant') back += 2 * 60 * 60 * 1000;
      if (each.type === 'result') assert.ok(each.duration_ms >= 0 && each.duration_api_ms >= 0, `${each.duration_ms} ms`);
    }
    const { apiDurationMs, totalCostUsd } = session.cost;
    assert.ok(apiDurationMs >= 0);
    assert.ok(totalCostUsd! > 0);
    await runTurn(session, 'Third');
    await checkSaved(session);
  });
});

describe('A session that another process works on', function () {
  this.timeout(120_000);

  it('is opened by a second one for reading only, and by a third when the first is done: nothing is lost', async () => {
    const agent = await bundleAgent();
    try {
      const run = agent.run('lives', { beside: async ({ harness, sessionId }) => {
        while (!(await harness.open({ resume: sessionId, whenInUse: 'readOnly' }).then((session) => session.messages.length > 1 && session.isReadOnly, () => false))) await wait(20);
        await assert.rejects(harness.open({ resume: sessionId }), (error) => isTurnstoneError(error) && error.code === 'session_in_use');
      } });
      const { harness, sessionId, said } = await run;
      const durable = said.findLast((each) => 'durable' in each)!.durable;
      const session = await harness.open({ resume: sessionId });
      assert.deepEqual([session.isReadOnly, uuidsOf(session)], [false, durable]);
      await harness.close();
    } finally {
      agent.dispose();
    }
  });
});
