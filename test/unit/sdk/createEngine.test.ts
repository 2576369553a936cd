import assert from 'node:assert/strict';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { isTurnstoneError } from '../../../src/base/errors.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { message } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

const sessionId = '7a1b6f0c-8a52-4c4e-9d1b-0d8b8e1f2a3c';

describe('createEngine', () => {
  let harness: EngineHarness;

  afterEach(() => harness.close());

  it('begins no new session under the id of an old one, and leaves that as it is', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hello.') })]);
    const session = await harness.open({ sessionId });
    assert.equal(resultOf(await runTurn(session, 'Hi')).subtype, 'success');
    await session.dispose();
    const before = await readFile(session.transcriptPath, 'utf8');
    for (const id of [sessionId, sessionId.toUpperCase()]) {
      await assert.rejects(harness.open({ sessionId: id }), (error) => isTurnstoneError(error) && error.code === 'invalid_input' && /exists already.*--resume/s.test(error.message));
    }
    assert.equal(await readFile(session.transcriptPath, 'utf8'), before);
    assert.equal((await harness.open({ resume: sessionId })).messages.length, session.messages.length);
  });

  it('opens a session for one at a time, and for others to read', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hello.'), times: 3 })]);
    harness.respectsLocks = true;
    const first = await harness.open();
    assert.deepEqual(await lockFiles(harness), []);
    await runTurn(first, 'Hi');
    assert.equal((await lockFiles(harness)).length, 1);
    const again = { resume: first.sessionId };
    await assert.rejects(harness.open(again), (error) => isTurnstoneError(error) && error.code === 'session_in_use' && /is open in.*as it was.*new session/s.test(error.message));

    const before = await readFile(first.transcriptPath, 'utf8');
    const reader = await harness.open({ ...again, whenInUse: 'readOnly' });
    assert.deepEqual([reader.isReadOnly, reader.messages.length], [true, first.messages.length]);
    assert.match(reader.notices[0]!, /can be read/);
    await assert.rejects(runTurn(reader, 'Me too'), (error) => isTurnstoneError(error) && error.code === 'session_in_use');
    await assert.rejects(reader.rewind(reader.rewindTargets()[0]!.messageId, { scope: 'both', skip: [], overwrite: [] }), (error) => isTurnstoneError(error) && error.code === 'session_in_use');
    reader.setModel('haiku');
    await reader.dispose();
    assert.equal(await readFile(first.transcriptPath, 'utf8'), before);
    assert.equal((await lockFiles(harness)).length, 1);

    await first.dispose();
    assert.deepEqual(await lockFiles(harness), []);
    const second = await harness.open(again);
    assert.deepEqual([second.isReadOnly, resultOf(await runTurn(second, 'More')).subtype], [false, 'success']);
    harness.server.assertClean();
  });

  it('lets go of a session that could not be opened', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hello.') })]);
    const session = await harness.open();
    await runTurn(session, 'Hi');
    await session.dispose();
    await assert.rejects(harness.open({ resume: session.sessionId, model: 5 as unknown as string }));
    assert.deepEqual(await lockFiles(harness), []);
  });

  it('tells the user plainly when somebody else has written to the session all the same', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hello.'), times: 3 })]);
    const session = await harness.open();
    await runTurn(session, 'Hi');
    assert.deepEqual(noticesOf(await runTurn(session, 'Go on')), []);
    await appendFile(session.transcriptPath, '{"type":"user"}');
    const notices = noticesOf(await runTurn(session, 'And on'));
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /Another program has written to this session/);
    await session.dispose();
    // Its line had no end: ours begin on one of their own.
    for (const line of (await readFile(session.transcriptPath, 'utf8')).trim().split('\n')) JSON.parse(line);
  });
});

async function lockFiles({ dataRoot }: EngineHarness): Promise<string[]> {
  const names = await readdir(dataRoot, { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('.lock'));
}

function noticesOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
}
