import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isTurnstoneError } from '../../../src/base/errors.ts';
import { deletedSessions, deleteSession, emptyTrash, exportSession, forkSession, listSessions, pinSession, renameSession, restoreSession, sessionSize } from '../../../src/sdk/index.ts';
import type { Session } from '../../../src/sdk/index.ts';
import { ClaudeProject, claudeLines, claudePrompt } from '../../support/claudeProject.ts';
import { EngineHarness, runTurn } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

const inUse = (thrown: unknown): boolean => isTurnstoneError(thrown) && thrown.code === 'session_in_use';

describe('what is done to a session', function () {
  this.timeout(30_000);
  let harness: EngineHarness;
  beforeEach(async () => {
    harness = await EngineHarness.start([turn({ reply: message('One.') }), turn({ reply: message('Two.') })]);
    harness.respectsLocks = true;
  });
  afterEach(() => harness.close());

  const place = (session: Session): { readonly session: string; readonly dataRoot: string } => ({ session: session.sessionId, dataRoot: harness.dataRoot });
  const listed = async (): Promise<unknown[]> => (await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot })).map(({ title, pinned }) => [title, pinned === true]);

  async function closedSession(prompt: string): Promise<Session> {
    const session = await harness.open();
    await runTurn(session, prompt);
    await session.dispose();
    return session;
  }

  it('what it takes on disk is told: its transcript, what lies beside it, and the contents that it needs', async () => {
    await harness.write('a.txt', 'x'.repeat(5_000));
    harness.server.push(turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }), turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'xxxxx', new_string: 'y', replace_all: true })]) }), turn({ reply: message('Done.') }));
    const session = await harness.open();
    for (const prompt of ['One', 'Two', 'Edit it']) await runTurn(session, prompt);
    await session.dispose();
    await mkdir(session.transcriptPath.replace(/\.jsonl$/, ''), { recursive: true });
    await writeFile(join(session.transcriptPath.replace(/\.jsonl$/, ''), 'result.txt'), 'z'.repeat(700));
    const { size } = await stat(session.transcriptPath);
    // What the file held before and what the agent left.
    assert.deepEqual(await sessionSize(session.sessionId, harness.dataRoot), { conversation: size + 700, contents: 5_000 + 1_000 });
  });

  it('a name and a pin hold in lists and for whoever opens it, also behind a torn line, and make it no younger', async () => {
    const session = await closedSession('Rename total');
    await appendFile(session.transcriptPath, '{"type":"user","uu');
    const [before] = await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot });
    await renameSession(place(session), '  The\n cart ');
    await pinSession(place(session), true);
    const [after] = await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot });
    assert.deepEqual([after?.title, after?.pinned, after?.modified], ['The cart', true, before?.modified]);
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([again.title, again.isPinned], ['The cart', true]);
    await runTurn(again, 'Go on');
    again.setPinned(false);
    await again.dispose();
    assert.deepEqual(await listed(), [['The cart', false]]);
    await assert.rejects(renameSession(place(session), ' \n'), /needs a name/);
  });

  it('an open one is named by whoever has it, and by nobody else', async () => {
    const session = await harness.open();
    session.rename('Before a word was said');
    await assert.rejects(stat(session.transcriptPath), 'an empty session leaves no file');
    await runTurn(session, 'Hello');
    assert.deepEqual(await listed(), [['Before a word was said', false]]);
    await assert.rejects(renameSession(place(session), 'Other'), inUse);
    await assert.rejects(deleteSession(place(session), 'Other'), inUse);
    session.rename('Then');
    session.setPinned(true);
    await session.dispose();
    assert.deepEqual(await listed(), [['Then', true]]);
  });

  it('a name is found though it was given long ago in a long file', async () => {
    const session = await harness.open();
    session.rename('Kept');
    await runTurn(session, 'x'.repeat(100_000));
    await runTurn(session, 'y'.repeat(100_000));
    await session.dispose();
    assert.deepEqual(await listed(), [['Kept', false]]);
  });

  it('a fork says what it is a fork of, and is pinned nowhere', async () => {
    const session = await closedSession('Hello');
    await renameSession(place(session), 'Mine');
    await pinSession(place(session), true);
    await forkSession({ ...place(session), cwd: harness.cwd });
    const titles = await listed();
    assert.equal(titles.length, 2);
    for (const each of [['Mine', true], ['Mine (fork)', false]]) assert.ok(titles.some((title) => isDeepStrictEqual(title, each)));
  });

  it('one of Claude Code is neither named nor pinned nor deleted', async () => {
    const claude = await ClaudeProject.make(harness.cwd);
    try {
      const path = await claude.add('aaaaaaaa-0000-4000-8000-000000000001.jsonl', claudeLines(harness.cwd, [claudePrompt('Hello')]));
      const before = await claude.state();
      const theirs = { session: path, dataRoot: harness.dataRoot };
      await assert.rejects(renameSession(theirs, 'Mine'), inUse);
      await assert.rejects(pinSession(theirs, true), inUse);
      await assert.rejects(deleteSession(theirs, 'Theirs'), inUse);
      assert.equal(await claude.state(), before);
    } finally {
      await claude.remove();
    }
  });
});

describe('deleting and exporting a session', function () {
  this.timeout(30_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  async function sessionWithFiles(): Promise<Session> {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }), turn({ reply: message([toolUse('Write', { file_path: 'a.txt', content: 'new\n' })]) }), turn({ reply: message('Wrote it.') })], { files: { 'a.txt': 'old\n' } });
    const session = await harness.open({ permissionMode: 'bypassPermissions' });
    await runTurn(session, 'Write a.txt.');
    const beside = session.transcriptPath.replace(/\.jsonl$/, '');
    await mkdir(beside, { recursive: true });
    await writeFile(join(beside, 'result.txt'), 'a large result');
    await session.dispose();
    return session;
  }

  const blobs = async (): Promise<string[]> => (await readdir(join(harness.dataRoot, 'blobs'), { recursive: true })).filter((name) => /^..\/[0-9a-f]{62}$/.test(name));
  const makeOld = async (): Promise<void> => {
    for (const name of await blobs()) await utimes(join(harness.dataRoot, 'blobs', name), 1, 1);
  };

  it('moves it to the trash with all that belongs to it, and back, byte for byte; what it needs stays', async () => {
    const session = await sessionWithFiles();
    const bytes = await readFile(session.transcriptPath);
    const id = await deleteSession({ session: session.sessionId, dataRoot: harness.dataRoot }, 'Write a.txt.');
    assert.deepEqual(await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot }), []);
    await assert.rejects(harness.open({ resume: session.sessionId }), /There is no session/);
    const [trashed] = await deletedSessions(harness.dataRoot);
    assert.deepEqual([trashed?.id, trashed?.sessionId, trashed?.title, trashed?.folder], [id, session.sessionId, 'Write a.txt.', harness.cwd]);
    assert.ok(trashed!.size > bytes.length);
    await restoreSession(id, harness.dataRoot);
    assert.deepEqual(await readFile(session.transcriptPath), bytes);
    assert.equal(await readFile(join(session.transcriptPath.replace(/\.jsonl$/, ''), 'result.txt'), 'utf8'), 'a large result');
    assert.deepEqual([await deletedSessions(harness.dataRoot), await readdir(join(harness.dataRoot, 'trash'))], [[], []]);
    const again = await harness.open({ resume: session.sessionId });
    await again.rewind(again.rewindTargets()[0]!.messageId, { scope: 'both', skip: [], overwrite: [] });
    assert.equal(await harness.read('a.txt'), 'old\n');
  });

  it('takes it away for good only when the trash is emptied, with the contents that nobody else needs', async () => {
    const session = await sessionWithFiles();
    const forked = await forkSession({ session: session.sessionId, dataRoot: harness.dataRoot });
    const needed = await blobs();
    assert.ok(needed.length > 0);
    await deleteSession({ session: session.sessionId, dataRoot: harness.dataRoot }, 'One');
    await makeOld();
    assert.ok((await emptyTrash(harness.dataRoot)) > 0);
    assert.deepEqual(await blobs(), needed, 'the fork needs them still');
    await deleteSession({ session: forked.sessionId, dataRoot: harness.dataRoot }, 'Two');
    await emptyTrash(harness.dataRoot);
    assert.deepEqual([await blobs(), await deletedSessions(harness.dataRoot)], [[], []]);
  });

  it('never puts it over one that is there, and finishes what a process left half done', async () => {
    const session = await sessionWithFiles();
    const beside = session.transcriptPath.replace(/\.jsonl$/, '');
    const id = await deleteSession({ session: session.sessionId, dataRoot: harness.dataRoot }, 'One');
    // As if the process had ended between the transcript and its folder.
    await rename(join(harness.dataRoot, 'trash', id, session.sessionId), beside);
    assert.equal((await deletedSessions(harness.dataRoot)).length, 1);
    await assert.rejects(stat(beside));
    await writeFile(session.transcriptPath, 'another one');
    await assert.rejects(restoreSession(id, harness.dataRoot), /could not be brought back: .*is there already.*still in the trash/);
    assert.equal(await readFile(session.transcriptPath, 'utf8'), 'another one');
    await assert.rejects(restoreSession('no-such', harness.dataRoot), /not in the trash/);
  });

  it('writes it out byte for byte, and for people with what was compacted', async () => {
    const long = 'A long answer. '.repeat(4_000);
    harness = await EngineHarness.start([turn({ reply: message('The first answer.') }), ...Array.from({ length: 4 }, () => turn({ reply: message(long) })), turn({ reply: message('<summary>They said hello.</summary>') }), turn({ reply: message('After it.') })]);
    const session = await harness.open();
    await runTurn(session, 'Hello');
    for (let more = 0; more < 4; more++) await runTurn(session, 'More');
    await runTurn(session, '/compact');
    await runTurn(session, 'And now?');
    await session.dispose();
    const target = harness.path('out/session.jsonl');
    await exportSession({ session: session.sessionId, dataRoot: harness.dataRoot }, 'jsonl', target);
    assert.deepEqual(await readFile(target), await readFile(session.transcriptPath));
    await exportSession({ session: session.sessionId, dataRoot: harness.dataRoot }, 'markdown', harness.path('session.md'));
    const markdown = await harness.read('session.md');
    assert.match(markdown, /^# Hello\n\nSession [\w-]+ in \S+\n\n## You\n\nHello\n\nThe first answer\.[^]*compacted[^]*## You\n\nAnd now\?\n\nAfter it\.\n$/);
  });
});
