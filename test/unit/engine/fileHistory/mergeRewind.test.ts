import assert from 'node:assert/strict';
import { appendFile, chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { Desk } from './support.ts';

const text = (desk: Desk, name: string): Promise<string> => readFile(desk.at(name), 'utf8');
const isStale = (...parts: RegExp[]) => (error: unknown): boolean => isTurnstoneError(error) && error.code === 'stale_file' && parts.every((part) => part.test(error.message));

describe('a rewind that keeps what the user changed', function () {
  this.timeout(60_000);

  it('merges where asked to, and nothing without being asked', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\nfour\n');
      await chmod(desk.at('a'), 0o755);
      desk.say('m1');
      await desk.agentWrites('a', 'one\nTWO\nthree\nfour\n');
      await writeFile(desk.at('a'), 'one\nTWO\nthree\nfour, mine\n');
      const plan = await desk.history.planRewind('m1', desk.branch, 0);
      assert.deepEqual(plan.files.map(({ changedSince, merge }) => ({ changedSince, merge })), [{ changedSince: true, merge: { conflicts: [] } }]);
      assert.equal(Buffer.from((await desk.history.mergedAt('m1', desk.branch, desk.at('a')))!).toString(), 'one\ntwo\nthree\nfour, mine\n');
      await assert.rejects(desk.rewind('m1'), isStale(/overwrite it, to merge it or to leave/));
      const outcome = await desk.rewind('m1', { merge: [desk.at('a')] });
      assert.deepEqual([outcome.restored, outcome.merged, outcome.withConflicts], [[desk.at('a')], [desk.at('a')], []]);
      assert.equal(await text(desk, 'a'), 'one\ntwo\nthree\nfour, mine\n');
      assert.equal((await stat(desk.at('a'))).mode & 0o777, 0o755);
      await desk.restart();
      await desk.undo();
      assert.equal(await text(desk, 'a'), 'one\nTWO\nthree\nfour, mine\n');
    }));

  it('never writes conflict markers that were not asked for', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\n');
      desk.say('m1');
      await desk.agentWrites('a', 'one\nagent\nthree\n');
      await writeFile(desk.at('a'), 'zero\none\nmine\nthree\n');
      const plan = await desk.history.planRewind('m1', desk.branch, 0);
      assert.deepEqual(plan.files[0]!.merge, { conflicts: [{ firstLine: 3, lineCount: 1 }] });
      await assert.rejects(desk.rewind('m1', { merge: [desk.at('a')] }), isStale(/1 conflict/, /Nothing was changed/));
      assert.equal(await text(desk, 'a'), 'zero\none\nmine\nthree\n');
      const outcome = await desk.rewind('m1', { merge: [desk.at('a')], writeConflicts: [desk.at('a')] });
      assert.deepEqual(outcome.withConflicts, [desk.at('a')]);
      assert.equal(await text(desk, 'a'), 'zero\none\n<<<<<<< now\nmine\n=======\ntwo\n>>>>>>> then\nthree\n');
    }));

  it('keeps what the user changed between two writes of the agent, too', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
      desk.say('m1');
      await desk.agentWrites('a', 'ONE\ntwo\nthree\nfour\nfive\nsix\n');
      await writeFile(desk.at('a'), 'ONE\ntwo\nthree, mine\nfour\nfive\nsix\n');
      await desk.agentWrites('a', 'ONE\ntwo\nthree, mine\nfour\nFIVE\nsix\n');
      await desk.rewind('m1', { merge: [desk.at('a')] });
      assert.equal(await text(desk, 'a'), 'one\ntwo\nthree, mine\nfour\nfive\nsix\n');
    }));

  it('merges unsaved text, and writes through the editor', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\n');
      desk.say('m1');
      await desk.agentWrites('a', 'ONE\ntwo\nthree\n');
      let unsaved: string | undefined = 'ONE\ntwo\nthree, typed\n';
      const written: string[] = [];
      desk.documents = {
        unsavedText: () => unsaved,
        async write(path, content) {
          written.push(content);
          unsaved = undefined;
          await writeFile(path, content);
          return true;
        },
      };
      await desk.rewind('m1', { merge: [desk.at('a')] });
      assert.deepEqual(written, ['one\ntwo\nthree, typed\n']);
      assert.equal(await text(desk, 'a'), 'one\ntwo\nthree, typed\n');
    }));

  it('keeps bytes of any encoding and all line ends as they are', () =>
    Desk.use(async (desk) => {
      const latin = (content: string): Buffer => Buffer.from(content, 'latin1');
      await writeFile(desk.at('a'), latin('caf\xe9\r\ntwo\nthree\r\nfour \xfc'));
      desk.say('m1');
      await desk.agentWrites('a', latin('caf\xe9\r\ntwo\nTHREE\r\nfour \xfc'));
      await writeFile(desk.at('a'), latin('caf\xe9 \xe0\r\ntwo\nTHREE\r\nfour \xfc'));
      await desk.agentWrites('b', Buffer.from('\ufeffa\nb\n', 'utf16le'));
      await writeFile(desk.at('b'), Buffer.from('\ufeffa\nb\nmine\n', 'utf16le'));
      desk.say('m2');
      await desk.agentWrites('b', Buffer.from('\ufeffA\nb\nmine\n', 'utf16le'));
      await writeFile(desk.at('b'), Buffer.from('\ufeffA\nb\nmine, too\n', 'utf16le'));
      await desk.rewind('m2', { merge: [desk.at('b')] });
      assert.deepEqual(await readFile(desk.at('b')), Buffer.from('\ufeffa\nb\nmine, too\n', 'utf16le'));
      await desk.rewind('m1', { merge: [desk.at('a')], skip: [desk.at('b')] });
      assert.deepEqual(await readFile(desk.at('a')), latin('caf\xe9 \xe0\r\ntwo\nthree\r\nfour \xfc'));
    }));

  it('offers no merge for binary files, files that come or go, and files whose encoding was changed', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('binary'), Buffer.from([0, 1, 2]));
      await writeFile(desk.at('gone'), 'x\n');
      await writeFile(desk.at('converted'), Buffer.from('\xe9\n', 'latin1'));
      desk.say('m1');
      await desk.agentWrites('binary', Buffer.from([0, 1, 3]));
      await desk.agentWrites('made', 'x\n');
      await desk.agentWrites('gone', null);
      await desk.agentWrites('converted', Buffer.from('\xe9\nx\n', 'latin1'));
      await appendFile(desk.at('binary'), Buffer.from([4]));
      await appendFile(desk.at('made'), 'mine\n');
      await writeFile(desk.at('gone'), 'mine\n');
      await writeFile(desk.at('converted'), 'é\nx\n');
      const { files } = await desk.history.planRewind('m1', desk.branch, 0);
      assert.equal(files.length, 4);
      assert.ok(files.every(({ changedSince, merge }) => changedSince && !merge));
      await assert.rejects(desk.rewind('m1', { merge: files.map(({ path }) => path) }), isStale(/4 files/));
    }));

  it('undoes a rewind under the user’s hands in the same way', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\n');
      desk.say('m1');
      await desk.agentWrites('a', 'ONE\ntwo\nthree\n');
      await desk.rewind('m1');
      await writeFile(desk.at('a'), 'one\ntwo\nthree, mine\n');
      assert.deepEqual((await desk.history.planUndo(desk.history.undoable!)).files[0]!.merge, { conflicts: [] });
      assert.equal(Buffer.from((await desk.history.contentAfterUndo(desk.history.undoable!, desk.at('a'), 'merge'))!).toString(), 'ONE\ntwo\nthree, mine\n');
      await desk.undo({ merge: [desk.at('a')] });
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nthree, mine\n');
      await desk.redo();
      assert.equal(await text(desk, 'a'), 'one\ntwo\nthree, mine\n');
    }));
});

describe('undoing a part of what the agent did', function () {
  this.timeout(60_000);

  const threeTurns = async (desk: Desk): Promise<void> => {
    await writeFile(desk.at('a'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
    desk.say('m1');
    await desk.agentWrites('a', 'ONE\ntwo\nthree\nfour\nfive\nsix\n', 'call1');
    await desk.agentWrites('a', 'ONE\ntwo\nTHREE\nfour\nfive\nsix\n', 'call2');
    await desk.agentWrites('b', 'made\n', 'call3');
    desk.say('m2');
    await desk.agentWrites('a', 'ONE\ntwo\nTHREE\nfour\nFIVE\nsix\n', 'call4');
  };

  it('takes back one call, one message or one file, and keeps what came after', () =>
    Desk.use(async (desk) => {
      await threeTurns(desk);
      await appendFile(desk.at('a'), 'mine\n');
      const plan = await desk.history.planSelectiveUndo({ toolUseId: 'call1' });
      assert.deepEqual(plan, { messageId: 'm1', files: [{ path: desk.at('a'), action: 'restore', changedSince: true, linesAdded: 1, linesRemoved: 1, merge: { conflicts: [] } }], notCovered: [], messagesRemoved: 0 });
      const outcome = await desk.undoSelected({ toolUseId: 'call1' });
      assert.deepEqual([outcome.restored, outcome.merged], [[desk.at('a')], [desk.at('a')]]);
      assert.equal(await text(desk, 'a'), 'one\ntwo\nTHREE\nfour\nFIVE\nsix\nmine\n');
      assert.equal(await text(desk, 'b'), 'made\n');
      await desk.undo();
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nTHREE\nfour\nFIVE\nsix\nmine\n');
      await desk.undoSelected({ messageId: 'm1' });
      assert.deepEqual([await text(desk, 'a'), Object.keys(await desk.tree())], ['one\ntwo\nthree\nfour\nFIVE\nsix\nmine\n', ['a']]);
      await desk.restart();
      await desk.undo();
      await desk.undoSelected({ path: desk.at('a') });
      assert.deepEqual([await text(desk, 'a'), await text(desk, 'b')], ['one\ntwo\nthree\nfour\nfive\nsix\nmine\n', 'made\n']);
    }));

  it('says where later changes are in the way, and does nothing then', () =>
    Desk.use(async (desk) => {
      await threeTurns(desk);
      await writeFile(desk.at('a'), 'ONE, mine\ntwo\nTHREE\nfour\nFIVE\nsix\n');
      await appendFile(desk.at('b'), 'mine\n');
      const plan = await desk.history.planSelectiveUndo({ messageId: 'm1' });
      assert.deepEqual(plan.files.map(({ action, merge }) => ({ action, merge })), [
        { action: 'restore', merge: { conflicts: [{ firstLine: 1, lineCount: 1 }] } },
        { action: 'delete', merge: undefined },
      ]);
      await assert.rejects(desk.undoSelected({ messageId: 'm1' }), isStale(/2 files/, /1 conflict/));
      await desk.undoSelected({ messageId: 'm1', path: desk.at('a') }, { merge: [desk.at('a')], writeConflicts: [desk.at('a')] });
      assert.equal(await text(desk, 'a'), '<<<<<<< now\nONE, mine\n=======\none\n>>>>>>> then\ntwo\nthree\nfour\nFIVE\nsix\n');
      assert.equal(await text(desk, 'b'), 'made\nmine\n');
    }));

  it('finds nothing to do where it was undone already, and says so where nothing was changed', () =>
    Desk.use(async (desk) => {
      await threeTurns(desk);
      await desk.undoSelected({ toolUseId: 'call4' });
      assert.deepEqual((await desk.history.planSelectiveUndo({ toolUseId: 'call4' })).files, []);
      await assert.rejects(desk.history.planSelectiveUndo({ toolUseId: 'never' }), (error) => isTurnstoneError(error) && error.code === 'not_found');
    }));

  it('leaves the way back to every message as it was', () =>
    Desk.use(async (desk) => {
      await threeTurns(desk);
      await desk.undoSelected({ toolUseId: 'call2' });
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nthree\nfour\nFIVE\nsix\n');
      await desk.rewind('m2');
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nTHREE\nfour\nfive\nsix\n');
      await desk.rewind('m1');
      assert.deepEqual([await text(desk, 'a'), await rm(desk.at('b')).catch(() => 'gone')], ['one\ntwo\nthree\nfour\nfive\nsix\n', 'gone']);
    }));

  it('one of many calls far enough apart, in any order', () =>
    fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), fc.nat(4), async (order, chosen) =>
        Desk.use(async (desk) => {
          const lines = Array.from({ length: 15 }, (_, index) => `line ${index}\n`);
          const content = (changed: readonly number[]): string => lines.map((line, index) => (changed.some((call) => call * 3 + 1 === index) ? `changed ${index}\n` : line)).join('');
          await writeFile(desk.at('a'), content([]));
          desk.say('m1');
          for (const [index, call] of order.entries()) await desk.agentWrites('a', content(order.slice(0, index + 1)), `call${call}`);
          await desk.undoSelected({ toolUseId: `call${chosen}` });
          assert.equal(await text(desk, 'a'), content(order.filter((call) => call !== chosen)));
        }),
      ),
      { numRuns: 20 },
    ));
});
