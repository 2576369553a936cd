import assert from 'node:assert/strict';
import { mkdir, readFile, stat } from 'node:fs/promises';
import type { PermissionAnswer, PermissionRequest } from '../../../../src/protocol/permissions.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import type { WireBlock } from '../../../support/apiTypes.ts';
import { deferred } from '../../../../src/base/deferred.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const crlf = '\ufeffone\r\ntwo\nthree\r\nfour\r\n';

describe('The edits of one answer', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  async function start(files: Readonly<Record<string, string>>, calls: (at: (name: string) => string) => readonly WireBlock[]): Promise<void> {
    harness = await EngineHarness.start(
      [
        turn({ reply: () => message(Object.keys(files).map((name) => toolUse('Read', { file_path: harness.path(name) }))) }),
        turn({ reply: () => message(calls((name) => harness.path(name))) }),
        turn({ reply: message('I see.') }),
      ],
      { files },
    );
  }
  const edit = (id: string, path: string, from: string, to: string): WireBlock => toolUse('Edit', { file_path: path, old_string: from, new_string: to }, { id });
  const told = (): Record<string, string> => toolResults(harness.server.requests[2]!.body);
  /** Answers once all have been asked, and returns what was on disk at that moment. */
  function answerTogether(count: number, answer: (request: PermissionRequest) => PermissionAnswer | Promise<PermissionAnswer>): void {
    const all = deferred<void>();
    harness.answer = async (request) => {
      if (harness.requests.length === count) all.resolve();
      await all.promise;
      return answer(request);
    };
  }

  it('are all asked about before any is written, and told their place', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), edit('b', at('b.txt'), 'b', 'B'), toolUse('Write', { file_path: at('c/d.txt'), content: 'c\n' }, { id: 'c' })]);
    answerTogether(3, async () => {
      assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['a\n', 'b\n']);
      return { behavior: 'allow' };
    });
    await runTurn(await harness.open(), 'go');
    const places = harness.requests.map(({ changeSet }) => changeSet!);
    assert.deepEqual(places.map(({ index, count }) => [index, count]), [[0, 3], [1, 3], [2, 3]]);
    assert.equal(new Set(places.map(({ id }) => id)).size, 1);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt'), await harness.read('c/d.txt')], ['A\n', 'B\n', 'c\n']);
    harness.server.assertClean();
  });

  it('of one file build on each other, and later calls see what they left', async () => {
    await start({ 'a.txt': crlf }, (at) => [edit('1', at('a.txt'), 'two', 'TWO'), edit('2', at('a.txt'), 'TWO\nthree', 'TWO\n3'), toolUse('Bash', { command: 'cat a.txt' }, { id: 'cat' })]);
    await runTurn(await harness.open(), 'go');
    assert.deepEqual(harness.requests.slice(0, 2).map(({ proposal }) => [proposal?.before?.includes('TWO'), proposal?.after.includes('3')]), [[false, false], [true, true]]);
    assert.equal(await harness.read('a.txt'), '\ufeffone\r\nTWO\n3\r\nfour\r\n');
    assert.match(told()['cat']!, /TWO\n3/);
    harness.server.assertClean();
  });

  it('of a new file build on each other too', async () => {
    await start({ 'other.txt': 'x' }, (at) => [toolUse('Write', { file_path: at('new.txt'), content: 'one\n' }, { id: 'w' }), edit('e', at('new.txt'), 'one', 'two')]);
    await runTurn(await harness.open(), 'go');
    assert.equal(await harness.read('new.txt'), 'two\n');
  });

  it('are decided each by itself; one on top of a rejected one is kept where it fits without it', async () => {
    await start({ 'a.txt': '1\n2\n3\n4\n5\n' }, (at) => [edit('1', at('a.txt'), '1', 'one'), edit('2', at('a.txt'), 'one', 'ONE'), edit('5', at('a.txt'), '5', 'five'), toolUse('Bash', { command: 'touch ran' }, { id: 'b' })]);
    harness.answer = ({ toolUseId }) => (toolUseId === '1' ? { behavior: 'deny', reason: 'digits, please' } : { behavior: 'allow' });
    const messages = await runTurn(await harness.open(), 'go');
    assert.equal(await harness.read('a.txt'), '1\n2\n3\n4\nfive\n');
    assert.match(told()['1']!, /rejected.*digits, please/);
    assert.match(told()['2']!, /builds on an earlier edit/);
    assert.match(told()['5']!, /^Changed a\.txt/);
    assert.match(told()['b']!, /^Not run/);
    assert.deepEqual(resultOf(messages).permission_denials.map(({ tool_use_id }) => tool_use_id), ['1']);
    harness.server.assertClean();
  });

  it('are all taken back, byte for byte, when one can not be written, and the model is told', async () => {
    await start({ 'a.txt': crlf, 'z.txt': 'z\n' }, (at) => [edit('a', at('a.txt'), 'four', 'FOUR'), toolUse('Write', { file_path: at('new/deep/n.txt'), content: 'n\n' }, { id: 'n' }), toolUse('Write', { file_path: at('broken.txt'), content: 'x\n' }, { id: 'x' }), edit('z', at('z.txt'), 'z', 'Z')]);
    answerTogether(4, async ({ toolUseId }) => {
      if (toolUseId === 'x') await mkdir(harness.path('broken.txt'));
      return { behavior: 'allow' };
    });
    const before = await readFile(harness.path('a.txt')).catch(() => undefined);
    const session = await harness.open();
    await runTurn(session, 'go');
    assert.deepEqual(await readFile(harness.path('a.txt')), before);
    assert.equal(await harness.read('z.txt'), 'z\n');
    await assert.rejects(stat(harness.path('new')), 'no folder stays');
    for (const id of ['a', 'n', 'z']) assert.match(told()[id]!, /^Nothing of this is in the file: another edit/);
    assert.match(told()['x']!, /broken\.txt/);
    assert.equal((await harness.transcript(session)).filter((line) => line['type'] === 'rewind' && line['isRollback'] === true).length, 1);
    harness.server.assertClean();
  });

  it('that were taken back can be proposed again without reading again', async () => {
    await start({ 'a.txt': 'a\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('Write', { file_path: at('broken.txt'), content: 'x\n' }, { id: 'x' })]);
    harness.server.push({ reply: () => message([edit('again', harness.path('a.txt'), 'a', 'A')]) }, { reply: message('Done.') });
    harness.answer = async ({ toolUseId }) => {
      if (toolUseId === 'x') await mkdir(harness.path('broken.txt'));
      return { behavior: 'allow' };
    };
    const session = await harness.open();
    await runTurn(session, 'go');
    await runTurn(session, 'again');
    assert.equal(await harness.read('a.txt'), 'A\n');
  });

  it('are none of them written when the user interrupts', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), edit('b', at('b.txt'), 'b', 'B')]);
    const session = await harness.open();
    answerTogether(2, ({ toolUseId }) => {
      if (toolUseId === 'a') return { behavior: 'allow' };
      session.interrupt();
      return new Promise(() => {});
    });
    const messages = await runTurn(session, 'go');
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['a\n', 'b\n']);
    const results = messages.flatMap((each: SDKMessage) => (each.type === 'user' && JSON.stringify(each.message.content).includes('interrupted before this was decided') ? [each] : []));
    assert.equal(results.length, 2);
  });

  it('tell what the user decided about each hunk, and why, and the transcript keeps it', async () => {
    await start({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n' }, (at) => [toolUse('Write', { file_path: at('a.txt'), content: 'one\n2\n3\nfour\n5\n6\nseven\n' }, { id: 'w' })]);
    harness.answer = () => ({ behavior: 'allow', finalText: 'one\n2\n3\n4\n5\n6\nSEVEN\n', hunkReasons: [{ hunk: 1, reason: 'four is unlucky' }] });
    const session = await harness.open();
    await runTurn(session, 'go');
    assert.match(told()['w']!, /- line 1 of your proposal: accepted\n- line 4 of your proposal: rejected\. They say: four is unlucky\n- line 7 of your proposal: changed by the user/);
    const line = (await harness.transcript(session)).find((each) => each['type'] === 'permission-decision');
    assert.deepEqual((line!['hunks'] as { verdict: string }[]).map(({ verdict }) => verdict), ['accepted', 'rejected', 'edited']);
  });

  it('are merged onto a file that changed while they waited, when the host has shown that', async () => {
    await start({ 'a.txt': '1\n2\n3\n4\n5\n' }, (at) => [edit('a', at('a.txt'), '5', 'five')]);
    harness.answer = async ({ proposal, rebase }) => {
      assert.equal((await rebase!(proposal!)).kind, 'current');
      await harness.write('a.txt', 'one\n2\n3\n4\n5\n');
      const shown = await rebase!(proposal!);
      assert.deepEqual([shown.kind, shown.proposal.before, shown.proposal.after], ['rebased', 'one\n2\n3\n4\n5\n', 'one\n2\n3\n4\nfive\n']);
      return { behavior: 'allow', rebased: shown.proposal, finalText: 'one\n2\n3\n4\nfive!\n' };
    };
    const session = await harness.open();
    await runTurn(session, 'go');
    assert.equal(await harness.read('a.txt'), 'one\n2\n3\n4\nfive!\n');
    assert.match(told()['a']!, /no longer what you knew[\s\S]*-1\n\+one[\s\S]*five!/);
    assert.equal((await harness.transcript(session)).find((each) => each['type'] === 'permission-decision')?.['rebased'], true);
  });

  it('conflict where both changed the same lines, and are gone with the file', async () => {
    await start({ 'a.txt': '1\n2\n' }, (at) => [edit('a', at('a.txt'), '2', 'two')]);
    harness.answer = async ({ proposal, rebase }) => {
      await harness.write('a.txt', '1\nzwei\n');
      const shown = await rebase!(proposal!);
      assert.deepEqual([shown.kind, shown.proposal.after], ['conflict', '1\n<<<<<<< now\nzwei\n=======\ntwo\n>>>>>>> proposed\n']);
      await harness.write('a.txt', Uint8Array.from([0, 1, 2, 0]));
      assert.equal((await rebase!(proposal!)).kind, 'gone');
      return { behavior: 'outdated' };
    };
    await runTurn(await harness.open(), 'go');
    assert.match(told()['a']!, /changed while the proposal waited/);
  });

  it('go through together without a question where the mode says so', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), edit('b', at('b.txt'), 'b', 'B')]);
    await runTurn(await harness.open({ permissionMode: 'acceptEdits' }), 'go');
    assert.equal(harness.requests.length, 0);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'B\n']);
  });

  it('of two sessions for one file: the one decided later is merged onto what the other wrote', async () => {
    const read = turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.txt') })]) });
    const proposes = (id: string, from: string, to: string) => turn({ reply: () => message([edit(id, harness.path('a.txt'), from, to)]) });
    const done = turn({ reply: message('Done.') });
    harness = await EngineHarness.start([read, proposes('first', '1', 'one'), read, proposes('second', '5', 'five'), done, done], { files: { 'a.txt': '1\n2\n3\n4\n5\n' } });
    const sessions = [await harness.open(), await harness.open()];
    harness.answer = async ({ toolUseId, proposal, rebase }) => {
      if (toolUseId === 'second') return { behavior: 'allow' };
      await runTurn(sessions[1]!, 'the other session');
      const shown = await rebase!(proposal!);
      assert.equal(shown.kind, 'rebased');
      return { behavior: 'allow', rebased: shown.proposal };
    };
    await runTurn(sessions[0]!, 'go');
    assert.equal(await harness.read('a.txt'), 'one\n2\n3\n4\nfive\n');
  });
});
