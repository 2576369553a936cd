import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrompt, loadTranscript, type LoadedTranscript } from '../../src/engine/transcript/loadTranscript.ts';
import { listSessions } from '../../src/engine/transcript/sessionList.ts';
import { transcriptPath } from '../../src/engine/transcript/transcriptPath.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { EngineHarness, resultOf, runTurn } from '../support/engineHarness.ts';
import { longForm } from '../support/longForm.ts';
import { message, text, thinking, toolUse } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';
import { inFolder, sessionId } from '../unit/engine/transcript/support.ts';

type Line = Record<string, unknown>;
const base = { sessionId, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/ann', version: '1' };
const user = (uuid: string, parentUuid: unknown, content: unknown = uuid): Line => ({ ...base, type: 'user', uuid, parentUuid, message: { role: 'user', content } });
const assistant = (uuid: string, parentUuid: unknown, content: unknown = [{ type: 'text', text: uuid }]): Line => ({
  ...base,
  type: 'assistant',
  uuid,
  parentUuid,
  message: { id: `m-${uuid}`, type: 'message', role: 'assistant', model: 'claude-sonnet-5', content, stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
});
const said: Line[] = [user('u1', null), assistant('a1', 'u1')];
const read = (lines: readonly Line[]): Promise<LoadedTranscript> =>
  inFolder(async (folder) => {
    const path = join(folder, `${sessionId}.jsonl`);
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return loadTranscript(nodeFileSystem, path);
  });
const uuidsOf = (loaded: LoadedTranscript): string => loaded.messages.map(({ uuid }) => uuid).join(' ');

describe('A line of an unknown type', () => {
  for (const parentUuid of ['a1', 'u1', null, 'unknown', undefined, 7]) {
    it(`that follows ${parentUuid} is no end of the conversation, and cuts nothing off`, async () => {
      const future = { type: 'future', uuid: 'f', parentUuid };
      const atEnd = await read([...said, future]);
      assert.deepEqual([uuidsOf(atEnd), atEnd.leafUuid], ['u1 a1', 'a1']);
      const within = await read([...said, future, user('u2', 'f')]);
      const way = parentUuid === 'u1' ? 'u1 u2' : 'u1 a1 u2';
      assert.deepEqual([uuidsOf(within), within.leafUuid], [way, 'u2']);
    });
  }
});

describe('A damaged line of the conversation', () => {
  const damages: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['an object', { a: 1 }],
    ['a list of null', [null]],
    ['a number', 5],
    ['a list of numbers', [1, 2]],
    ['blocks without what they say', [{ type: 'text' }, { type: 'image' }, { type: 'tool_use', id: 'x' }]],
  ];
  for (const [name, content] of damages) {
    it(`whose content is ${name} is left out, named, and joined over`, async () => {
      for (const make of [user, assistant]) {
        const atEnd = await read([...said, make('d', 'a1', content)]);
        assert.deepEqual([uuidsOf(atEnd), atEnd.leafUuid, atEnd.notices], ['u1 a1', 'a1', ['Line 3 is damaged and was left out.']]);
        const within = await read([...said, make('d', 'a1', content), user('u2', 'd')]);
        assert.deepEqual([uuidsOf(within), within.notices], ['u1 a1 u2', ['Line 3 is damaged and was left out.']]);
        const branch = await read([...said, make('d', 'u1', content), user('u2', 'd')]);
        assert.equal(uuidsOf(branch), 'u1 u2');
      }
    });
  }

  it('is joined over also where it is no longer said what it followed', async () => {
    const loaded = await read([...said, { ...assistant('d', null), message: null }, user('u2', 'd')]);
    assert.equal(uuidsOf(loaded), 'u1 a1 u2');
    assert.deepEqual(loaded.notices, ['Line 3 is damaged and was left out.', 'What line 4 followed could not be read; the conversation was joined there.']);
  });

  it('keeps what is whole of it', async () => {
    const mixed = [{ type: 'text', text: 'kept' }, null, { type: 'tool_result', tool_use_id: 't', content: [null, { type: 'text', text: 'also' }] }];
    const loaded = await read([...said, user('u2', 'a1', mixed), { ...user('u3', 'u2'), timestamp: null, sessionId: 5, isMeta: 'x', version: [] }]);
    assert.equal(uuidsOf(loaded), 'u1 a1 u2 u3');
    const [, , reduced] = loaded.messages;
    assert.deepEqual(reduced?.type === 'user' && reduced.message.content, [{ type: 'text', text: 'kept' }, { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'also' }] }]);
    assert.deepEqual(loaded.notices, ['Line 3 is damaged in a part; the rest of it is here.']);
  });

  it('is no place to go back to: what stands before it is', async () => {
    const loaded = await read([...said, user('u2', 'lost')]);
    assert.deepEqual(loaded.allUserMessages.map(({ uuid, parentUuid }) => [uuid, parentUuid]), [['u1', null], ['u2', 'a1']]);
  });

  it('hides no session in the list', () =>
    inFolder(async (folder) => {
      const path = transcriptPath(folder, '/home/ann', sessionId);
      await nodeFileSystem.appendFile(path, [user('d', null, [null]), { ...user('e', null), message: null }, user('u1', null, 'A title')].map((line) => `${JSON.stringify(line)}\n`).join(''));
      const sessions = await listSessions(nodeFileSystem, folder, '/home/ann');
      assert.deepEqual(sessions.map(({ title }) => title), ['A title']);
    }));
});

describe('A transcript in which any one field is damaged', function () {
  this.timeout(60_000);

  it('is read, with all its other lines, and goes on', async () => {
    const harness = await EngineHarness.start(
      [
        turn({ reply: () => message([thinking('Hm.'), text('I look.'), toolUse('Read', { file_path: harness.path('a.ts') }, { id: 'r1' }), toolUse('TodoWrite', { todos: [{ content: 'x', status: 'pending', activeForm: 'doing x' }] }, { id: 'w1' })]) }),
        turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('a.ts'), old_string: 'a', new_string: 'b' }, { id: 'e1' })]) }),
        turn({ reply: message('Done.'), times: Number.POSITIVE_INFINITY }),
      ],
      { files: { 'a.ts': 'a\n' } },
    );
    try {
      const session = await harness.open();
      await runTurn(session, 'first');
      await runTurn(session, 'second');
      await session.dispose();
      const lines = await harness.transcript(session);
      const whole = await loadTranscript(nodeFileSystem, session.transcriptPath);
      const rest = (line: Line): string[] => whole.messages.map(({ uuid }) => uuid).filter((uuid) => uuid !== line['uuid']);
      let number = 0;
      for (const [index, line] of lines.entries()) {
        for (const [where, mutated] of mutations(line)) {
          // No multiple of the three replacements, so that each of them comes to its turn.
          if (number++ % (longForm ? 1 : 4) !== 0) continue;
          const path = join(harness.dataRoot, `${sessionId}.jsonl`);
          await nodeFileSystem.writeFile(path, new TextEncoder().encode(lines.map((other, at) => `${JSON.stringify(at === index ? mutated : other)}\n`).join('')), { durable: false });
          const loaded = await loadTranscript(nodeFileSystem, path);
          // That a prompt follows nothing is what the first prompt of a conversation says.
          const beginsAnew = isPrompt(mutated) && mutated['parentUuid'] === null;
          const found = loaded.messages.map(({ uuid }) => uuid);
          if (!beginsAnew) assert.deepEqual(rest(line).filter((uuid) => !found.includes(uuid)), [], `line ${index + 1}, ${where}`);
          if (number % 120 !== 1) continue;
          const again = await harness.open({ resume: path });
          assert.equal(resultOf(await runTurn(again, 'and now?')).subtype, 'success', `line ${index + 1}, ${where}`);
          await again.dispose();
        }
      }
      assert.ok(number > 300, String(number));
      harness.server.assertClean();
    } finally {
      await harness.close();
    }
  });
});

/** The line with one of its fields, however deep, replaced or taken away. */
function* mutations(value: unknown, where = ''): Generator<readonly [string, Line]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const put = (replacement: unknown): Line => {
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Line;
      if (replacement === undefined && !Array.isArray(value)) delete copy[key];
      else copy[key] = replacement;
      return copy;
    };
    for (const replacement of [null, 7, undefined]) yield [`${where}.${key} = ${replacement}`, put(replacement)];
    for (const [path, mutated] of mutations(inner, `${where}.${key}`)) yield [path, put(mutated)];
  }
}
