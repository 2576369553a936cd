import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listClaudeSessions } from '../../src/engine/transcript/claudeSessions.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { describeTool, forkSession } from '../../src/sdk/index.ts';
import type { Session } from '../../src/sdk/index.ts';
import { packChatEvents } from '../../src/vscode/chatEventBatch.ts';
import { ChatLog } from '../../src/vscode/chatLog.ts';
import { historyToChatEvents, newChatState } from '../../src/vscode/toChatEvents.ts';
import { ClaudeProject, claudeAnswer, claudeLines, claudePrompt } from '../support/claudeProject.ts';
import { corpusFolder } from '../support/corpus.ts';
import { EngineHarness, resultOf, runTurn } from '../support/engineHarness.ts';
import { longForm } from '../support/longForm.ts';
import { message, text, toolUse } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';

type Damage = (bytes: Buffer, random: () => number) => Buffer;

const damages: { readonly [kind: string]: Damage } = {
  'flipped bytes': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    for (let count = Math.ceil(random() * 12); count > 0; count--) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    return damaged;
  },
  // What a crash of the machine kept from being written.
  'a block of zeros': (bytes, random) => {
    const start = Math.floor(random() * bytes.length);
    return Buffer.from(bytes).fill(0, start, Math.min(bytes.length, start + Math.ceil(random() * 4096)));
  },
  'an end torn off': (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  'a piece torn out': (bytes, random) => {
    const start = Math.floor(random() * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(Math.min(bytes.length, start + Math.ceil(random() * 2048)))]);
  },
};
const kinds = Object.keys(damages);

/** The same numbers each time, so that what fails once fails again. Between 0 and 1. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

describe('A session whose file is damaged', function () {
  this.timeout(900_000);
  let harness: EngineHarness;
  let project: ClaudeProject;

  beforeEach(async () => {
    harness = await EngineHarness.start([turn({ reply: message('Going on.'), times: Number.POSITIVE_INFINITY })]);
    project = await ClaudeProject.make(harness.cwd);
  });
  afterEach(async () => {
    await harness.close();
    await project.remove();
  });

  /** Of another tool, so that it is read only: listed, opened, shown, gone on with in a copy. Throws an AssertionError. */
  async function check(bytes: Buffer, name: string): Promise<void> {
    const id = crypto.randomUUID();
    const path = await project.add(`${id}.jsonl`, bytes);
    const before = await project.state();
    const problems = harness.server.problems.length;
    const listed = await listClaudeSessions(nodeFileSystem, project.root, harness.cwd);
    assert.ok(listed.every(({ title, modified }) => title !== '' && !Number.isNaN(Date.parse(modified))), name);
    const session = await harness.open({ resume: path, whenInUse: 'readOnly' });
    const items = shown(session);
    if (session.messages.some((each) => each.type === 'assistant')) assert.ok(items.length > 0, name);
    assert.equal(new Set(items.map((item) => item.id)).size, items.length, name);
    const { sessionId } = await forkSession({ session: path, cwd: harness.cwd, dataRoot: harness.dataRoot });
    const fork = await harness.open({ resume: sessionId });
    const result = resultOf(await runTurn(fork, 'Go on.'));
    assert.equal(result.subtype, 'success', `${name}: ${result.errors.join(' ')}`);
    assert.deepEqual(harness.server.problems.slice(problems), [], name);
    assert.equal(await project.state(), before, name);
    await fork.dispose();
    await session.dispose();
    await rm(path);
  }

  function shown(session: Session) {
    const log = new ChatLog();
    log.apply(packChatEvents(historyToChatEvents(newChatState(describeTool), session.shownMessages)).flat());
    return log.snapshot().flatMap((event) => (event.type === 'items-put' ? event.items : []));
  }

  async function checkAll(bytes: Buffer, name: string, which: readonly string[]): Promise<void> {
    for (const kind of which) {
      const random = numbersFrom(bytes.length + kinds.indexOf(kind));
      await check(damages[kind]!(bytes, random), `${name} with ${kind}`);
    }
  }

  it('of Claude Code can be listed, opened, shown and gone on with in a copy', async () => {
    const lines = claudeLines(harness.cwd, [
      claudePrompt('Rename total to sum'),
      claudeAnswer('m1', { type: 'thinking', thinking: 'Read first.', signature: 'c2ln' }, 'tool_use'),
      claudeAnswer('m1', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'cat cart.ts' } }, 'tool_use'),
      claudePrompt([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'total' }], { toolUseResult: { stdout: 'total', stderr: '', interrupted: false } }),
      claudeAnswer('m2', { type: 'text', text: 'Çok güzel 北京 🙂' }, 'end_turn'),
      claudePrompt('And now?'),
      claudeAnswer('m3', { type: 'tool_use', id: 'toolu_2', name: 'mcp__other__tool', input: {} }, 'tool_use'),
    ]);
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (let round = 0; round < (longForm ? 50 : 6); round++) await checkAll(Buffer.concat([bytes, Buffer.from(' '.repeat(round))]), `our own, round ${round}`, kinds);
  });

  it('of ours goes on as itself', async () => {
    harness.server.push(turn({ reply: message([text('I write it.'), toolUse('Write', { file_path: 'a.txt', content: 'one\n' })]) }));
    const session = await harness.open();
    await runTurn(session, 'Write it');
    for (const prompt of ['Tell me more', '/cost', 'Thank you']) await runTurn(session, prompt);
    await session.dispose();
    const bytes = readFileSync(session.transcriptPath);
    for (let round = 0; round < (longForm ? 50 : 6); round++) {
      for (const kind of kinds) {
        const random = numbersFrom(bytes.length + round * 7 + kinds.indexOf(kind));
        await nodeFileSystem.writeFile(session.transcriptPath, damages[kind]!(bytes, random));
        const again = await harness.open({ resume: session.transcriptPath });
        assert.equal(new Set(shown(again).map(({ id }) => id)).size, shown(again).length, kind);
        assert.equal(resultOf(await runTurn(again, 'Go on.')).subtype, 'success', `${kind}, round ${round}`);
        await again.dispose();
        assert.deepEqual(harness.server.problems, [], `${kind}, round ${round}`);
      }
    }
  });

  it('each real one, too', async () => {
    const corpus = corpusFolder('transcripts');
    if (corpus === undefined) return;
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
    assert.ok(paths.length > 50);
    // In the short form each of them in one way, and so each way with many.
    const faults: string[] = [];
    for (const [number, path] of paths.entries()) {
      await checkAll(readFileSync(join(corpus, path)), path, longForm ? kinds : [kinds[number % kinds.length]!]).catch((thrown: unknown) => void faults.push(String(thrown)));
    }
    assert.deepEqual(faults, []);
  });
});
