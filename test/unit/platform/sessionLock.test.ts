import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownIdentity } from '../../../src/platform/processIdentity.ts';
import { lockSession } from '../../../src/platform/sessionLock.ts';
import type { LockOutcome } from '../../../src/platform/sessionLock.ts';

describe('lockSession', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-'));
    path = join(folder, 'deep', 's.lock');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const lock = (): Promise<LockOutcome> => lockSession(path, () => {});
  const kindOf = async (): Promise<string> => {
    const outcome = await lock();
    if (outcome.kind === 'locked') await outcome.lock.release();
    return outcome.kind;
  };
  const holder = (change: object): string => `${JSON.stringify({ ...ownIdentity(), id: 'x', since: '2026-01-01T00:00:00.000Z', ...change })}\n`;

  it('is had by one at a time, and free again afterwards', async () => {
    const first = await lock();
    assert.equal(first.kind, 'locked');
    const second = await lock();
    assert.deepEqual(second.kind === 'in-use' && [second.holder?.pid, second.holder?.isThisMachine], [process.pid, true]);
    if (first.kind === 'locked') await first.lock.release();
    assert.equal(existsSync(path), false);
    assert.equal(await kindOf(), 'locked');
  });

  it('goes to exactly one of many who come at once, also over the lock of a dead process', async () => {
    await kindOf();
    writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
    const outcomes = await Promise.all(Array.from({ length: 12 }, lock));
    assert.equal(outcomes.filter(({ kind }) => kind === 'locked').length, 1);
    for (const outcome of outcomes) if (outcome.kind === 'locked') await outcome.lock.release();
  });

  it('is taken over from a process that was killed, whose number is used again, or that shows no life', async () => {
    await kindOf();
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(path, holder({ pid: child.pid }));
    assert.equal(await kindOf(), 'locked');
    if (ownIdentity().startTime !== '') {
      writeFileSync(path, holder({ startTime: 'another' }));
      assert.equal(await kindOf(), 'locked');
    }
    writeFileSync(path, holder({}));
    assert.equal(await kindOf(), 'in-use');
    const longAgo = new Date(Date.now() - 31_000);
    utimesSync(path, longAgo, longAgo);
    assert.equal(await kindOf(), 'locked');
  });

  it('of another machine counts as long as it shows life', async () => {
    await kindOf();
    writeFileSync(path, holder({ host: `not-${hostname()}`, pid: 2 ** 22 + 1 }));
    assert.equal(await kindOf(), 'in-use');
    const longAgo = new Date(Date.now() - 31_000);
    utimesSync(path, longAgo, longAgo);
    assert.equal(await kindOf(), 'locked');
  });

  it('that is no longer ours is left alone', async () => {
    const outcome = await lock();
    writeFileSync(path, holder({}));
    if (outcome.kind === 'locked') await outcome.lock.release();
    assert.match(readFileSync(path, 'utf8'), /"x"/);
  });

  it('is impossible where nothing can be written, which is no reason not to work', async () => {
    writeFileSync(join(folder, 'file'), '');
    assert.equal((await lockSession(join(folder, 'file', 's.lock'), () => {})).kind, 'impossible');
  });
});
