import { methods } from '@agentclientprotocol/sdk';
import type * as acp from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { fixtureServer } from '../../support/mcpHarness.ts';
import { message, text, thinking, toolUse } from '../../support/scriptedMessage.ts';
import { startScriptedServer } from '../../support/scriptedServer.ts';
import type { ScriptedServer } from '../../support/scriptedServer.ts';
import { fault } from '../../support/scriptedTurn.ts';
import { bundleCommandLine } from '../cli/commandLine.ts';
import type { CommandLine } from '../cli/commandLine.ts';
import { connectClient, textOfUpdates } from './acpClient.ts';
import type { Decide, TestClient } from './acpClient.ts';

const { agent } = methods;

describe('an editor that speaks the Agent Client Protocol', function () {
  this.timeout(30_000);
  let bundle: Awaited<ReturnType<typeof bundleCommandLine>> | undefined;
  let commandLine: CommandLine;
  let server: ScriptedServer;
  const clients: TestClient[] = [];

  before(async () => {
    bundle = await bundleCommandLine();
  });
  after(() => bundle?.dispose());
  beforeEach(async () => {
    commandLine = bundle!.open();
    server = await startScriptedServer([], { expectedKey: 'key-1' });
  });
  afterEach(async () => {
    for (const { process } of clients.splice(0)) process.kill('SIGKILL');
    await server.close();
    commandLine.dispose();
  });

  async function connect(decide?: Decide, args: readonly string[] = [], env: NodeJS.ProcessEnv = { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: server.url }): Promise<TestClient> {
    const client = connectClient(commandLine.start(['acp', ...args], env), decide);
    clients.push(client);
    await client.agent.request(agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    return client;
  }

  async function newSession({ agent: to }: TestClient): Promise<string> {
    return (await to.request(agent.session.new, { cwd: commandLine.folder, mcpServers: [] })).sessionId;
  }

  function prompt({ agent: to }: TestClient, sessionId: string, ...blocks: (string | acp.ContentBlock)[]): Promise<acp.PromptResponse> {
    return to.request(agent.session.prompt, { sessionId, prompt: blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)) });
  }

  it('is told what the agent can do', async () => {
    const client = connectClient(commandLine.start(['acp'], {}));
    clients.push(client);
    const { protocolVersion, agentInfo, agentCapabilities, authMethods } = await client.agent.request(agent.initialize, { protocolVersion: 1 });
    assert.deepEqual([protocolVersion, agentInfo?.name, agentInfo?.version], [1, 'turnstone', '1.2.3']);
    assert.deepEqual([agentCapabilities?.loadSession, agentCapabilities?.promptCapabilities], [true, { image: true, embeddedContext: true }]);
    assert.deepEqual(authMethods?.map(({ id }) => id), ['environment', 'demo']);
  });

  it('gets the answer as it comes, once, then figures and the end', async () => {
    server.push({ reply: message([thinking('Let me see.'), text('Hello to you, all of you.')]), deltaSize: 5 });
    const client = await connect();
    const sessionId = await newSession(client);
    assert.deepEqual(await prompt(client, sessionId, 'Hello'), { stopReason: 'end_turn' });
    assert.equal(textOfUpdates(client.updates), 'Hello to you, all of you.');
    assert.equal(textOfUpdates(client.updates, 'agent_thought_chunk'), 'Let me see.');
    assert.ok(client.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').length > 1);
    const usage = client.updates.find((update) => update.sessionUpdate === 'usage_update');
    assert.ok(usage && usage.used > 0 && usage.size > usage.used && (usage.cost?.amount ?? 0) > 0);
    await client.waitFor((update) => update.sessionUpdate === 'available_commands_update' && update.availableCommands.some(({ name }) => name === 'cost'));
    assert.deepEqual(await client.end(), { code: 0, stderr: '' });
    server.assertClean();
  });

  it('is asked before an edit, sees it as a diff, and has it done', async () => {
    writeFileSync(join(commandLine.folder, 'a.txt'), 'one\ntwo\n');
    pushEdit();
    const client = await connect(() => 'allow_once');
    const sessionId = await newSession(client);
    assert.equal((await prompt(client, sessionId, 'Go')).stopReason, 'end_turn');
    const file = join(commandLine.folder, 'a.txt');
    assert.equal(readFileSync(file, 'utf8'), 'one\nTWO\n');
    const [asked] = client.asked;
    assert.deepEqual([asked?.toolCall.toolCallId, asked?.toolCall.kind, asked?.toolCall.content], ['edit-1', 'edit', [{ type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nTWO\n' }]]);
    assert.deepEqual(statesOf(client, 'edit-1'), ['in_progress', 'in_progress', 'completed']);
    const done = client.updates.findLast((update) => update.sessionUpdate === 'tool_call_update' && update.toolCallId === 'edit-1') as acp.ToolCallUpdate;
    assert.deepEqual([done.content, done.locations], [[{ type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nTWO\n' }], [{ path: file, line: 1 }]]);
    server.assertClean();
  });

  it('can reject: nothing is written and the model hears of it', async () => {
    writeFileSync(join(commandLine.folder, 'a.txt'), 'one\ntwo\n');
    pushEdit();
    const client = await connect(() => 'reject_once');
    await prompt(client, await newSession(client), 'Go');
    assert.equal(readFileSync(join(commandLine.folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
    assert.equal(statesOf(client, 'edit-1').at(-1), 'failed');
    assert.match(server.requests.at(-1)?.raw ?? '', /The user rejected/);
  });

  it('is asked once about what it allows for the session', async () => {
    server.push({ reply: message([toolUse('Bash', { command: 'echo one' }, { id: 'b1' })]) }, { reply: message([toolUse('Bash', { command: 'echo one' }, { id: 'b2' })]) }, { reply: message('Done.') });
    const client = await connect(() => 'allow_always', []);
    await prompt(client, await newSession(client), 'Go');
    assert.deepEqual(client.asked.map(({ toolCall }) => toolCall.toolCallId), ['b1']);
    assert.deepEqual([statesOf(client, 'b1').at(-1), statesOf(client, 'b2').at(-1)], ['completed', 'completed']);
  });

  it('can cancel in the middle of an answer: what was said is kept, and the session goes on', async () => {
    server.push({ reply: message('First words, and then silence.'), deltaSize: 5, stallAfter: { events: 5 } }, { reply: message('Here again.') });
    const client = await connect();
    const sessionId = await newSession(client);
    const turn = prompt(client, sessionId, 'Go');
    await client.waitFor(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    await client.agent.notify(agent.session.cancel, { sessionId });
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
    assert.deepEqual(await prompt(client, sessionId, 'And now?'), { stopReason: 'end_turn' });
    assert.match(textOfUpdates(client.updates), /^First.*Here again\.$/s);
    server.assertClean();
  });

  it('can cancel while it is being asked', async () => {
    writeFileSync(join(commandLine.folder, 'a.txt'), 'one\ntwo\n');
    pushEdit();
    let cancel = (): void => {};
    const client = await connect(() => {
      cancel();
      return new Promise(() => {});
    });
    const sessionId = await newSession(client);
    cancel = () => void client.agent.notify(agent.session.cancel, { sessionId });
    assert.deepEqual(await prompt(client, sessionId, 'Go'), { stopReason: 'cancelled' });
    assert.equal(readFileSync(join(commandLine.folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
    assert.equal(statesOf(client, 'edit-1').at(-1), 'failed');
  });

  it('gets the whole conversation again after a restart, and goes on with it', async () => {
    writeFileSync(join(commandLine.folder, 'a.txt'), 'one\ntwo\n');
    pushEdit();
    const first = await connect(() => 'allow_once');
    const sessionId = await newSession(first);
    await prompt(first, sessionId, 'Change it');
    assert.equal((await first.end()).code, 0);

    server.push({ reply: message('Still here.') });
    const second = await connect();
    const { sessions } = await second.agent.request(agent.session.list, { cwd: commandLine.folder });
    assert.deepEqual(sessions.map((each) => [each.sessionId, each.title, each.cwd]), [[sessionId, 'Change it', commandLine.folder]]);
    const { modes } = await second.agent.request(agent.session.load, { sessionId, cwd: commandLine.folder, mcpServers: [] });
    assert.equal(modes?.currentModeId, 'ask');
    assert.equal(textOfUpdates(second.updates, 'user_message_chunk'), 'Change it');
    assert.equal(textOfUpdates(second.updates), textOfUpdates(first.updates));
    assert.deepEqual(statesOf(second, 'edit-1'), ['in_progress', 'completed']);
    assert.equal((await prompt(second, sessionId, 'And?')).stopReason, 'end_turn');
    server.assertClean();
  });

  it('goes away in the middle of a turn: the process ends by itself and everything said is on disk', async () => {
    server.push({ reply: message('First words, and then silence.'), deltaSize: 5, stallAfter: { events: 5 } });
    const client = await connect();
    const sessionId = await newSession(client);
    void prompt(client, sessionId, 'Remember this').catch(() => {});
    await client.waitFor(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    assert.deepEqual(await client.end(), { code: 0, stderr: '' });
    const lines = JSON.stringify(commandLine.transcriptLines());
    assert.match(lines, /Remember this/);
    assert.match(lines, /First/);
  });

  it('goes away while it is being asked: nothing is written, and it is no answer', async () => {
    writeFileSync(join(commandLine.folder, 'a.txt'), 'one\ntwo\n');
    pushEdit();
    let onAsked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (onAsked = resolve));
    const client = await connect(() => {
      onAsked();
      return new Promise(() => {});
    });
    void prompt(client, await newSession(client), 'Go').catch(() => {});
    await isAsked;
    assert.deepEqual(await client.end(), { code: 0, stderr: '' });
    assert.equal(readFileSync(join(commandLine.folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
    const lines = JSON.stringify(commandLine.transcriptLines());
    assert.match(lines, /The user interrupted/);
    assert.doesNotMatch(lines, /The user rejected/);
  });

  it('has the process end on a signal like with its own end', async () => {
    server.push({ reply: message('First words, and then silence.'), deltaSize: 5, stallAfter: { events: 5 } });
    const client = await connect();
    void prompt(client, await newSession(client), 'Remember this').catch(() => {});
    await client.waitFor(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    client.process.kill('SIGTERM');
    assert.deepEqual((await once(client.process, 'close'))[0], 143);
    assert.match(JSON.stringify(commandLine.transcriptLines()), /Remember this.*First/s);
  });

  it('sends files and contents along with its words', async () => {
    const file = join(commandLine.folder, 'my notes.txt');
    writeFileSync(file, 'kept on disk\n');
    server.push({ reply: message('Read.') });
    const client = await connect();
    await prompt(client, await newSession(client), 'Compare',
      { type: 'resource_link', name: 'my notes.txt', uri: pathToFileURL(file).href },
      ' with ',
      { type: 'resource', resource: { uri: 'file:///unsaved.txt', text: 'not saved yet @nothing' } },
      { type: 'image', mimeType: 'image/png', data: onePixel });
    const sent = server.requests.at(-1)?.raw ?? '';
    for (const part of [/kept on disk/, /not saved yet @nothing/, /"media_type":"image\/png"/]) assert.match(sent, part);
    assert.equal(textOfUpdates(client.updates), 'Read.');
    server.assertClean();
  });

  it('shows the plan, and chooses the mode', async () => {
    server.push({ reply: message([toolUse('TodoWrite', { todos: [{ content: 'Look', activeForm: 'Looking', status: 'in_progress' }] }, { id: 't1' })]) }, { reply: message('Done.') });
    const client = await connect();
    const { sessionId, modes } = await client.agent.request(agent.session.new, { cwd: commandLine.folder, mcpServers: [] });
    assert.deepEqual(modes?.availableModes.map(({ id }) => id), ['ask', 'accept-edits', 'plan']);
    await client.agent.request(agent.session.setMode, { sessionId, modeId: 'accept-edits' });
    await assert.rejects(client.agent.request(agent.session.setMode, { sessionId, modeId: 'bypass' }), /--permission-mode bypass/);
    await prompt(client, sessionId, 'Go');
    assert.deepEqual(client.updates.find(({ sessionUpdate }) => sessionUpdate === 'plan'), { sessionUpdate: 'plan', entries: [{ content: 'Look', status: 'in_progress', priority: 'medium' }] });
    assert.deepEqual([client.asked, server.problems], [[], []]);
  });

  it('is told why a turn failed or was ended by a limit', async () => {
    server.push(fault.status(400, { message: 'Something is wrong with it.' }), { reply: message([toolUse('Glob', { pattern: '*' }, { id: 'r1' })]) });
    const client = await connect(undefined, ['--max-turns', '1']);
    const sessionId = await newSession(client);
    await assert.rejects(prompt(client, sessionId, 'Go'), /Something is wrong with it/);
    assert.match(textOfUpdates(client.updates), /Something is wrong with it/);
    assert.deepEqual(await prompt(client, sessionId, 'Go'), { stopReason: 'max_turn_requests' });
  });

  it('is told that an answer broke off and is begun anew', async () => {
    server.push({ reply: message('Half an answer that breaks off.'), deltaSize: 4, cutAfter: { events: 5, how: 'reset' } }, { reply: message('All of it.') });
    const client = await connect();
    assert.equal((await prompt(client, await newSession(client), 'Go')).stopReason, 'end_turn');
    assert.match(textOfUpdates(client.updates), /^Half.*does not count.*All of it\.$/s);
  });

  it('tries the demo model where there is no key, when the user says so', async () => {
    const client = await connect(() => 'allow_once', [], {});
    await assert.rejects(newSession(client), (error: { code?: number; message?: string }) => error.code === -32000 && /ANTHROPIC_API_KEY/.test(error.message ?? ''));
    await assert.rejects(client.agent.request(agent.authenticate, { methodId: 'environment' }), /ANTHROPIC_API_KEY/);
    await client.agent.request(agent.authenticate, { methodId: 'demo' });
    assert.equal((await prompt(client, await newSession(client), 'Hello')).stopReason, 'end_turn');
    assert.notEqual(textOfUpdates(client.updates), '');
  });

  it('is told what it asked wrongly, and nothing breaks', async () => {
    server.push({ reply: message('Fine.') });
    const client = await connect();
    await assert.rejects(client.agent.request(agent.session.new, { cwd: 'relative', mcpServers: [] }), /full path/);
    await assert.rejects(prompt(client, 'no-such-session', 'Go'), (error: { code?: number }) => error.code === -32002);
    await assert.rejects(client.agent.request(agent.session.load, { sessionId: crypto.randomUUID(), cwd: commandLine.folder, mcpServers: [] }), (error: { code?: number }) => error.code === -32002);
    await assert.rejects(client.agent.request('session/no_such_thing', {}), (error: { code?: number }) => error.code === -32601);
    const sessionId = await newSession(client);
    await assert.rejects(prompt(client, sessionId, '  '), /empty/);
    assert.deepEqual(await prompt(client, sessionId, 'Go'), { stopReason: 'end_turn' });
  });

  it('brings MCP servers of its own, and is told which of them do not work', async () => {
    server.push({ reply: message([toolUse('mcp__fix__echo', { text: 'hello' })]) }, { reply: message('Done.') });
    const { command, args } = fixtureServer();
    const client = await connect(() => 'allow-once');
    const { sessionId } = await client.agent.request(agent.session.new, { cwd: commandLine.folder, mcpServers: [{ name: 'fix', command, args: [...args], env: [] }, { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers: [] }] });
    assert.deepEqual(await prompt(client, sessionId, 'Go'), { stopReason: 'end_turn' });
    assert.match(JSON.stringify(server.requests[1]!.body.messages), /"hello"/);
    await client.waitFor((update) => update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' && /the editor: the MCP server “old” is not used/.test(update.content.text));
  });

  it('answers a line that is no JSON with an error, and goes on', async () => {
    const child = commandLine.start(['acp'], { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: server.url });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<{ id: unknown; error?: { code: number }; result?: unknown }> => JSON.parse((await lines.next()).value ?? 'null');
    child.stdin.write('{"jsonrpc": "2.0", nonsense\n');
    const broken = await next();
    assert.deepEqual([broken.id, broken.error?.code], [null, -32700]);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params: { protocolVersion: 1 } })}\n`);
    const greeted = await next();
    assert.deepEqual([greeted.id, typeof greeted.result], [7, 'object']);
    child.stdin.end();
    assert.deepEqual((await once(child, 'close'))[0], 0);
    assert.equal(existsSync(join(commandLine.folder, '.turnstone')), false);
  });

  function pushEdit(): void {
    server.push(
      { reply: message([toolUse('Read', { file_path: 'a.txt' }, { id: 'read-1' })]) },
      { reply: message([text('Now I change it.'), toolUse('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }, { id: 'edit-1' })]) },
      { reply: message('Done.') },
    );
  }
});

function statesOf({ updates }: TestClient, id: string): unknown[] {
  return updates.flatMap((update) => ((update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') && update.toolCallId === id ? [update.status] : []));
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
