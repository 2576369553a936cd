import assert from 'node:assert/strict';
import { appendFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { latestSessionId, listSessions } from '../../../../src/engine/transcript/sessionList.ts';
import { projectFolder, transcriptPath } from '../../../../src/engine/transcript/transcriptPath.ts';
import type { SessionSummary } from '../../../../src/protocol/chatView.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { assistantMessage, inFolder, storeIn, userMessage } from './support.ts';

const cwd = '/home/ann/shop';
const day = (number: number): string => `2026-11-0${number}T10:00:00.000Z`;

async function session(root: string, id: string, made: { on: number; text: string; title?: string; cwd?: string }): Promise<string> {
  const path = transcriptPath(root, cwd, id);
  const store = storeIn(root, { path, sessionId: id, cwd: made.cwd ?? cwd, clock: { now: () => Date.parse(day(made.on)), setTimeout: () => ({ dispose() {} }) } });
  store.recordMessage({ ...userMessage(`${id}-0`, 'context'), isMeta: true });
  store.recordMessage(userMessage(`${id}-1`, made.text));
  store.recordMessage(assistantMessage(`${id}-2`, 'answer'));
  if (made.title) store.record({ type: 'ai-title', aiTitle: made.title });
  await store.dispose();
  return path;
}

const withoutSize = ({ size: _size, ...summary }: SessionSummary): Omit<SessionSummary, 'size'> => summary;

describe('listSessions', function () {
  this.timeout(60_000);

  it('lists the newest first, with a title, its first words or what can be read of a damaged file', () =>
    inFolder(async (root) => {
      await session(root, 'one', { on: 1, text: 'Rename total to sum\nplease' });
      await session(root, 'three', { on: 3, text: 'whatever', title: 'Fixed the cart' });
      await session(root, 'two', { on: 2, text: `Please ${'word '.repeat(30)}` });
      await session(root, 'alien', { on: 5, text: 'same folder name', cwd: '/home/ann-shop' });
      const torn = await session(root, 'torn', { on: 4, text: 'Torn apart' });
      await truncate(torn, (await nodeFileSystem.stat(torn))!.size - 50);
      const listed = await listSessions(nodeFileSystem, root, cwd);
      for (const { sessionId, size } of listed) assert.equal(size, (await nodeFileSystem.stat(transcriptPath(root, cwd, sessionId)))!.size);
      assert.deepEqual(listed.map(withoutSize), [
        { sessionId: 'torn', title: 'Torn apart', modified: day(4), messageCount: 1 },
        { sessionId: 'three', title: 'Fixed the cart', modified: day(3), messageCount: 2 },
        { sessionId: 'two', title: `Please ${'word '.repeat(14)}…`.replace(' …', '…'), modified: day(2), messageCount: 2 },
        { sessionId: 'one', title: 'Rename total to sum', modified: day(1), messageCount: 2 },
      ]);
      assert.equal(await latestSessionId(nodeFileSystem, root, `${cwd}/`), 'torn');
      assert.equal((await listSessions(nodeFileSystem, root, cwd, { limit: 2 })).length, 2);
    }));

  it('lists files of garbage, nothing where there is no folder, and reads no more than head and tail', () =>
    inFolder(async (root) => {
      assert.deepEqual(await listSessions(nodeFileSystem, root, cwd), []);
      assert.equal(await latestSessionId(nodeFileSystem, root, cwd), undefined);
      const long = await session(root, 'long', { on: 1, text: `Explain this: ${'x'.repeat(200_000)}` });
      await appendFile(long, `${JSON.stringify({ type: 'ai-title', aiTitle: '', timestamp: day(6) })}\n`);
      await mkdir(projectFolder(root, cwd), { recursive: true });
      await writeFile(join(projectFolder(root, cwd), 'bad.jsonl'), '\u0000\u0001{{{');
      let read = 0;
      const files = { ...nodeFileSystem, readRange: (path: string, offset: number, length: number) => ((read += length), nodeFileSystem.readRange(path, offset, length)) };
      const listed = await listSessions(files, root, cwd);
      assert.equal(read, 3 * 65_536 + 2 * 8_192);
      const byId = new Map(listed.map((summary) => [summary.sessionId, summary]));
      assert.equal(byId.get('bad')?.title, 'Untitled session');
      assert.equal(byId.get('long')?.title.startsWith('Explain this: xxx'), true);
      assert.equal(byId.get('long')?.modified, day(6));
      assert.equal(byId.get('long')?.messageCount, null);
    }));

  it('reads little of long sessions whose newest state says what they are called', () =>
    inFolder(async (root) => {
      const path = await session(root, 'long', { on: 1, text: 'First words' });
      const store = storeIn(root, { path, sessionId: 'long', cwd, leafUuid: 'long-2', clock: { now: () => Date.parse(day(2)), setTimeout: () => ({ dispose() {} }) } });
      store.recordMessage(userMessage('result', 'x'.repeat(200_000)));
      store.record({ type: 'session-state', model: 'm', permissionMode: 'default', cost: null, aiTitle: 'A model’s title' });
      store.record({ type: 'permission-decision', toolUseId: 't', toolName: 'Read', behavior: 'allow' });
      await store.flush();
      let read = 0;
      const files = { ...nodeFileSystem, readRange: (at: string, offset: number, length: number) => ((read += length), nodeFileSystem.readRange(at, offset, length)) };
      const wanted = { sessionId: 'long', title: 'A model’s title', modified: day(2), messageCount: null };
      assert.deepEqual((await listSessions(files, root, cwd)).map(withoutSize), [wanted]);
      assert.equal(read, 2 * 8_192);
      await appendFile(path, `${JSON.stringify({ type: 'custom-title', sessionId: 'long', timestamp: day(3), customTitle: 'Mine' })}\n`);
      assert.deepEqual((await listSessions(files, root, cwd)).map(withoutSize), [{ ...wanted, title: 'Mine' }]);
    }));
});
