import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { searchSessions } from '../../../../src/engine/transcript/searchSessions.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { SessionMatch, SessionSummary } from '../../../../src/protocol/chatView.ts';
import { inFolder } from './support.ts';

const summary = (sessionId: string, title: string): SessionSummary => ({ sessionId, title, modified: '2026-11-01T00:00:00.000Z', messageCount: 1 });
const line = (type: string, content: unknown, more: object = {}): string => JSON.stringify({ type, uuid: 'u', parentUuid: null, message: { role: type, content }, ...more });

async function withSessions<T>(sessions: Readonly<Record<string, readonly string[] | undefined>>, action: (search: (words: string, signal?: AbortSignal) => AsyncGenerator<SessionMatch, { unreadable: number }>, read: () => readonly string[]) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    for (const [name, lines] of Object.entries(sessions)) if (lines) await writeFile(join(folder, name), lines.join('\n'));
    const read = new Set<string>();
    const files = { ...nodeFileSystem, readRange: (path: string, offset: number, length: number) => (read.add(path.slice(folder.length + 1)), nodeFileSystem.readRange(path, offset, length)) };
    const list = Object.keys(sessions).map((name) => summary(name, `Title of ${name}`));
    return action((words, signal = new AbortController().signal) => searchSessions({ files, sessions: list, pathOf: async ({ sessionId }) => join(folder, sessionId), words }, signal), () => [...read]);
  });
}

async function all(search: AsyncGenerator<SessionMatch, unknown>): Promise<SessionMatch[]> {
  const found: SessionMatch[] = [];
  for await (const match of search) found.push(match);
  return found;
}

describe('searchSessions', () => {
  it('finds titles first, then what was said, thought, run and printed, and nothing that was told beside', () =>
    withSessions(
      {
        said: [line('user', 'Please rename the  Heron\nBird in cart.ts, then go on')],
        run: [line('assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'grep "heron bird"', deep: [{ x: 1 }] } }])],
        printed: [line('user', [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'HERON BIRD: 3' }] }])],
        thought: [line('assistant', [{ type: 'thinking', thinking: 'a heron bird?', signature: '' }])],
        beside: [line('user', 'heron bird', { isMeta: true }), JSON.stringify({ type: 'progress', data: 'heron bird' })],
        'heron bird': [line('user', 'nothing')],
      },
      async (search) => {
        const found = await all(search(' heron bird '));
        assert.deepEqual(found.map(({ sessionId }) => sessionId), ['heron bird', 'said', 'run', 'printed', 'thought']);
        assert.deepEqual(found[0], { sessionId: 'heron bird' });
        assert.deepEqual(found[1]?.excerpt, { before: 'Please rename the ', match: 'Heron Bird', after: ' in cart.ts, then go on' });
        assert.deepEqual(await all(search('   ')), []);
        assert.deepEqual(await all(search('.*')), []);
      },
    ));

  it('finds letters beyond ASCII, also where a program wrote them as escapes, and quotes and backslashes', () =>
    withSessions({ plain: [line('user', 'Größe "x\\y"')], escaped: [line('user', 'Größe').replace('ö', '\\u00f6').replace('ß', '\\u00DF')] }, async (search) => {
      assert.deepEqual((await all(search('GRÖßE'))).map(({ sessionId }) => sessionId), ['plain', 'escaped']);
      assert.deepEqual((await all(search('"x\\y"'))).map(({ sessionId }) => sessionId), ['plain']);
    }));

  it('yields as it goes, reads no file before it is asked for the next, and stops when it is told to', () =>
    withSessions({ one: [line('user', 'heron')], two: [line('user', 'heron')], three: [line('user', 'heron')] }, async (search, read) => {
      const controller = new AbortController();
      const found = search('heron', controller.signal);
      assert.equal((await found.next()).value && read().join(), 'one');
      await found.next();
      assert.deepEqual(read(), ['one', 'two']);
      controller.abort();
      assert.deepEqual(await found.next(), { done: true, value: { unreadable: 0 } });
      assert.deepEqual(read(), ['one', 'two']);
    }));

  it('goes on past damaged lines and files that are gone, and says how many could not be read', () =>
    withSessions({ gone: undefined, damaged: ['{"type":"user"', '\u0000', line('user', 42), line('user', 'heron')] }, async (search) => {
      const found = search('heron');
      assert.equal((await found.next()).value && 'yes', 'yes');
      assert.deepEqual(await found.next(), { done: true, value: { unreadable: 1 } });
    }));

  it('finds any piece of any text that was said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), async (text, from, length) => {
        const piece = text.toWellFormed().slice(from % text.length).slice(0, 1 + (length % 10)).toWellFormed();
        fc.pre(piece.trim() !== '' && text.isWellFormed() && text.includes(piece));
        await withSessions({ one: [line('assistant', [{ type: 'text', text: `before ${text} after` }])] }, async (search) => {
          assert.equal((await all(search(piece))).length, 1);
        });
      }),
      { numRuns: 60 },
    );
  });
});
