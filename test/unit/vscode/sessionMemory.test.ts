import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SessionMemory } from '../../../src/vscode/sessionMemory.ts';

describe('SessionMemory', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'turnstone-memory-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const opened = async (): Promise<SessionMemory> => {
    const memory = new SessionMemory(path.join(folder, 'new', 'folder'));
    await memory.load();
    return memory;
  };

  it('knows after a reload which session was open and what was typed in each', async () => {
    const memory = await opened();
    await Promise.all([memory.setLastSession('s1'), memory.setDraft('s1', 'half'), memory.setDraft('s2', 'other'), memory.setDraft('s1', 'half a sentence')]);
    await memory.setDraft('s2', '');
    const reloaded = await opened();
    assert.deepEqual([reloaded.lastSession, reloaded.draft('s1'), reloaded.draft('s2')], ['s1', 'half a sentence', '']);
    await reloaded.setLastSession(undefined);
    assert.equal((await opened()).lastSession, undefined);
  });

  it('knows after a reload which messages waited in which session, with their images', async () => {
    const memory = await opened();
    const prompt = { id: 'p1', text: 'and then the tests', images: [{ mediaType: 'image/png' as const, data: 'AAAA' }] };
    await memory.setQueue('s1', [prompt, { ...prompt, id: 'p2' }]);
    await memory.setQueue('s2', [prompt]);
    await memory.setQueue('s2', []);
    const reloaded = await opened();
    assert.deepEqual([reloaded.queue('s1'), reloaded.queue('s2')], [[prompt, { ...prompt, id: 'p2' }], []]);
  });

  it('starts from nothing when the file is damaged', async () => {
    const memory = await opened();
    await memory.setLastSession('s1');
    fs.writeFileSync(path.join(folder, 'new', 'folder', 'window.json'), '{"lastSession": "s1", "dra');
    assert.deepEqual([(await opened()).lastSession, (await opened()).draft('s1')], [undefined, '']);
  });

  it('keeps the newest drafts only', async () => {
    const memory = await opened();
    for (let number = 0; number < 60; number++) await memory.setDraft(`s${number}`, 'text');
    assert.deepEqual([memory.draft('s0'), memory.draft('s9'), memory.draft('s10'), memory.draft('s59')], ['', '', 'text', 'text']);
  });
});
