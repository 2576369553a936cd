import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { isTurnstoneError } from '../../../src/base/errors.ts';
import { forkSession } from '../../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

const write = (content: string) => toolUse('Write', { file_path: 'a.txt', content });

describe('forkSession', function () {
  this.timeout(20_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const threeTurns = async () => {
    harness = await EngineHarness.start([
      turn({ reply: message([write('one\n')]) }),
      turn({ reply: message('Wrote one.') }),
      turn({ reply: message([write('two\n')]) }),
      turn({ reply: message('Wrote two.') }),
      turn({ reply: message('In the fork.') }),
      turn({ reply: message('In the session.') }),
    ]);
    const session = await harness.open();
    await runTurn(session, 'Write one.');
    await runTurn(session, 'Write two.');
    return session;
  };

  it('begins a session with the conversation up to a message, touches no file and not the session', async () => {
    const session = await threeTurns();
    const before = await readFile(session.transcriptPath, 'utf8');
    const [second] = session.rewindTargets();
    const forked = await forkSession({ session: session.sessionId, messageId: second!.messageId, dataRoot: harness.dataRoot });
    assert.equal(forked.prompt, 'Write two.');
    assert.deepEqual([await readFile(session.transcriptPath, 'utf8'), await harness.read('a.txt')], [before, 'two\n']);
    const fork = await harness.open({ resume: forked.sessionId });
    assert.deepEqual(fork.rewindTargets().map(({ text }) => text), ['Write one.']);
    assert.deepEqual(fork.messages.map(({ uuid }) => uuid), session.messages.slice(0, fork.messages.length).map(({ uuid }) => uuid));
    assert.deepEqual([fork.notices, fork.cost.totalCostUsd, fork.canUndoRewind], [[], 0, false]);
    await runTurn(fork, 'Something else.');
    const sent = harness.server.requests.map(({ body }) => JSON.stringify(body.messages.slice(0, 4)).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
    // What the session sent with its second prompt is what the fork begins with.
    assert.equal(sent[4], sent[2]);
    await runTurn(session, 'Go on.');
    assert.deepEqual(session.messages.length > fork.messages.length, true);
    harness.server.assertClean();
  });

  it('knows what the files were, also of what was cut off, and asks where the session went on', async () => {
    const session = await threeTurns();
    const [second] = session.rewindTargets();
    const forked = await forkSession({ session: session.transcriptPath, messageId: second!.messageId, dataRoot: harness.dataRoot });
    const fork = await harness.open({ resume: forked.sessionId });
    await fork.rewind(fork.rewindTargets()[0]!.messageId, { scope: 'files', skip: [], overwrite: [] });
    await assert.rejects(harness.read('a.txt'));
    await session.undo({ path: harness.path('a.txt') });
    await fork.undoRewind();
    assert.equal(await harness.read('a.txt'), 'two\n');
  });

  it('has a copy of its own of a result that is too large for the model, and needs nothing of the session', async () => {
    // Together they are too large.
    const output = Array.from({ length: 2_700 }, (_, line) => `line ${line}`).join('\n');
    harness = await EngineHarness.start([], { files: { 'large.txt': output } });
    harness.server.push(turn({ reply: message(Array.from({ length: 10 }, (_, call) => toolUse('Bash', { command: `cat large.txt; echo ${call}` }))) }), turn({ reply: message('Read.') }));
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await runTurn(session, 'Read it.');
    const forked = await forkSession({ session: session.sessionId, dataRoot: harness.dataRoot });
    await session.dispose();
    await rm(session.transcriptPath);
    await rm(session.transcriptPath.replace(/\.jsonl$/, ''), { recursive: true, force: true });
    const fork = await harness.open({ resume: forked.sessionId });
    harness.server.push(turn({ reply: message('Still here.') }));
    await runTurn(fork, 'Go on.');
    const sent = JSON.stringify(harness.server.requests.at(-1)!.body.messages);
    const [stored = ''] = /[^"\s]*tool-results\/\w+\.txt/.exec(sent) ?? [];
    assert.ok(stored.includes(forked.sessionId), `the result is named in the fork's own folder: ${stored}`);
    assert.match(await readFile(stored, 'utf8'), /line 0\n/);
  });

  it('copies all of it without a message, after rewinds too, and refuses what is not there', async () => {
    const session = await threeTurns();
    const [second] = session.rewindTargets();
    await session.rewind(second!.messageId, { scope: 'both', skip: [], overwrite: [] });
    const forked = await forkSession({ session: session.sessionId, dataRoot: harness.dataRoot });
    const fork = await harness.open({ resume: forked.sessionId });
    assert.deepEqual(fork.messages.map(({ uuid }) => uuid), session.messages.map(({ uuid }) => uuid));
    await assert.rejects(forkSession({ session: session.sessionId, messageId: second!.messageId, dataRoot: harness.dataRoot }), (error) => isTurnstoneError(error) && error.code === 'not_found');
    await assert.rejects(forkSession({ session: 'never', dataRoot: harness.dataRoot }), (error) => isTurnstoneError(error) && error.code === 'not_found');
  });
});
