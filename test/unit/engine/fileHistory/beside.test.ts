import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserWrite, UserWrites } from '../../../../src/engine/ports.ts';
import type { RewindChoice } from '../../../../src/protocol/rewind.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { PausedCommand } from '../../../support/duringCommand.ts';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const all: RewindChoice = { scope: 'both', skip: [], overwrite: [] };
const lines = (...changed: string[]): string => ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((line) => `${changed.find((other) => other.toLowerCase() === line) ?? line}\n`).join('');

/** An editor as the engine hears of it. */
class Editor implements UserWrites {
  #writes: UserWrite[] = [];
  followers = 0;

  follow() {
    this.followers++;
    this.#writes = [];
    return { take: () => this.#writes.splice(0), stop: () => void this.followers-- };
  }

  async save(path: string, content: string): Promise<void> {
    const before = await readFile(path).catch(() => 'absent' as const);
    await writeFile(path, content);
    this.tell({ path, before, after: Buffer.from(content) });
  }

  tell(write: Omit<UserWrite, 'at'>): void {
    this.#writes.push({ ...write, at: Date.now() });
  }
}

describe('what others do while a command runs is not the command’s', function () {
  this.timeout(30_000);
  let harness: EngineHarness;
  let editor: Editor;

  beforeEach(async () => {
    harness = await EngineHarness.start([], { files: { 'a.txt': lines(), 'b.txt': lines(), 'sub/c.txt': lines() } });
    editor = new Editor();
  });
  afterEach(() => harness.close());

  const open = (): Promise<Session> => harness.open({ permissionMode: 'bypassPermissions', userWrites: editor });
  const target = (session: Session): string => session.rewindTargets()[0]!.messageId;

  /** One turn with one command, and what is done while it stands still. */
  async function during(session: Session, first: string, then: string, action: () => Promise<unknown>): Promise<void> {
    const command = new PausedCommand(join(harness.dataRoot, '..'));
    harness.server.push(turn({ reply: message([command.call(first, then)]) }));
    const running = runTurn(session, 'please');
    await command.standsStill();
    await action();
    harness.server.push(turn({ reply: message('Done.') }));
    await command.goOn();
    await running;
    assert.equal(editor.followers, 0);
  }

  async function planned(session: Session): Promise<{ name: string; changedSince: boolean; conflicts: number | undefined }[]> {
    const { files } = await session.planRewind(target(session));
    return files.map(({ path, changedSince, merge }) => ({ name: path.slice(harness.cwd.length + 1), changedSince, conflicts: merge?.conflicts.length }));
  }

  it('a file that only the user saved is no part of going back', async () => {
    const session = await open();
    await during(session, 'echo x > made.txt', 'rm b.txt', () => editor.save(harness.path('a.txt'), lines('TWO')));
    assert.deepEqual((await planned(session)).map(({ name, changedSince }) => [name, changedSince]), [['made.txt', false], ['b.txt', false]]);
    await session.rewind(target(session), all);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], [lines('TWO'), lines()]);
  });

  it('a file that the command changed before the user saved: going back asks, and can merge', async () => {
    const session = await open();
    await during(session, 'sed -i s/six/SIX/ a.txt', 'true', () => editor.save(harness.path('a.txt'), lines('TWO', 'SIX')));
    assert.deepEqual(await planned(session), [{ name: 'a.txt', changedSince: true, conflicts: 0 }]);
    await assert.rejects(session.rewind(target(session), all), /not as the agent left it/);
    await session.rewind(target(session), { ...all, merge: [harness.path('a.txt')] });
    assert.equal(await harness.read('a.txt'), lines('TWO'));
  });

  it('a file that the command overwrote after the user saved: going back brings the user’s save back', async () => {
    const session = await open();
    await during(session, 'true', 'sed -i s/six/SIX/ a.txt', () => editor.save(harness.path('a.txt'), lines('TWO')));
    assert.deepEqual((await planned(session)).map(({ name, changedSince }) => [name, changedSince]), [['a.txt', false]]);
    await session.rewind(target(session), all);
    assert.equal(await harness.read('a.txt'), lines('TWO'));
  });

  it('a file that the command changed before and after the user saved', async () => {
    const session = await open();
    await during(session, 'sed -i s/six/SIX/ a.txt', 'sed -i s/four/FOUR/ a.txt', () => editor.save(harness.path('a.txt'), lines('TWO', 'SIX')));
    assert.deepEqual(await planned(session), [{ name: 'a.txt', changedSince: true, conflicts: 0 }]);
    await session.rewind(target(session), { ...all, merge: [harness.path('a.txt')] });
    assert.equal(await harness.read('a.txt'), lines('TWO'));
  });

  it('a save of which the content is not known, and a folder moved in the explorer: going back asks', async () => {
    const session = await open();
    await during(session, 'echo c > sub/c.txt', 'echo c > a.txt', async () => {
      for (const name of ['a.txt', 'sub']) editor.tell({ path: harness.path(name), before: 'unknown', after: 'unknown' });
    });
    assert.deepEqual((await planned(session)).map(({ name, changedSince }) => `${name} ${changedSince}`).sort(), ['a.txt true', 'sub/c.txt true']);
  });

  it('in a background command, from one look at it to the next', async () => {
    const session = await open();
    const command = new PausedCommand(join(harness.dataRoot, '..'));
    harness.server.push(turn({ reply: message([command.call('sed -i s/six/SIX/ a.txt', 'sed -i s/four/FOUR/ a.txt; echo over > b.txt', { run_in_background: true })]) }), turn({ reply: message('Done.') }));
    await runTurn(session, 'please');
    await command.standsStill();
    await editor.save(harness.path('a.txt'), lines('TWO', 'SIX'));
    await editor.save(harness.path('sub/c.txt'), 'mine\n');
    await command.goOn();
    while ((await harness.read('b.txt')) !== 'over\n') await new Promise((resolve) => void setTimeout(resolve, 10));
    assert.deepEqual((await planned(session)).filter(({ name }) => name !== 'b.txt').map(({ name, changedSince }) => [name, changedSince]), [['a.txt', true]]);
    await session.rewind(target(session), { ...all, skip: [harness.path('a.txt'), harness.path('b.txt')] });
    assert.equal(await harness.read('sub/c.txt'), 'mine\n');
  });

  it('what another session’s tools wrote stays, and what its commands may have done is asked about', async () => {
    const [one, two] = [await open(), await harness.open({ permissionMode: 'bypassPermissions' })];
    await during(one, 'echo x > made.txt', 'sed -i s/six/SIX/ b.txt', async () => {
      const calls = [toolUse('Read', { file_path: 'a.txt' }), toolUse('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }), toolUse('Read', { file_path: 'b.txt' }), toolUse('Edit', { file_path: 'b.txt', old_string: 'two', new_string: 'TWO' }), toolUse('Bash', { command: 'echo by two > sub/c.txt' })];
      harness.server.push(...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('Done.') }));
      await runTurn(two, 'you too');
    });
    const { files, besideCommands } = await one.planRewind(target(one));
    assert.deepEqual(files.map(({ path, changedSince }) => `${path.slice(harness.cwd.length + 1)} ${changedSince}`).sort(), ['b.txt false', 'made.txt false', 'sub/c.txt true']);
    assert.deepEqual(besideCommands, ['echo by two > sub/c.txt']);
    await one.rewind(target(one), { ...all, skip: [harness.path('sub/c.txt')] });
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt'), await harness.read('sub/c.txt')], [lines('TWO'), lines('TWO'), 'by two\n']);
  });
});
