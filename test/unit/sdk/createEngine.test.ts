import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { isTurnstoneError } from '../../../src/base/errors.ts';
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
});
