import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { TreeNews } from '../../src/engine/ports.ts';
import { Desk } from '../unit/engine/fileHistory/support.ts';

/** Watchers that tell what the test says; undefined: that they don't know. */
class Watchers implements TreeNews {
  told: string[] | undefined = [];

  take(): readonly string[] | undefined {
    return this.told?.splice(0);
  }
}

const text = (desk: Desk, name: string): Promise<string> => readFile(desk.at(name), 'utf8');
/** Longer than a file system takes from one time to the next, also on a busy machine. */
const tick = (): Promise<void> => pause(300);

/** A command was run and all is known; then `between`, told of or not, and a command that does `during`. */
async function scene({ between, told, during }: { between?: (desk: Desk) => Promise<void>; told: readonly string[] | undefined; during: (desk: Desk) => Promise<void> }, check: (desk: Desk) => Promise<void>): Promise<void> {
  await Desk.use(async (desk) => {
    const watchers = new Watchers();
    desk.news = watchers;
    await desk.restart();
    for (const folder of ['d', 'e/deep']) await mkdir(desk.at(folder), { recursive: true });
    for (const name of ['a', 'b', 'd/c', 'e/deep/x']) await writeFile(desk.at(name), `${name}\n`);
    await tick();
    desk.say('m1');
    await (await desk.history.shellCommand('nothing')).over();
    await tick();
    desk.say('m2');
    await between?.(desk);
    watchers.told = told?.map((name) => desk.at(name));
    await tick();
    const recording = await desk.history.shellCommand('during');
    await tick();
    await during(desk);
    await recording.over();
    await check(desk);
  });
}

describe('commands in a workspace that is watched', function () {
  this.timeout(60_000);

  const append = (name: string, line: string) => async (desk: Desk): Promise<void> => writeFile(desk.at(name), (await text(desk, name)) + line);

  it('what the user changed before, and was told of, is what going back brings back', () =>
    scene({ between: append('d/c', 'user\n'), told: ['d/c'], during: append('d/c', 'agent\n') }, async (desk) => {
      const plan = await desk.history.planRewind('m2', desk.branch, 0);
      assert.deepEqual(plan.files.map((file) => [file.path, file.changedSince]), [[desk.at('d/c'), false]]);
      await desk.rewind('m2');
      assert.equal(await text(desk, 'd/c'), 'd/c\nuser\n');
    }));

  it('a folder that came and one that went, told of by their own path only', () =>
    scene(
      {
        between: async (desk) => {
          await mkdir(desk.at('new/deep'), { recursive: true });
          await writeFile(desk.at('new/deep/n'), 'n\n');
          await rm(desk.at('e'), { recursive: true });
        },
        told: ['new', 'e'],
        during: async (desk) => {
          await writeFile(desk.at('new/deep/n'), 'agent\n');
          await mkdir(desk.at('e'));
          await writeFile(desk.at('e/mine'), 'agent\n');
        },
      },
      async (desk) => {
        const before = await desk.tree();
        await desk.rewind('m2');
        assert.equal(await text(desk, 'new/deep/n'), 'n\n');
        assert.deepEqual(Object.keys(await desk.tree()).sort(), Object.keys(before).filter((name) => !name.startsWith('e')).sort());
      },
    ));

  it('when the watchers do not know, all is looked at', () =>
    scene({ between: append('d/c', 'user\n'), told: undefined, during: append('d/c', 'agent\n') }, async (desk) => {
      await desk.rewind('m2');
      assert.equal(await text(desk, 'd/c'), 'd/c\nuser\n');
    }));

  const missed: Record<string, (desk: Desk) => Promise<void>> = {
    'written to': append('d/c', 'user\n'),
    'replaced in one step': async (desk) => {
      await writeFile(desk.at('d/c.tmp'), 'user\n');
      await rename(desk.at('d/c.tmp'), desk.at('d/c'));
    },
    made: (desk) => writeFile(desk.at('d/new'), 'user\n'),
    removed: (desk) => unlink(desk.at('d/c')),
  };
  for (const [what, between] of Object.entries(missed)) {
    it(`a file that was ${what}, and not told of, is not taken for the command's: going back asks`, () =>
      scene({ between, told: [], during: append('b', 'agent\n') }, async (desk) => {
        const { files } = await desk.history.planRewind('m2', desk.branch, 0);
        const own = files.find((file) => file.path === desk.at('b'));
        const others = files.filter((file) => file !== own);
        assert.equal(own?.changedSince, false);
        assert.ok(others.length > 0 && others.every((file) => file.changedSince && file.path.startsWith(desk.at('d'))), JSON.stringify(others));
        await assert.rejects(desk.rewind('m2'), { code: 'stale_file' });
      }));
  }

  it('after a change that was missed, the watchers are not believed again', () =>
    scene({ between: append('d/c', 'user\n'), told: [], during: append('b', 'agent\n') }, async (desk) => {
      desk.say('m3');
      await append('a', 'user\n')(desk);
      await tick();
      const recording = await desk.history.shellCommand('again');
      await append('a', 'agent\n')(desk);
      await recording.over();
      await desk.rewind('m3');
      assert.equal(await text(desk, 'a'), 'a\nuser\n');
    }));

  it('what a command moves with its folder is its own, whatever its times', () =>
    scene({ told: [], during: (desk) => rename(desk.at('e'), desk.at('moved')) }, async (desk) => {
      const { files } = await desk.history.planRewind('m2', desk.branch, 0);
      assert.deepEqual(files.map((file) => file.changedSince), [false, false]);
      await desk.rewind('m2');
      assert.equal(await text(desk, 'e/deep/x'), 'e/deep/x\n');
    }));
});
