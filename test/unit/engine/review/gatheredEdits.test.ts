import assert from 'node:assert/strict';
import { mkdir, stat } from 'node:fs/promises';
import type { PermissionAnswer, PermissionRequest } from '../../../../src/protocol/permissions.ts';
import type { WireBlock } from '../../../support/apiTypes.ts';
import { EngineHarness, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const allow: PermissionAnswer = { behavior: 'allow' };

describe('Edits of one answer with other calls between them', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  async function start(files: Readonly<Record<string, string>>, calls: (at: (name: string) => string) => readonly WireBlock[], isRead = (_name: string): boolean => true): Promise<void> {
    harness = await EngineHarness.start(
      [
        turn({ reply: () => message(Object.keys(files).filter(isRead).map((name) => toolUse('Read', { file_path: harness.path(name) }))) }),
        turn({ reply: () => message(calls((name) => harness.path(name))) }),
        turn({ reply: message('I see.') }),
      ],
      { files },
    );
  }
  const edit = (id: string, path: string, from: string, to: string): WireBlock => toolUse('Edit', { file_path: path, old_string: from, new_string: to }, { id });
  const bash = (id: string, command: string): WireBlock => toolUse('Bash', { command }, { id });
  const told = (): Record<string, string> => toolResults(harness.server.requests[2]!.body);
  const asked = (): string[] => harness.requests.map(({ toolUseId }) => toolUseId);
  const places = (): unknown[] => harness.requests.map(({ changeSet }) => changeSet && `${changeSet.index + 1}/${changeSet.count}`);

  it('a reader stands between: one set, written as one', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('Read', { file_path: at('a.txt') }, { id: 'r' }), edit('b', at('b.txt'), 'b', 'B')]);
    const session = await harness.open();
    await runTurn(session, 'go');
    assert.deepEqual(places(), ['1/2', '2/2']);
    assert.match(told()['r']!, /A/);
    assert.deepEqual(Object.keys(told()).slice(-3), ['a', 'r', 'b'], 'results come in source order');
    assert.deepEqual((await harness.transcript(session)).filter((line) => line['type'] === 'change-set').map(({ files }) => (files as unknown[]).length), [2, 0]);
    harness.server.assertClean();
  });

  it('a reader stands between and one can not be written: none stays', async () => {
    await start({ 'a.txt': 'a\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('Read', { file_path: at('a.txt') }, { id: 'r' }), toolUse('Write', { file_path: at('broken.txt'), content: 'x\n' }, { id: 'x' })]);
    harness.answer = async ({ toolUseId }) => {
      if (toolUseId === 'x') await mkdir(harness.path('broken.txt'));
      return allow;
    };
    await runTurn(await harness.open(), 'go');
    assert.equal(await harness.read('a.txt'), 'a\n');
    assert.match(told()['a']!, /^Nothing of this is in the file/);
    harness.server.assertClean();
  });

  it('a command stands between: all are decided first; it sees the edits before it and none behind it', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('cat', 'cat a.txt b.txt'), edit('b', at('b.txt'), 'b', 'B')]);
    await runTurn(await harness.open(), 'go');
    assert.deepEqual(asked(), ['a', 'b', 'cat']);
    assert.match(told()['cat']!, /A\nb/);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'B\n']);
    assert.deepEqual(Object.keys(told()).slice(-3), ['a', 'cat', 'b']);
    harness.server.assertClean();
  });

  it('a command between them changes the file of a later one: that is merged onto it, and the model is told', async () => {
    await start({ 'a.txt': '1\n2\n3\n4\n5\n' }, (at) => [edit('one', at('a.txt'), '1', 'one'), bash('format', "sed -i 's/3/three/' a.txt"), edit('five', at('a.txt'), '5', 'five')]);
    await runTurn(await harness.open(), 'go');
    assert.equal(await harness.read('a.txt'), 'one\n2\nthree\n4\nfive\n');
    assert.match(told()['five']!, /no longer what you knew[\s\S]*\+three/);
    assert.doesNotMatch(told()['five']!, /The user changed/);
  });

  it('a command between them changes the very lines: nothing is written over it', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('c', 'echo other > b.txt'), edit('b', at('b.txt'), 'b', 'B')]);
    await runTurn(await harness.open(), 'go');
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'other\n']);
    assert.match(told()['b']!, /changed while this proposal waited/);
  });

  it('what a command has worked on stays when an edit behind it fails; those written with that one do not', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('c', 'mkdir broken.txt'), edit('b', at('b.txt'), 'b', 'B'), toolUse('Write', { file_path: at('broken.txt'), content: 'x\n' }, { id: 'x' })]);
    await runTurn(await harness.open(), 'go');
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'b\n']);
    assert.match(told()['a']!, /^Changed a\.txt/);
    assert.match(told()['b']!, /^Nothing of this is in the file/);
    harness.server.assertClean();
  });

  it('a command is rejected: what was accepted with the others is written all the same, and commands behind it are not run', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('c', 'touch one'), edit('b', at('b.txt'), 'b', 'B'), bash('d', 'touch two')]);
    harness.answer = ({ toolName }) => (toolName === 'Bash' ? { behavior: 'deny' } : allow);
    await runTurn(await harness.open(), 'go');
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'B\n']);
    await assert.rejects(stat(harness.path('two')));
    assert.match(told()['d']!, /^Not run/);
  });

  it('what can not be planned yet is asked about in its place', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('Read', { file_path: at('b.txt') }, { id: 'r' }), edit('b', at('b.txt'), 'b', 'B'), bash('c', 'echo made > c.txt'), toolUse('Read', { file_path: at('c.txt') }, { id: 'r2' }), edit('e', at('c.txt'), 'made', 'edited')], (name) => name === 'a.txt');
    const session = await harness.open();
    await runTurn(session, 'go');
    assert.deepEqual(asked(), ['a', 'b', 'c', 'e']);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt'), await harness.read('c.txt')], ['A\n', 'B\n', 'edited\n']);
    const decisions = (await harness.transcript(session)).filter((line) => line['type'] === 'permission-decision').map((line) => line['toolUseId']);
    assert.deepEqual(decisions, ['a', 'b', 'c', 'e'], 'each is written down once');
    harness.server.assertClean();
  });

  it('nobody is asked about edits: each is made out of what is there when its turn comes', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('c', 'echo b2 >> b.txt; cat a.txt'), toolUse('Read', { file_path: at('b.txt') }, { id: 'r' }), edit('b', at('b.txt'), 'b2', 'B2')]);
    await runTurn(await harness.open({ permissionMode: 'acceptEdits' }), 'go');
    assert.deepEqual(asked(), ['c']);
    assert.equal(await harness.read('b.txt'), 'b\nB2\n');
  });

  it('the plan is left between them: those behind it are asked about after that', async () => {
    await start({ 'a.txt': 'a\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('ExitPlanMode', { plan: 'Do it.' }, { id: 'plan' }), edit('b', at('a.txt'), 'a', 'B')]);
    await runTurn(await harness.open({ permissionMode: 'plan' }), 'go');
    assert.deepEqual(asked(), ['plan', 'b']);
    assert.equal(await harness.read('a.txt'), 'B\n');
  });

  it('the session ends while a command is asked about: it and the edits behind it are asked about again', async () => {
    await start({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), bash('c', 'cat a.txt'), edit('b', at('b.txt'), 'b', 'B')]);
    const first = await harness.open();
    const waits = new Promise<void>((resolve) => {
      harness.answer = (request: PermissionRequest) => {
        if (request.toolName !== 'Bash') return allow;
        resolve();
        return new Promise(() => {});
      };
    });
    const running = runTurn(first, 'go');
    await waits;
    await first.dispose();
    await running;
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'b\n']);
    harness.answer = () => allow;
    harness.requests.length = 0;
    const second = await harness.open({ resume: first.sessionId });
    assert.equal(second.pendingPermission?.toolUseId, 'c');
    for await (const _ of second.continuePending()) void _;
    assert.deepEqual(asked(), ['c', 'b']);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['A\n', 'B\n']);
  });

  it('nothing is kept of what files held: they are taken back all the same when one can not be written', async () => {
    await start({ 'a.txt': '\ufeffa\r\n' }, (at) => [edit('a', at('a.txt'), 'a', 'A'), toolUse('Write', { file_path: at('new/deep/n.txt'), content: 'n\n' }, { id: 'n' }), toolUse('Write', { file_path: at('broken.txt'), content: 'x\n' }, { id: 'x' })]);
    harness.answer = async ({ toolUseId }) => {
      if (toolUseId === 'x') await mkdir(harness.path('broken.txt'));
      return allow;
    };
    await runTurn(await harness.open({ fileHistory: false }), 'go');
    assert.equal(await harness.read('a.txt'), '\ufeffa\r\n');
    await assert.rejects(stat(harness.path('new')), 'no folder stays');
    assert.match(told()['a']!, /^Nothing of this is in the file/);
    assert.doesNotMatch(told()['a']!, /Not all could be taken back/);
  });
});
