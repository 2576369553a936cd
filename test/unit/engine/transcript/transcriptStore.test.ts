import assert from 'node:assert/strict';
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { undoableRewind } from '../../../../src/engine/fileHistory/rewindTree.ts';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { SDKCompactBoundaryMessage, SDKUserMessage } from '../../../../src/protocol/messages.ts';
import { assistantMessage, failingFiles, inFolder, sessionId, storeIn, userMessage } from './support.ts';

type Written = Record<string, unknown>;
const parsed = async (path: string): Promise<Written[]> => (await readFile(path, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as Written);

describe('TranscriptStore', function () {
  this.timeout(60_000);

  it("writes Claude Code's published fields, chained", () =>
    inFolder(async (folder) => {
      const store = storeIn(folder, { clock: { now: () => 0, setTimeout: () => ({ dispose() {} }) } });
      store.recordMessage(userMessage('u1', 'hello'));
      store.record({ type: 'progress', toolUseID: 't', data: { kind: 'status', text: 'x' } });
      store.recordMessage(assistantMessage('a1', 'hi'));
      await store.flush();
      const [first, second, third] = await parsed(store.path);
      assert.deepEqual(first, {
        parentUuid: null,
        isSidechain: false,
        userType: 'external',
        sessionId,
        timestamp: '1970-01-01T00:00:00.000Z',
        cwd: folder,
        version: '0.0.0',
        type: 'user',
        uuid: 'u1',
        message: { role: 'user', content: 'hello' },
      });
      assert.deepEqual(second, { type: 'progress', sessionId, timestamp: '1970-01-01T00:00:00.000Z', toolUseID: 't', data: { kind: 'status', text: 'x' } });
      assert.deepEqual([third!['type'], third!['uuid'], third!['parentUuid']], ['assistant', 'a1', 'u1']);
      assert.equal(store.leafUuid, 'a1');
    }));

  it('puts the usage and stop reason that came later on disk', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      const message = assistantMessage('a1', 'hi');
      let end!: () => void;
      store.recordMessage(message, { holdUntil: new Promise<void>((resolve) => (end = resolve)) });
      message.message.usage = { input_tokens: 5, output_tokens: 77 };
      message.message.stop_reason = 'end_turn';
      end();
      await store.flush();
      const [line] = await parsed(store.path);
      assert.deepEqual((line!['message'] as Written)['usage'], { input_tokens: 5, output_tokens: 77 });
      assert.equal((line!['message'] as Written)['stop_reason'], 'end_turn');
    }));

  it('a commit that could not be written is not written later either', () =>
    inFolder(async (folder) => {
      const plan: { failAfterBytes: number | undefined } = { failAfterBytes: 10 };
      const store = storeIn(folder, { files: failingFiles(plan) });
      await assert.rejects(store.commit({ type: 'ai-title', aiTitle: 'never' }), (error) => isTurnstoneError(error) && error.code === 'disk');
      plan.failAfterBytes = undefined;
      await store.commit({ type: 'ai-title', aiTitle: 'kept' });
      await store.dispose();
      const loaded = await loadTranscript(nodeFileSystem, store.path);
      assert.equal(loaded.labels.aiTitle, 'kept');
      assert.deepEqual(loaded.notices, ['Line 1 could not be read and was skipped.']);
    }));

  it('a conversation comes back as it was, key order included, and goes on where it ended', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      const odd = { ...userMessage('u1', ''), message: { content: [{ text: 'z', type: 'text', citations: [] }], role: 'user' } } as unknown as SDKUserMessage;
      const answer = assistantMessage('a1', 'hi');
      const result: SDKUserMessage = { ...userMessage('u2', 'ok'), isMeta: true, tool_use_result: { kind: 'todos', todos: [{ content: 'x', status: 'pending', activeForm: 'doing x' }] } };
      for (const message of [odd, answer, result]) store.recordMessage(message);
      store.record({ type: 'session-state', model: 'm', permissionMode: 'default', cost: { usd: 1 } });
      store.record({ type: 'ai-title', aiTitle: 'A title' });
      await store.dispose();
      const loaded = await loadTranscript(nodeFileSystem, store.path);
      assert.deepEqual(loaded.messages.map((message) => JSON.stringify('message' in message && message.message)), [odd, answer, result].map((message) => JSON.stringify(message.message)));
      assert.deepEqual(
        { ...loaded, messages: loaded.messages.map(({ uuid }) => uuid), allUserMessages: loaded.allUserMessages.map(({ uuid, parentUuid, text }) => ({ uuid, parentUuid, text })), state: loaded.state?.model, cost: loaded.cost.uncounted.map(({ messageId }) => messageId) },
        {
          path: store.path,
          sessionId,
          cwd: folder,
          messages: ['u1', 'a1', 'u2'],
          leafUuid: 'u2',
          endsWithNewline: true,
          skippedBytes: 0,
          labels: { customTitle: undefined, aiTitle: 'A title', pinned: undefined },
          state: 'm',
          cost: ['msg_a1'],
          snapshots: [],
          rewinds: [],
          changeSets: [],
          collapses: [],
          requestRepairs: [],
          undecidedCalls: new Map(),
          allUserMessages: [{ uuid: 'u1', parentUuid: null, text: 'z' }],
          todos: result.tool_use_result?.kind === 'todos' ? result.tool_use_result.todos : [],
          told: [],
          notices: [],
        },
      );
      assert.equal((loaded.messages[2] as SDKUserMessage).isMeta, true);
    }));

  it('after a compaction only what follows is loaded, but prompts before it can still be gone back to', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      const compaction: SDKCompactBoundaryMessage = {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'k',
        session_id: sessionId,
        compact_metadata: { trigger: 'manual', pre_tokens: 9, preserved_segment: { head_uuid: 'a1', anchor_uuid: 'k', tail_uuid: 'a1' } },
      };
      store.recordMessage(userMessage('u1', 'first'));
      store.recordMessage(assistantMessage('a1', 'answer'));
      store.recordMessage(compaction);
      store.recordMessage(userMessage('u2', 'second'));
      await store.dispose();
      const loaded = await loadTranscript(nodeFileSystem, store.path);
      assert.deepEqual(loaded.messages.map(({ uuid }) => uuid), ['k', 'a1', 'u2']);
      assert.deepEqual(loaded.messages[0], compaction);
      assert.deepEqual(loaded.allUserMessages.map(({ text }) => text), ['first', 'second']);
    }));

  it('leaves withdrawn messages out, and stands where a rewind, or the undoing of one, went', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      store.recordMessage(userMessage('u1', 'first'));
      store.recordMessage(assistantMessage('a1', 'broken'));
      store.record({ type: 'tombstone', messageUuids: ['a1'] });
      store.recordMessage(assistantMessage('a2', 'whole'));
      store.record({ type: 'rewind', uuid: 'r', messageId: 'u1', scope: 'both', leafUuid: null, previousLeafUuid: 'a2', files: [] });
      await store.flush();
      const rewound = await loadTranscript(nodeFileSystem, store.path);
      assert.deepEqual([rewound.messages, rewound.leafUuid], [[], null]);
      store.record({ type: 'rewind', uuid: 'r2', messageId: 'u1', scope: 'both', leafUuid: 'a2', previousLeafUuid: null, files: [], undoes: 'r' });
      store.recordMessage(userMessage('u2', 'next'));
      await store.dispose();
      const loaded = await loadTranscript(nodeFileSystem, store.path);
      assert.deepEqual(loaded.messages.map(({ uuid }) => uuid), ['u1', 'a2', 'u2']);
      assert.equal(undoableRewind(loaded.rewinds), undefined);
    }));

  it('torn at any byte it keeps all whole lines, says so, and can be gone on with', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 1, maxLength: 8 }), fc.double({ min: 0, max: 1, noNaN: true }), (texts, share) =>
        inFolder(async (folder) => {
          const store = storeIn(folder);
          for (const [index, text] of texts.entries()) store.recordMessage(index % 2 ? assistantMessage(`m${index}`, text) : userMessage(`m${index}`, text));
          await store.dispose();
          const bytes = await readFile(store.path);
          const cut = Math.floor(share * bytes.length);
          await truncate(store.path, cut);
          // A line without its line feed is whole all the same.
          const isWhole = bytes[cut] === 0x0a;
          const whole = bytes.subarray(0, cut).filter((byte) => byte === 0x0a).length + (isWhole ? 1 : 0);
          const loaded = await loadTranscript(nodeFileSystem, store.path);
          const expected = texts.map((_, index) => `m${index}`).slice(0, whole);
          assert.deepEqual(loaded.messages.map(({ uuid }) => uuid), expected);
          const isTorn = !isWhole && cut > 0 && bytes[cut - 1] !== 0x0a;
          assert.deepEqual(loaded.notices, isTorn ? [`Line ${whole + 1} could not be read and was skipped.`] : []);
          const next = storeIn(folder, { leafUuid: loaded.leafUuid, endsWithNewline: loaded.endsWithNewline });
          next.recordMessage(userMessage('next', 'on we go'));
          await next.dispose();
          const again = await loadTranscript(nodeFileSystem, store.path);
          assert.deepEqual(again.messages.map(({ uuid }) => uuid), [...expected, 'next']);
        }),
      ),
      { numRuns: 80 },
    ));

  it('reads on after damage: two objects on a line, a record glued to a torn one, bytes that are no text, other line ends', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      for (const uuid of ['a', 'b', 'c', 'd', 'e']) store.recordMessage(userMessage(uuid, `text\u2028of ${uuid}\r`));
      await store.dispose();
      const [a, b, c, d, e] = (await readFile(store.path, 'utf8')).split('\n') as [string, string, string, string, string];
      await writeFile(store.path, `${a}${b}\r\n\n${c.slice(0, 60)}${d}\nnonsense\n`);
      await appendFile(store.path, Buffer.from(e.replace('text', '\u00ff'), 'latin1'));
      const loaded = await loadTranscript(nodeFileSystem, store.path);
      assert.deepEqual(loaded.messages.map(({ uuid }) => uuid), ['a', 'b', 'd', 'e']);
      assert.equal((loaded.messages[0] as SDKUserMessage).message.content, 'text\u2028of a\r');
      assert.equal(loaded.endsWithNewline, false);
      assert.deepEqual(loaded.notices, [
        'Line 5 holds bytes that are no text; they are shown as \uFFFD.',
        'Line 3 could not be read and was skipped.',
        'Line 4 could not be read and was skipped.',
        'What line 3 followed could not be read; the conversation was joined there.',
      ]);
    }));

  it('says so when there is no such session', () =>
    inFolder((folder) => assert.rejects(loadTranscript(nodeFileSystem, `${folder}/none.jsonl`), (error) => isTurnstoneError(error) && error.code === 'not_found')));
});
