import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Session } from '../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../support/engineHarness.ts';
import { done, fixtureServer, linesOf, mcpCall, noticesOf, offeredTools, openWithServers, statusesOf, until } from '../support/mcpHarness.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { fault, turn } from '../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';

let harness: EngineHarness;
const start = async (turns: readonly ScriptedTurn[], files: Readonly<Record<string, string>> = {}): Promise<void> => void (harness = await EngineHarness.start(turns, { files }));
const results = (request: number): Record<string, string> => toolResults(harness.server.requests[request]!.body);
const mcp = async (session: Session, args = ''): Promise<string> => resultOf(await runTurn(session, `/mcp ${args}`)).result!;

describe('MCP: who may run, and who is asked', () => {
  afterEach(() => harness.close());

  const git = (cwd: string, ...args: readonly string[]): unknown => execFileSync('git', args, { cwd });
  const ignoredByGit = (cwd: string): void => {
    git(cwd, 'init', '--quiet');
    writeFileSync(join(cwd, '.gitignore'), '.claude/settings.local.json\n');
  };
  const project = (servers: object = { fix: fixtureServer() }): Readonly<Record<string, string>> => ({ '.mcp.json': JSON.stringify({ mcpServers: servers }) });

  it('a call is asked about, with a rule for that tool; rules for a tool, a server or all of its tools spare it', async () => {
    for (const [rule, asked] of [['mcp__fix__echo', 0], ['mcp__fix', 0], ['mcp__fix__*', 0], ['mcp__other', 1], ['mcp__fix__look', 1]] as const) {
      await start([mcpCall('echo', { text: 'x' }), done]);
      await runTurn(await openWithServers(harness, undefined, { permissionRules: { allow: [rule] } }), 'go');
      assert.deepEqual(harness.requests.map(({ toolName, suggestedRule }) => [toolName, suggestedRule]), Array.from({ length: asked }, () => ['mcp__fix__echo', 'mcp__fix__echo']), rule);
      await harness.close();
    }
    await start([mcpCall('look'), mcpCall('echo', { text: 'x' }), done]);
    await runTurn(await openWithServers(harness, undefined, { permissionRules: { deny: ['mcp__fix__echo'] } }), 'go');
    assert.deepEqual(harness.requests.map(({ toolName }) => toolName), ['mcp__fix__look'], 'that it only looks is no permission');
    assert.match(results(2)['echo']!, /mcp__fix__echo/);
  });

  it('in plan mode those that say they only look are asked about, the others refused', async () => {
    await start([mcpCall('look'), mcpCall('echo', { text: 'x' }), done]);
    await runTurn(await openWithServers(harness, undefined, { permissionMode: 'plan' }), 'go');
    assert.deepEqual(harness.requests.map(({ toolName }) => toolName), ['mcp__fix__look']);
    assert.match(results(2)['echo']!, /Plan mode/);
  });

  it('where the workspace is not trusted nothing is started', async () => {
    await start([done], { ...project(), '.claude/settings.local.json': JSON.stringify({ enableAllProjectMcpServers: true }) });
    const pids = join(harness.dataRoot, '..', 'pids');
    const session = await openWithServers(harness, { own: fixtureServer('--pids', pids) }, { trusted: false });
    const messages = await runTurn(session, 'go');
    assert.deepEqual([statusesOf(messages), offeredTools(harness, 0)], [[], []]);
    assert.match(await mcp(session), /not trusted/);
    await session.dispose();
    assert.deepEqual(await linesOf(pids), []);
  });

  it('a server of the project waits for a yes, which is kept; one that has changed since is asked about again', async () => {
    await start([done, done, done, done], project());
    const session = await harness.open();
    const messages = await runTurn(session, 'go');
    assert.deepEqual(statusesOf(messages), [{ name: 'fix', status: 'disabled' }]);
    assert.match(noticesOf(messages).join(), /brings an MCP server, “fix” .*\/mcp enable fix/);
    assert.match(await mcp(session, 'enable fix'), /^fix — connected, 16 tools \(\.mcp\.json: /);
    await runTurn(session, 'go');
    assert.equal(offeredTools(harness, 1).length, 16);
    await session.dispose();
    const again = await harness.open();
    await runTurn(again, 'go');
    assert.equal(offeredTools(harness, 2).length, 16, 'also in another session');
    await harness.write('.mcp.json', project({ fix: fixtureServer('--odd') })['.mcp.json']!);
    await runTurn(again, 'go');
    assert.deepEqual(offeredTools(harness, 3), [], 'what was said yes to was another program');
    assert.match(await mcp(again, 'disable fix'), /^fix — switched off here/);
    harness.server.assertClean();
  });

  it('where somebody can be asked a card does it, beside the turn', async () => {
    await start([done, done], project());
    const questions: string[] = [];
    let say: (label: string) => void = () => {};
    const session = await harness.open({ askUser: async ([question]) => {
      questions.push(question!.question);
      return [{ chosen: [await new Promise<string>((resolve) => (say = resolve))] }];
    } });
    const first = await runTurn(session, 'go');
    assert.equal(resultOf(first).subtype, 'success', 'the turn did not wait for the answer');
    assert.match(questions.join(), /This project brings an MCP server, “fix”: .*mcpServerMain\.ts/);
    assert.deepEqual(noticesOf(first), []);
    say('Start it');
    await until(async () => (await mcp(session)).includes('connected'));
    await runTurn(session, 'go');
    assert.ok(offeredTools(harness, 1).includes('mcp__fix__echo'));
    assert.equal(questions.length, 1);
  });

  it('people’s settings say yes and no; what comes with the project says only no', async () => {
    const both = project({ fix: fixtureServer(), other: fixtureServer() });
    const all = { '.claude/settings.local.json': { enableAllProjectMcpServers: true } };
    for (const [settings, expected, layOut] of [
      [{ '.claude/settings.local.json': { enabledMcpjsonServers: ['fix'], disabledMcpjsonServers: ['other'] } }, ['connected', 'disabled'], ignoredByGit],
      [{ ...all, '.claude/settings.json': { disabledMcpjsonServers: ['fix'] } }, ['disabled', 'connected'], ignoredByGit],
      [{ '.claude/settings.json': { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['fix'] } }, ['disabled', 'disabled'], ignoredByGit],
      // What may have come with the project: in an archive, with git, through a link, in a repository of its own.
      [all, ['disabled', 'disabled'], () => {}],
      [all, ['disabled', 'disabled'], (cwd: string) => { ignoredByGit(cwd); git(cwd, 'add', '--force', '.claude'); }],
      [all, ['disabled', 'disabled'], (cwd: string) => { ignoredByGit(cwd); renameSync(join(cwd, '.claude'), join(cwd, 'shared')); symlinkSync('shared', join(cwd, '.claude')); }],
      [all, ['disabled', 'disabled'], (cwd: string) => { git(cwd, 'init', '--quiet'); git(join(cwd, '.claude'), 'init', '--quiet'); }],
    ] as const) {
      await start([done], { ...both, ...Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, JSON.stringify(value)])) });
      layOut(harness.cwd);
      const messages = await runTurn(await harness.open(), 'go');
      assert.deepEqual(statusesOf(messages).map(({ status }) => status), expected);
      await harness.close();
    }
    await start([]);
  });

  it('what is wrong in a file is said with the file and the entry, and the others are used', async () => {
    await start([done], { '.mcp.json': `{ // a comment\n "mcpServers": { "bad": { "args": [] }, "sse": { "type": "sse", "url": "https://x.test" }, "fix": ${JSON.stringify(fixtureServer())}, "empty": { "command": "\${TURNSTONE_NO_SUCH_VARIABLE}" }, } }`, '.claude/settings.local.json': '{"enableAllProjectMcpServers": true}', '.vscode/mcp.json': '{"servers": {"asks": {"command": "x", "env": {"KEY": "${input:key}"}}, "waits": {"command": "x"}}}' });
    ignoredByGit(harness.cwd);
    const messages = await runTurn(await harness.open(), 'go');
    const text = noticesOf(messages).join('\n');
    assert.match(text, /\.mcp\.json: the MCP server “bad” is not used: "command" is missing/);
    assert.match(text, /\.mcp\.json: the MCP server “sse” is not used: its type "sse"/);
    assert.match(text, /\.vscode\/mcp\.json: the MCP server “asks” is not used: it asks for a value/);
    assert.match(text, /“waits” \(x\)\. It was not started, because you have not said yet/, 'what settings say of a .mcp.json is not said of this file');
    assert.match(text, /“empty” is not there: It needs \$\{TURNSTONE_NO_SUCH_VARIABLE\}, which has no value/);
    assert.ok(offeredTools(harness, 0).includes('mcp__fix__echo'));
  });

  it('names and schemas that the API would refuse are made such that it takes them, and reach the right tool', async () => {
    await start([turn({ reply: message([toolUse('mcp__fix__with_spaces_and_n_code', { a: 1 }, { id: 'odd' })]) }), done]);
    await runTurn(await openWithServers(harness, { fix: fixtureServer('--odd'), 'my server': fixtureServer('--odd') }), 'go');
    const names = offeredTools(harness, 0);
    assert.ok(names.every((name) => /^[\w-]{1,64}$/.test(name)), names.join());
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.filter((name) => name.startsWith('mcp__fix__long_')).length, 2);
    assert.ok(names.includes('mcp__my_server__twice'));
    harness.server.assertClean();
  });

  it('a tool that the API refuses all the same is left out from then on, also after a resume', async () => {
    await start([done]);
    const session = await openWithServers(harness);
    await runTurn(session, 'go');
    const place = harness.server.requests[0]!.body.tools!.findIndex(({ name }) => name === 'mcp__fix__fail');
    harness.server.push(fault.status(400, { message: `tools.${place}.custom.input_schema: JSON schema is invalid.` }), done, done);
    const messages = await runTurn(session, 'again');
    assert.equal(resultOf(messages).subtype, 'success');
    assert.match(noticesOf(messages).join(), /The server refused the tool mcp__fix__fail \(400: .*JSON schema is invalid/);
    await session.dispose();
    await runTurn(await openWithServers(harness, undefined, { resume: session.sessionId }), 'and again');
    assert.deepEqual([1, 2, 3].map((request) => offeredTools(harness, request).includes('mcp__fix__fail')), [true, false, false]);
    assert.equal(offeredTools(harness, 3).length, 15);
  });
});
