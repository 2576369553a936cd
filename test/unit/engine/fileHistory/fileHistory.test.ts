import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { Desk } from './support.ts';

const text = (desk: Desk, name: string): Promise<string> => readFile(desk.at(name), 'utf8');

describe('FileHistory', function () {
  this.timeout(60_000);

  it('gives files back with bytes and mode, deletes what the agent made with its folders, brings back what it deleted', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('run.sh'), Buffer.from([0xff, 0x00, 0x0d, 0x0a]));
      await chmod(desk.at('run.sh'), 0o755);
      await writeFile(desk.at('gone.txt'), 'still here\r\n');
      await writeFile(desk.at('other.txt'), 'mine');
      const before = await desk.tree();
      const other = await stat(desk.at('other.txt'));
      desk.say('m1');
      await desk.agentWrites('run.sh', 'echo');
      await chmod(desk.at('run.sh'), 0o644);
      await desk.history.afterWrite(desk.at('run.sh'));
      await desk.agentWrites('gone.txt', null);
      await desk.agentWrites('new/deep/one.txt', '1\n2\n');
      await desk.agentWrites('new/deep/two.txt', '2');
      const plan = await desk.history.planRewind('m1', desk.branch, 3);
      assert.deepEqual(plan, {
        messageId: 'm1',
        files: [
          { path: desk.at('run.sh'), action: 'restore', changedSince: false, linesAdded: 0, linesRemoved: 0 },
          { path: desk.at('gone.txt'), action: 'recreate', changedSince: false, linesAdded: 1, linesRemoved: 0 },
          { path: desk.at('new/deep/one.txt'), action: 'delete', changedSince: false, linesAdded: 0, linesRemoved: 2 },
          { path: desk.at('new/deep/two.txt'), action: 'delete', changedSince: false, linesAdded: 0, linesRemoved: 1 },
        ],
        notCovered: [],
        messagesRemoved: 3,
      });
      const outcome = await desk.rewind('m1');
      assert.deepEqual([outcome.restored, outcome.deleted, outcome.skipped, outcome.failed], [
        [desk.at('run.sh'), desk.at('gone.txt')],
        [desk.at('new/deep/one.txt'), desk.at('new/deep/two.txt')],
        [],
        [],
      ]);
      assert.deepEqual(await desk.tree(), before);
      const otherAfter = await stat(desk.at('other.txt'));
      assert.deepEqual([otherAfter.ino, otherAfter.mtimeMs, otherAfter.ctimeMs], [other.ino, other.mtimeMs, other.ctimeMs]);
    }));

  it('lists the messages newest first, with what was done', () =>
    Desk.use(async (desk) => {
      desk.say('m1');
      await desk.agentWrites('a', '1');
      await desk.agentWrites('a', '2');
      await desk.agentWrites('b', '1');
      desk.say('m2');
      await desk.history.shellCommand('sed -i s/a/b/ a');
      const messages = ['m1', 'm2'].map((uuid) => ({ uuid, text: `text of ${uuid}`, timestamp: 't' }));
      assert.deepEqual(desk.history.targets(messages), [
        { messageId: 'm2', text: 'text of m2', timestamp: 't', fileCount: 0, shellCommandCount: 1 },
        { messageId: 'm1', text: 'text of m1', timestamp: 't', fileCount: 2, shellCommandCount: 0 },
      ]);
      const notCovered = [{ name: 'Shell command `sed -i s/a/b/ a`', reason: "may have changed files that can't be brought back" }];
      assert.deepEqual((await desk.history.planRewind('m2', desk.branch, 0)).notCovered, notCovered);
      assert.deepEqual((await desk.history.planRewind('m1', desk.branch, 0)).notCovered, notCovered);
    }));

  it('goes back to each message, also after a restart, and tells what a file would hold', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'zero');
      for (const content of ['one', 'two', 'three']) {
        desk.say(content);
        await desk.agentWrites('a', content);
      }
      await desk.restart();
      const at = async (messageId: string): Promise<string> => Buffer.from((await desk.history.contentAt(messageId, desk.branch, desk.at('a')))!).toString();
      assert.deepEqual([await at('one'), await at('two'), await at('three')], ['zero', 'one', 'two']);
      assert.equal(await desk.history.contentAt('one', desk.branch, desk.at('never')), undefined);
      await desk.rewind('two');
      assert.equal(await text(desk, 'a'), 'one');
      const loaded = await loadTranscript(nodeFileSystem, desk.transcript);
      assert.deepEqual([loaded.leafUuid, loaded.messages.map(({ uuid }) => uuid)], ['one', ['one']]);
    }));

  it('refuses to overwrite what the user changed since, before anything is done; skips or overwrites as told', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      await writeFile(desk.at('b'), 'b0');
      desk.say('m1');
      await desk.agentWrites('a', 'a1');
      await desk.agentWrites('b', 'b1');
      await appendFile(desk.at('b'), ' and mine');
      const transcript = await readFile(desk.transcript, 'utf8');
      await assert.rejects(desk.rewind('m1'), (error) => isTurnstoneError(error) && error.code === 'stale_file' && error.message.includes(desk.at('b')) && !error.message.includes(desk.at('a')));
      assert.deepEqual([await text(desk, 'a'), await text(desk, 'b')], ['a1', 'b1 and mine']);
      await desk.store.flush();
      assert.ok(!(await readFile(desk.transcript, 'utf8')).slice(transcript.length).includes('"rewind"'));
      const skipping = await desk.rewind('m1', { scope: 'files', skip: [desk.at('b')] });
      assert.deepEqual([skipping.restored, skipping.skipped, await text(desk, 'b')], [[desk.at('a')], [desk.at('b')], 'b1 and mine']);
      const overwriting = await desk.rewind('m1', { overwrite: [desk.at('b')] });
      assert.deepEqual([overwriting.restored, await text(desk, 'b')], [[desk.at('b')], 'b0']);
      await desk.undo();
      assert.equal(await text(desk, 'b'), 'b1 and mine');
    }));

  it("flags a user's change between two turns, and keeps it as a state of its own", () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'zero');
      desk.say('m1');
      await desk.agentWrites('a', 'agent one');
      await writeFile(desk.at('a'), 'user');
      await desk.agentWrites('a', 'agent two');
      desk.say('m2');
      await desk.agentWrites('a', 'agent three');
      assert.equal((await desk.history.planRewind('m1', desk.branch, 0)).files[0]!.changedSince, true);
      assert.equal((await desk.history.planRewind('m2', desk.branch, 0)).files[0]!.changedSince, false);
    }));

  it('can be undone, again and again, with a restart between', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      desk.say('m2');
      await desk.agentWrites('a', 'a1');
      await desk.agentWrites('sub/new', 'n');
      const after = await desk.tree();
      await desk.rewind('m2');
      const before = await desk.tree();
      assert.deepEqual(Object.keys(before), ['a']);
      await desk.restart();
      assert.deepEqual(desk.branch, ['m1']);
      const undone = await desk.undo();
      assert.deepEqual([undone.line.undoes, undone.line.leafUuid], [undone.line.undoes, 'm2']);
      assert.deepEqual(await desk.tree(), after);
      await desk.restart();
      assert.deepEqual(desk.branch, ['m1', 'm2']);
      await desk.redo();
      assert.deepEqual(await desk.tree(), before);
      await desk.undo();
      assert.deepEqual(await desk.tree(), after);
      await desk.restart();
      assert.deepEqual(desk.branch, ['m1', 'm2']);
      assert.deepEqual(desk.notices, []);
    }));

  it('an undo does not overwrite silently either', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      await desk.agentWrites('a', 'a1');
      await desk.rewind('m1');
      await writeFile(desk.at('a'), 'mine');
      const plan = await desk.history.planUndo(desk.history.undoable!);
      assert.deepEqual(plan.files, [{ path: desk.at('a'), action: 'restore', linesAdded: 1, linesRemoved: 1, changedSince: true, merge: { conflicts: [{ firstLine: 1, lineCount: 1 }] } }]);
      await assert.rejects(desk.undo(), (error) => isTurnstoneError(error) && error.code === 'stale_file');
      assert.equal(await text(desk, 'a'), 'mine');
      await desk.undo({ overwrite: [desk.at('a')] });
      assert.equal(await text(desk, 'a'), 'a1');
      await desk.redo();
      assert.equal(await text(desk, 'a'), 'mine');
    }));

  it('redoing asks again about what the rewind went over, and can keep it', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'one\ntwo\nthree\n');
      await writeFile(desk.at('b'), 'b0');
      desk.say('m1');
      await desk.agentWrites('a', 'ONE\ntwo\nthree\n');
      await desk.agentWrites('b', 'b1');
      await writeFile(desk.at('a'), 'ONE\ntwo\nthree\nmine\n');
      await desk.rewind('m1', { overwrite: [desk.at('a')] });
      await desk.undo();
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nthree\nmine\n');
      const plan = await desk.history.planRedo(desk.history.redoable(desk.store.leafUuid)!, desk.branch);
      assert.deepEqual(plan.files.map(({ path, changedSince, merge }) => [path, changedSince, merge?.conflicts.length]), [[desk.at('a'), true, 0], [desk.at('b'), false, undefined]]);
      await assert.rejects(desk.redo(), (error) => isTurnstoneError(error) && error.code === 'stale_file');
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nthree\nmine\n');
      await desk.redo({ merge: [desk.at('a')] });
      assert.deepEqual([await text(desk, 'a'), await text(desk, 'b')], ['one\ntwo\nthree\nmine\n', 'b0']);
      await desk.undo();
      assert.equal(await text(desk, 'a'), 'ONE\ntwo\nthree\nmine\n');
    }));

  it('a rewind is undone after further prompts, restarts and other rewinds: all is as it was before it', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      await desk.agentWrites('a', 'a1');
      desk.say('m2');
      await desk.agentWrites('a', 'a2');
      await desk.agentWrites('made/x', 'x');
      const first = await desk.tree();
      await desk.rewind('m2');
      desk.say('m3');
      await desk.agentWrites('a', 'a3');
      await desk.agentWrites('b', 'b3');
      await desk.restart();
      const second = await desk.tree();
      await desk.rewind('m3');
      desk.say('m4');
      await desk.agentWrites('c', 'c4');
      const third = await desk.tree();
      await desk.undo();
      assert.deepEqual([await desk.tree(), desk.branch], [second, ['m1', 'm3']]);
      await desk.restart();
      await desk.undo();
      assert.deepEqual([await desk.tree(), desk.branch], [first, ['m1', 'm2']]);
      assert.equal(desk.history.undoable, undefined);
      await desk.redo();
      assert.deepEqual([await desk.tree(), desk.branch], [second, ['m1', 'm3']]);
      await desk.redo();
      assert.deepEqual([await desk.tree(), desk.branch], [third, ['m1', 'm4']]);
      assert.equal(desk.history.redoable(desk.store.leafUuid), undefined);
    }));

  it('unsaved text is what the user has: kept before a write, flagged, written through the editor', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), '\uFEFFon disk\r\n');
      let unsaved: string | undefined = 'unsaved\r\n';
      const written: string[] = [];
      desk.documents = {
        unsavedText: (path) => (path === desk.at('a') ? unsaved : undefined),
        async write(path, content) {
          written.push(content);
          unsaved = undefined;
          await writeFile(path, content);
          return true;
        },
      };
      desk.say('m1');
      await desk.history.beforeWrite(desk.at('a'));
      unsaved = undefined;
      await writeFile(desk.at('a'), '\uFEFFagent\r\n');
      await desk.history.afterWrite(desk.at('a'));
      unsaved = 'typing on';
      assert.deepEqual((await desk.history.planRewind('m1', desk.branch, 0)).files.map(({ changedSince }) => changedSince), [true]);
      await desk.rewind('m1', { overwrite: [desk.at('a')] });
      assert.deepEqual(written, ['unsaved\r\n']);
      // The editor saved it without the mark; the bytes decide.
      assert.equal(await text(desk, 'a'), '\uFEFFunsaved\r\n');
      await desk.undo();
      assert.equal(await text(desk, 'a'), '\uFEFFtyping on');
    }));

  it('follows a link to the file behind it, and undoes a file that became a link', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('real'), 'r0');
      await symlink('real', desk.at('link'));
      desk.say('m1');
      await desk.agentWrites('link', 'r1');
      const plan = await desk.history.planRewind('m1', desk.branch, 0);
      assert.deepEqual(plan.files.map(({ path }) => path), [desk.at('real')]);
      await rm(desk.at('real'));
      await writeFile(desk.at('elsewhere'), 'untouched');
      await symlink('elsewhere', desk.at('real'));
      await desk.rewind('m1', { overwrite: [desk.at('real')] });
      const tree = await desk.tree();
      assert.match(tree['link']!, /-> real$/);
      assert.deepEqual([await text(desk, 'real'), await text(desk, 'elsewhere')], ['r0', 'untouched']);
      await desk.undo();
      assert.match((await desk.tree())['real']!, /-> elsewhere$/);
    }));

  it('names what it can not bring back: large files, folders in the way, .git', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('large'), '');
      await truncate(desk.at('large'), 50 * 1024 * 1024 + 1);
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      await desk.agentWrites('large', 'small');
      await desk.agentWrites('.git/config', 'x');
      await desk.agentWrites('a', 'a1');
      await rm(desk.at('a'));
      await mkdir(desk.at('a'));
      const plan = await desk.history.planRewind('m1', desk.branch, 0);
      assert.deepEqual(plan.files, []);
      assert.deepEqual(plan.notCovered, [
        { name: desk.at('large'), reason: 'it is larger than 50 MB' },
        { name: desk.at('.git/config'), reason: 'it is inside .git, which going back never touches' },
        { name: desk.at('a'), reason: "what is there now can't be kept: a folder is there" },
      ]);
      await desk.rewind('m1');
      assert.equal(await text(desk, '.git/config'), 'x');
    }));

  it('refuses a message that is not on the branch, and a rewind whose saved contents are damaged', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      await writeFile(desk.at('b'), 'b0');
      desk.say('m1');
      await desk.agentWrites('a', 'a1');
      await desk.agentWrites('b', 'b1');
      await assert.rejects(desk.history.planRewind('other', desk.branch, 0), (error) => isTurnstoneError(error) && error.code === 'not_found');
      await rm(`${desk.root}/blobs`, { recursive: true });
      await desk.restart();
      await assert.rejects(desk.rewind('m1'), (error) => isTurnstoneError(error) && error.code === 'disk' && /can't be brought back.*missing.*Nothing was changed/.test(error.message));
      assert.deepEqual([await text(desk, 'a'), await text(desk, 'b')], ['a1', 'b1']);
    }));

  it('a conversation alone can go back; the files then still know their past', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      desk.say('m2');
      await desk.agentWrites('a', 'a1');
      await desk.rewind('m2', { scope: 'conversation' });
      assert.equal(await text(desk, 'a'), 'a1');
      desk.say('m3');
      await desk.rewind('m1');
      assert.equal(await text(desk, 'a'), 'a0');
    }));

  it('keeps the content before the tool writes, or refuses', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      await desk.history.beforeWrite(desk.at('a'));
      assert.match(await readFile(desk.transcript, 'utf8'), /"before":\{"kind":"file"/);
      desk.files.appendFile = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
      await assert.rejects(desk.history.beforeWrite(desk.at('b')), (error) => isTurnstoneError(error) && error.code === 'disk' && /was not changed/.test(error.message));
      desk.files.appendFile = nodeFileSystem.appendFile;
    }, { ...nodeFileSystem }));

  it('a rewind that can not be committed does nothing, now and later', () =>
    Desk.use(async (desk) => {
      await writeFile(desk.at('a'), 'a0');
      desk.say('m1');
      await desk.agentWrites('a', 'a1');
      await desk.store.flush();
      desk.files.appendFile = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
      await assert.rejects(desk.rewind('m1'), (error) => isTurnstoneError(error) && error.code === 'disk');
      desk.files.appendFile = nodeFileSystem.appendFile;
      await desk.restart();
      assert.deepEqual([await text(desk, 'a'), desk.branch, desk.notices], ['a1', ['m1'], []]);
    }, { ...nodeFileSystem }));

  it('a rewind cut short between its files is finished at the next start, and only what is as it was then', () =>
    Desk.use(async (desk) => {
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) await writeFile(desk.at(name), `${name}0`);
      desk.say('m1');
      for (const name of names) await desk.agentWrites(name, `${name}1`);
      const cut = new Promise<never>(() => {});
      desk.files.writeFile = (path, bytes, options) => (path === desk.at('b') ? cut : nodeFileSystem.writeFile(path, bytes, options));
      void desk.rewind('m1');
      while ((await text(desk, 'a')) !== 'a0') await new Promise((resolve) => setImmediate(resolve));
      // The process that died goes no further.
      desk.files = nodeFileSystem;
      await writeFile(desk.at('d'), 'mine');
      await desk.restart();
      assert.deepEqual(await Promise.all(names.map((name) => text(desk, name))), ['a0', 'b0', 'c0', 'mine']);
      assert.deepEqual(desk.notices, [
        'A rewind that was cut short has been finished: 3 files brought back.',
        `${desk.at('d')} was not brought back by a rewind that was cut short: It was changed in the meantime and was left as it is.`,
      ]);
      await desk.restart();
      assert.deepEqual(desk.notices, []);
    }, { ...nodeFileSystem }));

  it('gives back exactly what was there, for any course of events; all else stays untouched; undo is its inverse', () => {
    const names = ['a', 'b', 'sub/c', 'sub/deep/d'];
    const step = fc.record({
      name: fc.constantFrom(...names),
      content: fc.option(fc.uint8Array({ maxLength: 12 })),
      starts: fc.boolean(),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(), fc.boolean(), fc.subarray(names), (steps, pick, restarts, existing) =>
        Desk.use(async (desk) => {
          await writeFile(desk.at('bystander'), 'x');
          const bystander = await stat(desk.at('bystander'));
          for (const name of existing) await nodeFileSystem.writeFile(desk.at(name), Buffer.from(`first ${name}`));
          const trees = new Map<string, Record<string, string>>();
          for (const [index, { name, content, starts }] of steps.entries()) {
            if (starts || index === 0) {
              trees.set(`m${index}`, await desk.tree());
              desk.say(`m${index}`);
            }
            await desk.agentWrites(name, content);
          }
          if (restarts) await desk.restart();
          const after = await desk.tree();
          const target = [...trees.keys()][pick % trees.size]!;
          await desk.rewind(target);
          assert.deepEqual(await desk.tree(), trees.get(target));
          await desk.undo();
          assert.deepEqual(await desk.tree(), after);
          await desk.redo();
          assert.deepEqual(await desk.tree(), trees.get(target));
          const now = await stat(desk.at('bystander'));
          assert.deepEqual([now.ino, now.mtimeMs, now.ctimeMs], [bystander.ino, bystander.mtimeMs, bystander.ctimeMs]);
        }),
      ),
      { numRuns: 40 },
    );
  });
});
