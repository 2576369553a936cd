import assert from 'node:assert/strict';
import { isTurnstoneError } from '../../../src/base/errors.ts';
import { EngineHarness, runTurn } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

const edit = (id: string, old_string: string, new_string: string) => toolUse('Edit', { file_path: 'a.txt', old_string, new_string }, { id });
const read = toolUse('Read', { file_path: 'a.txt' });

describe('undoing a part of a session', function () {
  this.timeout(20_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  it('takes one call back, keeps the conversation and what came after, and can be undone, also after a restart', async () => {
    harness = await EngineHarness.start(
      [
        turn({ reply: message([read]) }),
        turn({ reply: message([edit('toolu_1', 'one', 'ONE'), edit('toolu_2', 'three', 'THREE')]) }),
        turn({ reply: message('Done.') }),
      ],
      { files: { 'a.txt': 'one\ntwo\nthree\n' } },
    );
    const session = await harness.open();
    await runTurn(session, 'Shout.');
    const messages = session.messages.length;
    const { messageId } = session.rewindTargets()[0]!;
    assert.deepEqual(session.changes(), ['toolu_2', 'toolu_1'].map((toolUseId) => ({ messageId, toolUseId, paths: [harness.path('a.txt')], isUndone: false })));
    assert.deepEqual([session.rewindTargets()[0]!.linesAdded, session.rewindTargets()[0]!.linesRemoved], [2, 2]);
    await harness.write('a.txt', 'ONE\ntwo\nTHREE\nfour, mine\n');
    const way = { kind: 'undo', selection: { toolUseId: 'toolu_1' } } as const;
    const plan = await session.planUndo(way.selection);
    assert.deepEqual(plan.files.map(({ path, changedSince, merge }) => ({ path, changedSince, merge })), [{ path: harness.path('a.txt'), changedSince: true, merge: { conflicts: [] } }]);
    assert.equal(Buffer.from((await session.contentAfter(way, harness.path('a.txt'), 'merge'))!).toString(), 'one\ntwo\nTHREE\nfour, mine\n');
    const outcome = await session.undo(way.selection);
    assert.deepEqual(session.changes().map(({ toolUseId, isUndone, canRedo }) => [toolUseId, isUndone, canRedo]), [['toolu_2', false, undefined], ['toolu_1', true, true]]);
    assert.deepEqual([outcome.merged, session.messages.length], [[harness.path('a.txt')], messages]);
    assert.equal(await harness.read('a.txt'), 'one\ntwo\nTHREE\nfour, mine\n');
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.ok(again.canUndoRewind);
    const undone = (): unknown[] => again.changes().map(({ toolUseId, isUndone }) => [toolUseId, isUndone]);
    await again.undoRewind();
    assert.equal(await harness.read('a.txt'), 'ONE\ntwo\nTHREE\nfour, mine\n');
    assert.deepEqual(undone(), [['toolu_2', false], ['toolu_1', false]]);
    await again.redoRewind({ overwrite: [harness.path('a.txt')] });
    assert.deepEqual(undone(), [['toolu_2', false], ['toolu_1', true]]);
    await again.undoRewind();
    assert.deepEqual(undone(), [['toolu_2', false], ['toolu_1', false]]);
    await again.undo({ messageId: again.rewindTargets()[0]!.messageId }, { overwrite: [harness.path('a.txt')] });
    assert.equal(await harness.read('a.txt'), 'one\ntwo\nthree\n');
    assert.deepEqual(undone(), [['toolu_2', true], ['toolu_1', true]]);
  });

  it('takes back what a sub-agent did with the call that started it', async () => {
    const task = toolUse('Task', { description: 'Shout', prompt: 'Shout.', subagent_type: 'general-purpose' }, { id: 'toolu_task' });
    harness = await EngineHarness.start(
      [
        turn({ reply: message([task]) }),
        turn({ reply: message([read]) }),
        turn({ reply: message([edit('toolu_inner', 'one', 'ONE')]) }),
        turn({ reply: message('Shouted.') }),
        turn({ reply: message('Done.') }),
      ],
      { files: { 'a.txt': 'one\ntwo\n' } },
    );
    const session = await harness.open();
    await runTurn(session, 'Let it shout.');
    assert.equal(await harness.read('a.txt'), 'ONE\ntwo\n');
    await session.undo({ toolUseId: 'toolu_task' });
    assert.equal(await harness.read('a.txt'), 'one\ntwo\n');
  });

  it('refuses while a turn runs, and where nothing was changed', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Hello.') })]);
    const session = await harness.open();
    await assert.rejects(session.undo({ toolUseId: 'toolu_1' }), (error) => isTurnstoneError(error) && error.code === 'not_found');
    const running = session.submitMessage('Hello.');
    await running.next();
    await assert.rejects(session.undo({ toolUseId: 'toolu_1' }), (error) => isTurnstoneError(error) && error.code === 'invalid_input');
    while (!(await running.next()).done);
  });
});
