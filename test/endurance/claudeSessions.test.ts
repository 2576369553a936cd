import assert from 'node:assert/strict';
import { createReadStream, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTurnstoneError } from '../../src/base/errors.ts';
import { createInterface } from 'node:readline/promises';
import { listClaudeSessions } from '../../src/engine/transcript/claudeSessions.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import { describeTool, forkSession, latestSessionId, listSessions } from '../../src/sdk/index.ts';
import type { Session } from '../../src/sdk/index.ts';
import { packChatEvents } from '../../src/vscode/chatEventBatch.ts';
import { ChatLog } from '../../src/vscode/chatLog.ts';
import { historyToChatEvents, newChatState } from '../../src/vscode/toChatEvents.ts';
import { ClaudeProject, claudeAnswer, claudeLines, claudePrompt } from '../support/claudeProject.ts';
import { corpusFolder } from '../support/corpus.ts';
import { EngineHarness, resultOf, runTurn } from '../support/engineHarness.ts';
import { message } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';

const id = (number: number): string => `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** All that is damaged in the real ones: torn lines, values that are no object, messages without content, calls without an id, thinking without a signature. */
const knownDamage = [
  'derived/truncated-mid-line.jsonl: Line 15 could not be read and was skipped.',
  'derived/truncated-mid-utf8-char.jsonl: Line 48 could not be read and was skipped.',
  ...[13, 15, 16].map((line) => `made/edge_cases.jsonl: Line ${line} could not be read and was skipped.`),
  ...[10, 11, 14, 18].map((line) => `made/edge_cases.jsonl: Line ${line} is damaged and was left out.`),
  'v2.1.80-220-all-line-types.jsonl: Line 8 is damaged in a part; the rest of it is here.',
  'v2.1.207-subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl: Line 3 is damaged in a part; the rest of it is here.',
  'v2.1.207-subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d.jsonl: Line 2 is damaged in a part; the rest of it is here.',
];

/** What the panel shows of a session that is opened. */
function shown(session: Session): readonly ChatItem[] {
  const log = new ChatLog();
  const events = historyToChatEvents(newChatState(describeTool), session.shownMessages);
  log.apply([{ type: 'session-opened', sessionId: session.sessionId, title: session.title, draft: '', readOnly: true }, ...packChatEvents(events).flat()]);
  return log.snapshot().flatMap((event) => (event.type === 'items-put' ? event.items : []));
}

describe('sessions of Claude Code', function () {
  this.timeout(60_000);
  let harness: EngineHarness;
  let claude: ClaudeProject;

  beforeEach(async () => {
    harness = await EngineHarness.start([turn({ reply: message('Going on.') })]);
    claude = await ClaudeProject.make(harness.cwd);
  });
  afterEach(async () => {
    await harness.close();
    await claude.remove();
  });

  const conversation = (): object[] =>
    claudeLines(harness.cwd, [
      claudePrompt('<command-name>/init</command-name>\n<command-message>init</command-message>\n<command-args>short</command-args>'),
      claudePrompt('<local-command-stdout>Set.</local-command-stdout>'),
      claudePrompt('Rename total to sum'),
      claudeAnswer('m1', { type: 'thinking', thinking: 'Read first.', signature: 'c2ln' }, 'tool_use'),
      claudeAnswer('m1', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'cat cart.ts' } }, 'tool_use'),
      claudePrompt([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'total' }], { toolUseResult: { stdout: 'total', stderr: '', interrupted: false } }),
      claudeAnswer('m2', { type: 'tool_use', id: 'toolu_2', name: 'mcp__other__tool', input: {} }, 'tool_use'),
    ]);

  it('are listed among ours and marked, without those of sub-agents and files without a conversation', async () => {
    const own = await harness.open();
    await runTurn(own, 'Mine');
    await claude.add(`${id(1)}.jsonl`, conversation());
    await claude.add('agent-1a2b3c4d.jsonl', claudeLines(harness.cwd, [claudePrompt('Look around', { isSidechain: true })]));
    await claude.add(`${id(2)}.jsonl`, [{ type: 'summary', summary: 'Of another session', leafUuid: 'x' }]);
    await claude.add(`${id(3)}.jsonl`, claudeLines('/elsewhere', [claudePrompt('Of another folder')]));
    const listed = await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot });
    assert.deepEqual(listed.map(({ sessionId, title, source }) => [sessionId, title, source]), [
      [own.sessionId, 'Mine', undefined],
      [id(1), 'Rename total to sum', 'claude-code'],
    ]);
    assert.equal(await latestSessionId({ cwd: harness.cwd, dataRoot: harness.dataRoot }), own.sessionId);
  });

  it('are found where a long path is shortened in another way', async () => {
    const cwd = `/long/${'folder/'.repeat(40)}end`;
    const other = await ClaudeProject.make(cwd);
    try {
      const short = other.folder.replace(/-[^-/]*$/, '-1x2y3z');
      assert.notEqual(short, other.folder);
      await other.add(join('..', short.split('/').at(-1)!, `${id(1)}.jsonl`), claudeLines(cwd, [claudePrompt('Deep down')]));
      assert.deepEqual((await listClaudeSessions(nodeFileSystem, other.root, cwd)).map(({ title }) => title), ['Deep down']);
    } finally {
      await other.remove();
    }
  });

  it('open for reading, show commands and output as they were, and leave no trace', async () => {
    await claude.add(`${id(1)}.jsonl`, conversation());
    const before = await claude.state();
    const session = await harness.open({ resume: id(1), whenInUse: 'readOnly' });
    assert.deepEqual([session.isReadOnly, session.isForeign], [true, true]);
    assert.match(session.notices[0]!, /a session of Claude Code.*never written/);
    const items = shown(session).map((item) => ('text' in item ? `${item.kind}: ${item.text}` : item.kind === 'tool' ? `${item.tool}: ${item.status}` : item.kind));
    assert.deepEqual(items, ['user: /init short', 'notice: Set.', 'user: Rename total to sum', 'thinking: Read first.', 'Bash: done', 'mcp__other__tool: interrupted']);
    const refused = (thrown: unknown): boolean => isTurnstoneError(thrown) && thrown.code === 'session_in_use';
    await assert.rejects(runTurn(session, 'Go on'), refused);
    await assert.rejects(session.rewind(session.rewindTargets()[0]!.messageId, { scope: 'both', skip: [], overwrite: [] }), refused);
    assert.throws(() => session.rename('Mine now'), refused);
    session.setModel('opus');
    await session.dispose();
    await assert.rejects(harness.open({ resume: id(1) }), refused);
    assert.equal(await claude.state(), before);
  });

  it('go on in a copy of our own: the first request is valid and says the same', async () => {
    const source = await claude.add(`${id(1)}.jsonl`, conversation());
    const before = await claude.state();
    const forked = await forkSession({ session: id(1), dataRoot: harness.dataRoot });
    const fork = await harness.open({ resume: forked.sessionId });
    assert.deepEqual([fork.isReadOnly, fork.isForeign, fork.notices], [false, false, []]);
    assert.equal(resultOf(await runTurn(fork, 'Go on.')).subtype, 'success');
    const sent = JSON.stringify(harness.server.requests[0]!.body.messages);
    for (const text of ['Rename total to sum', 'cat cart.ts', '"toolu_2"', 'Go on.']) assert.ok(sent.includes(text), text);
    harness.server.assertClean();
    assert.equal(await claude.state(), before);
    const [first] = await harness.transcript(fork);
    assert.deepEqual([first?.['type'], first?.['source'], first?.['cwd']], ['fork-origin', source, harness.cwd]);
    assert.ok((await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot })).some(({ sessionId, source: from }) => sessionId === forked.sessionId && from === undefined));
  });

  it('are told from ours by what is in them, wherever a file lies', async () => {
    const elsewhere = join(harness.cwd, 'copied.jsonl');
    await harness.write('copied.jsonl', conversation().map((line) => `${JSON.stringify(line)}\n`).join(''));
    assert.equal((await harness.open({ resume: elsewhere, whenInUse: 'readOnly' })).isForeign, true);
    const own = await harness.open();
    await runTurn(own, 'Mine');
    await own.dispose();
    await harness.write('moved.jsonl', await readFile(own.transcriptPath));
    assert.equal((await harness.open({ resume: join(harness.cwd, 'moved.jsonl') })).isForeign, false);
  });

  it('say which line was left out, and why', async () => {
    const [first, second, ...rest] = conversation();
    const lines = [JSON.stringify(first), `${JSON.stringify(second).slice(0, 60)}`, ...rest.map((line) => JSON.stringify(line)), JSON.stringify({ ...first, uuid: 'x', parentUuid: 'y', message: { role: 'user', content: 42 } })];
    await claude.add(`${id(1)}.jsonl`, lines.join('\n'));
    const session = await harness.open({ resume: id(1), whenInUse: 'readOnly' });
    assert.deepEqual(session.notices.slice(1), [
      'Line 2 could not be read and was skipped.',
      'Line 8 is damaged and was left out.',
      'What line 3 followed could not be read; the conversation was joined there.',
    ]);
    const forked = await forkSession({ session: id(1), dataRoot: harness.dataRoot });
    await runTurn(await harness.open({ resume: forked.sessionId }), 'Go on.');
    harness.server.assertClean();
  });

  it('real ones, of every version, are all listed, opened, shown and gone on with, and never written', async function () {
    this.timeout(300_000);
    const corpus = corpusFolder('transcripts');
    if (corpus === undefined) return;
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
    assert.ok(paths.length > 50);
    const notListed: string[] = [];
    const leftOut: string[] = [];
    for (const [number, path] of paths.entries()) {
      const cwd = (await cwdIn(join(corpus, path))) ?? harness.cwd;
      const project = await ClaudeProject.make(cwd);
      const own = await EngineHarness.start([turn({ reply: message('Going on.') })]);
      try {
        const copy = await project.add(`${id(number)}.jsonl`, await readFile(join(corpus, path)));
        const before = await project.state();
        const [listed] = await listClaudeSessions(nodeFileSystem, project.root, cwd);
        if (listed?.title === undefined) notListed.push(path);
        const session = await own.open({ resume: copy, whenInUse: 'readOnly' });
        const items = shown(session);
        if (session.messages.length > 0) assert.ok(items.length > 0, path);
        assert.equal(new Set(items.map((item) => item.id)).size, items.length, path);
        leftOut.push(...session.notices.slice(1).filter((notice) => !notice.startsWith('What line')).map((notice) => `${path}: ${notice}`));
        const forked = await forkSession({ session: copy, cwd: own.cwd, dataRoot: own.dataRoot });
        assert.equal(resultOf(await runTurn(await own.open({ resume: forked.sessionId }), 'Go on.')).subtype, 'success', path);
        own.server.assertClean();
        assert.equal(await project.state(), before, path);
      } finally {
        await own.close();
        await project.remove();
      }
    }
    // Nobody's conversation: sub-agents at work, summaries, snapshots.
    assert.deepEqual(notListed.filter((path) => !/agent-|subagents|summary-only|snapshots-only|dag_cycle/.test(path)), []);
    assert.deepEqual(leftOut.sort(), knownDamage.toSorted());
  });
});

async function cwdIn(path: string): Promise<string | undefined> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const cwd = /"cwd": ?("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
    if (cwd !== undefined) return JSON.parse(cwd) as string;
  }
  return undefined;
}
