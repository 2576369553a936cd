import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlock } from '../../src/protocol/contentBlocks.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../support/engineHarness.ts';
import { startMcpHttpServer } from '../support/mcpHttpServer.ts';
import { done, fixtureServer, isRunning, linesOf, mcpCall, noticesOf, offeredTools, openWithServers, statusesOf, until } from '../support/mcpHarness.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';
import { TestClock } from '../support/testClock.ts';

const everything = { scope: 'both', skip: [], overwrite: [] } as const;

let harness: EngineHarness;
const start = async (turns: readonly ScriptedTurn[], files: Readonly<Record<string, string>> = {}): Promise<void> => void (harness = await EngineHarness.start(turns, { files }));
const results = (request: number): Record<string, string> => toolResults(harness.server.requests[request]!.body);

describe('MCP: what calls bring back', () => {
  afterEach(() => harness.close());

  it('text, images, links, resources, what is damaged and what nobody knows yet', async () => {
    await start([mcpCall('image'), mcpCall('mixed'), mcpCall('structured'), mcpCall('fail'), mcpCall('progress'), mcpCall('roots'), done]);
    const messages = await runTurn(await openWithServers(harness), 'go');
    const found = results(6);
    assert.match(found['image']!, /"type":"image".*"media_type":"image\/png"/);
    assert.equal(found['mixed'], ['first', '[Resource a.txt: file:///a.txt]', '[note://1]', 'a note', '[A sound: audio/wav, 1 kB, which cannot be shown here]', '[An image: image/png, damaged: it is not base64]', '{"type":"hologram","depth":3}'].join('\n'));
    assert.equal(found['structured'], '{\n  "rows": 3\n}');
    assert.equal(found['fail'], 'no such table');
    assert.equal(found['progress'], 'there');
    assert.match(found['roots']!, new RegExp(`file://${harness.cwd}`));
    const failed = messages.flatMap((each) => (each.type === 'user' && Array.isArray(each.message.content) ? each.message.content.filter((block) => isBlock(block, 'tool_result')) : [])).find((block) => block['tool_use_id'] === 'fail');
    assert.equal(failed?.['is_error'], true);
    assert.deepEqual(messages.flatMap((each) => (each.type === 'progress' ? [each.data.text] : [])), ['half way\n']);
    harness.server.assertClean();
  });

  it('a huge result goes to a file, and the model gets its beginning, its end and the path', async () => {
    await start([mcpCall('huge', { size: 500_000 }), done]);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    const told = results(1)['huge']!;
    assert.ok(told.length < 6_000, `${told.length}`);
    const folder = join(session.transcriptPath.replace(/\.jsonl$/, ''), 'tool-results');
    assert.ok(told.includes(join(folder, (await readdir(folder))[0]!)));
    harness.server.assertClean();
  });

  it('one that is larger than anything can be ends the connection, not the session', async () => {
    await start([mcpCall('huge', { size: 40_000_000 }), mcpCall('echo', { text: 'again' }), done]);
    await runTurn(await openWithServers(harness), 'go');
    assert.match(results(1)['huge']!, /did not carry out huge: It ended \(.*it sent a message of more than 33\.6 MB\)/);
    assert.equal(results(2)['echo'], 'again', 'the server was started again for the next call');
  });

  it('over HTTP: with the headers of the configuration, and with a new session where the server has forgotten the old one', async () => {
    process.env['TURNSTONE_TEST_KEY'] = 'open sesame';
    const server = await startMcpHttpServer({ token: 'open sesame' });
    try {
      await start([mcpCall('echo', { text: 'fünf' }), done, mcpCall('echo', { text: 'two' }, 'two'), done, mcpCall('echo', { text: 'three' }, 'three'), done]);
      const session = await openWithServers(harness, { fix: { type: 'http', url: server.url, headers: { Authorization: 'Bearer ${TURNSTONE_TEST_KEY}' } } });
      await runTurn(session, 'go');
      assert.equal(results(1)['echo'], 'fünf');
      server.forget();
      await runTurn(session, 'again');
      assert.match(results(3)['two']!, /did not carry out echo/);
      await runTurn(session, 'once more');
      assert.equal(results(5)['three'], 'three');
    } finally {
      delete process.env['TURNSTONE_TEST_KEY'];
      await server.close();
    }
  });

  it('over HTTP: who wants a key is told of, and the turn goes on', async () => {
    const server = await startMcpHttpServer({ token: 'secret' });
    try {
      await start([done]);
      const messages = await runTurn(await openWithServers(harness, { fix: { type: 'http', url: server.url } }), 'go');
      assert.deepEqual(statusesOf(messages), [{ name: 'fix', status: 'needs-auth' }]);
      assert.match(noticesOf(messages).join(), /“fix” is not there: It wants to know who you are/);
    } finally {
      await server.close();
    }
  });
});

describe('MCP: servers that come and go', () => {
  afterEach(() => harness.close());

  it('one that hangs, quits or is not there is named, and the turn goes on without it', async () => {
    await start([mcpCall('echo', { text: 'here' }), done, done, done]);
    const clock = new TestClock();
    const servers: { [name: string]: object } = { fix: fixtureServer(), gone: { command: 'no-such-program-anywhere' }, quits: { command: process.execPath, args: ['-e', 'console.error("no configuration"); process.exit(2)'] } };
    const session = await harness.open({ clock, mcp: { servers: () => servers, startTimeoutMs: 30_000 } });
    const first = await runTurn(session, 'go');
    assert.equal(results(1)['echo'], 'here');
    assert.deepEqual(statusesOf(first), [{ name: 'fix', status: 'connected' }, { name: 'gone', status: 'failed' }, { name: 'quits', status: 'failed' }]);
    assert.match(noticesOf(first).join('\n'), /“gone” is not there: It could not be started: there is no program “no-such-program-anywhere” on the PATH/);
    assert.match(noticesOf(first).join('\n'), /“quits” is not there: It ended \(exit code 2: no configuration\)/);
    servers['slow'] = fixtureServer('--hang');
    const running = runTurn(session, 'and now');
    await clock.waitForTimer(5_000);
    clock.advance(5_000);
    const second = await running;
    assert.equal(resultOf(second).subtype, 'success');
    assert.deepEqual(noticesOf(second).map((text) => text.slice(0, 47)), ['The MCP server “slow” has not answered yet. The'], 'the others are told of once');
    clock.advance(30_000);
    const third = await runTurn(session, 'and then');
    assert.match(noticesOf(third).join('\n'), /“slow” is not there: It did not answer within 30 s\./);
    harness.server.assertClean();
  });

  it('one that dies in a call says so, and is there again for the next one; the prompt’s prefix stays as it was', async () => {
    await start([mcpCall('crash'), mcpCall('echo', { text: 'back' }), done, mcpCall('crash', {}, 'second'), done, mcpCall('echo', { text: 'and again' }, 'third'), done, done]);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    assert.match(results(1)['crash']!, /did not carry out crash: It ended \(exit code 3: out of luck\)/);
    assert.equal(results(2)['echo'], 'back');
    await runTurn(session, 'crash it');
    await runTurn(session, 'use it');
    assert.equal(results(6)['third'], 'and again');
    await session.dispose();
    await runTurn(await openWithServers(harness, undefined, { resume: session.sessionId }), 'after a restart');
    const prefixes = new Set(harness.server.requests.map(({ body }) => JSON.stringify([body.tools, body.system])));
    assert.equal(prefixes.size, 1);
    harness.server.assertClean();
  });

  it('a list of tools that changes does so with the next turn, not in the middle of one', async () => {
    await start([mcpCall('grow'), mcpCall('echo', { text: 'x' }), done, mcpCall('grown'), done]);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    assert.deepEqual([0, 1, 2].map((request) => offeredTools(harness, request).includes('mcp__fix__grown')), [false, false, false]);
    await runTurn(session, 'now');
    assert.ok(offeredTools(harness, 3).includes('mcp__fix__grown'));
    assert.match(results(4)['grown']!, /called grown/);
  });

  it('the configuration is read anew at each turn: what is new is started, what is gone is ended, what changed is both', async () => {
    await start([done, done, done]);
    await harness.write('../data/settings.json', JSON.stringify({ enableAllProjectMcpServers: true }));
    const pids = join(harness.dataRoot, '..', 'pids');
    const configure = (servers: object): Promise<void> => harness.write('.mcp.json', JSON.stringify({ mcpServers: servers }));
    const session = await harness.open();
    await runTurn(session, 'none yet');
    assert.deepEqual(offeredTools(harness, 0), []);
    await configure({ one: fixtureServer('--pids', pids), two: fixtureServer() });
    await runTurn(session, 'two');
    assert.ok(offeredTools(harness, 1).includes('mcp__one__echo') && offeredTools(harness, 1).includes('mcp__two__echo'));
    await configure({ one: fixtureServer('--pids', pids, '--odd') });
    await runTurn(session, 'another one');
    assert.ok(offeredTools(harness, 2).includes('mcp__one__no_schema') && !offeredTools(harness, 2).includes('mcp__two__echo'));
    const [first, second] = await linesOf(pids);
    await until(() => !isRunning(first!));
    assert.ok(isRunning(second!));
    harness.server.assertClean();
  });

  it('Esc ends a call at once, and the server is told', async () => {
    await start([mcpCall('hang')]);
    const pids = join(harness.dataRoot, '..', 'pids');
    const session = await openWithServers(harness, { fix: fixtureServer('--pids', pids) });
    harness.answer = () => {
      setTimeout(() => session.interrupt(), 100);
      return { behavior: 'allow' };
    };
    assert.match(resultOf(await runTurn(session, 'go')).errors[0]!, /^Interrupted/);
    await until(async () => (await linesOf(pids)).includes('cancelled'));
    const { notCovered } = await session.planRewind(session.rewindTargets()[0]!.messageId);
    assert.deepEqual(notCovered.map(({ name }) => name), ['MCP tool mcp__fix__hang'], 'what it may do after that is said not to be undone');
    harness.server.assertClean();
  });

  it('Esc also ends the waiting for a server that was lost and does not come back', async () => {
    await start([mcpCall('crash'), mcpCall('echo', { text: 'x' })]);
    const pids = join(harness.dataRoot, '..', 'pids');
    const session = await openWithServers(harness, { fix: fixtureServer('--once', '--pids', pids) });
    const running = runTurn(session, 'go');
    await until(async () => (await linesOf(pids)).length === 2);
    session.interrupt();
    assert.match(resultOf(await running).errors[0]!, /^Interrupted/);
    harness.server.assertClean();
  });

  it('a call of which nothing is heard ends', async () => {
    await start([mcpCall('hang'), done]);
    await runTurn(await harness.open({ mcp: { servers: () => ({ fix: fixtureServer() }), callTimeoutMs: 200 } }), 'go');
    assert.match(results(1)['hang']!, /did not carry out hang: It did not answer in time\. Whether it did a part of it is not known/);
  });

  it('no program is left when a session is closed, not of a stubborn server, nor what it has started', async () => {
    await start([mcpCall('child'), done]);
    const pids = join(harness.dataRoot, '..', 'pids');
    const session = await openWithServers(harness, { fix: fixtureServer('--pids', pids, '--stubborn') });
    await runTurn(session, 'go');
    const [server] = await linesOf(pids);
    const child = results(1)['child']!;
    assert.ok(isRunning(server!) && isRunning(child));
    await session.dispose();
    assert.deepEqual([isRunning(server!), isRunning(child)], [false, false]);
    assert.deepEqual((await readdir(join(session.transcriptPath, '..'))).filter((name) => name.includes('running')), []);
  });

  it('what a killed session leaves behind is ended when a session is opened in the folder again', async () => {
    await start([]);
    const pids = join(harness.dataRoot, '..', 'pids');
    const killed = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, '../support/mcpSessionMain.ts'), harness.cwd, harness.dataRoot, pids], { stdio: 'inherit' });
    await until(async () => (await linesOf(pids)).length > 0);
    const [server] = await linesOf(pids);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    assert.ok(isRunning(server!));
    const { notices: said } = await harness.open();
    assert.equal(isRunning(server!), false);
    assert.match(said.join(), /still running after Turnstone had ended unexpectedly.*MCP server “fix”/);
  });

  it('a session that is closed while a server starts leaves none behind', async () => {
    await start([done]);
    const pids = join(harness.dataRoot, '..', 'pids');
    const session = await openWithServers(harness, { fix: fixtureServer('--pids', pids, '--hang') });
    await until(async () => (await linesOf(pids)).length > 0);
    await session.dispose();
    assert.equal(isRunning((await linesOf(pids))[0]!), false);
  });

  it('a sub-agent has the same tools; one that only looks has those that say they only look', async () => {
    const task = (type: string) => turn({ reply: message([toolUse('Task', { description: 'Look', prompt: 'Look.', subagent_type: type }, { id: 'task' })]) });
    await start([task('general-purpose'), mcpCall('echo', { text: 'from below' }), done, task('explore'), done, done]);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    assert.deepEqual(offeredTools(harness, 1), offeredTools(harness, 0));
    assert.equal(results(2)['echo'], 'from below');
    assert.deepEqual(offeredTools(harness, 4), ['mcp__fix__look']);
    assert.match(harness.requests[0]!.reason!, /Asked by a sub-agent/);
    harness.server.assertClean();
  });
});

describe('MCP: what a tool does to files is undone like a command', () => {
  afterEach(() => harness.close());

  it('written, deleted and renamed files come back with a rewind, and one call alone can be undone', async () => {
    await start([], { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    harness.server.push(mcpCall('write', { path: harness.path('a.txt'), content: 'changed\n' }), mcpCall('delete', { path: harness.path('b.txt') }), mcpCall('rename', { from: harness.path('c.txt'), to: harness.path('d.txt') }), done);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    assert.deepEqual((await readdir(harness.cwd)).toSorted(), ['a.txt', 'd.txt']);
    assert.deepEqual(session.changes().map(({ toolUseId }) => String(toolUseId)).toSorted(), ['delete', 'rename', 'write']);
    await session.undo({ toolUseId: 'write' }, everything);
    assert.equal(await harness.read('a.txt'), 'a\n');
    const [target] = session.rewindTargets();
    const plan = await session.planRewind(target!.messageId);
    assert.deepEqual(plan.notCovered, []);
    await session.rewind(target!.messageId, everything);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt'), await harness.read('c.txt'), (await readdir(harness.cwd)).length], ['a\n', 'b\n', 'c\n', 3]);
    harness.server.assertClean();
  });

  it('with the file history switched off, going back names the tool', async () => {
    await start([mcpCall('look'), done]);
    const session = await openWithServers(harness, undefined, { fileHistory: false });
    await runTurn(session, 'go');
    const plan = await session.planRewind(session.rewindTargets()[0]!.messageId);
    assert.equal(plan.notCovered[0]?.name, 'MCP tool mcp__fix__look');
  });
});
