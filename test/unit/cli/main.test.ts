import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { startScriptedServer } from '../../support/scriptedServer.ts';
import type { ScriptedServer } from '../../support/scriptedServer.ts';
import { message, text, toolUse } from '../../support/scriptedMessage.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';
import { fault } from '../../support/scriptedTurn.ts';
import { bundleCommandLine, finish } from './commandLine.ts';
import type { CommandLine } from './commandLine.ts';

const title: ScriptedTurn = { when: (request) => (request.tools ?? []).length === 0, reply: message('A title'), times: Number.POSITIVE_INFINITY };

describe('the command line', function () {
  this.timeout(60_000);
  let bundle: Awaited<ReturnType<typeof bundleCommandLine>> | undefined;
  let commandLine: CommandLine;
  let server: ScriptedServer;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    bundle = await bundleCommandLine();
  });
  after(() => bundle?.dispose());
  beforeEach(async () => {
    commandLine = bundle!.open();
    server = await startScriptedServer([], { aside: [title], expectedKey: 'key-1', knowsModel: () => true });
    env = { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: server.url };
  });
  afterEach(async () => {
    await server.close();
    commandLine.dispose();
  });

  it('says its version and how it is used', async () => {
    assert.deepEqual(await commandLine.run(['--version']), { code: 0, stdout: '1.2.3\n', stderr: '' });
    const help = await commandLine.run(['--help']);
    assert.match(help.stdout, /--output-format/);
    assert.equal(help.code, 0);
  });

  it('prints the answer and nothing else', async () => {
    server.push({ reply: message('Hello to you.') });
    assert.deepEqual(await commandLine.run(['-p', 'Hello'], { env }), { code: 0, stdout: 'Hello to you.\n', stderr: '' });
    server.assertClean();
  });

  it('sends no mistyped command, and says how to send it all the same', async () => {
    const refused = await commandLine.run(['-p', '/cots'], { env });
    assert.deepEqual(refused, { code: 1, stdout: '', stderr: 'There is no command /cots, so nothing was sent. Did you mean /cost? To send it as it is, put a space before it.\n' });
    assert.equal(server.requests.length, 0);
    server.push({ reply: message('Fine.') });
    assert.equal((await commandLine.run(['-p', ' /cots'], { env })).stdout, 'Fine.\n');
  });

  it('counts with prices of a file; a model without one stays without a figure, and a price that is none is told', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const costOf = async (...args: string[]): Promise<{ readonly usd: unknown; readonly stderr: string }> => {
      server.push({ reply: message('Fine.', { usage, model: 'house-model' }) });
      const { stdout, stderr } = await commandLine.run(['-p', 'Go', '--output-format', 'json', '--model', 'house-model', ...args], { env });
      return { usd: (JSON.parse(stdout) as { readonly total_cost_usd: unknown }).total_cost_usd, stderr };
    };
    const file = join(commandLine.folder, 'prices.json');
    assert.deepEqual(await costOf(), { usd: null, stderr: '' });
    writeFileSync(file, '\uFEFF{ "house-model": { "input": 4, "output": 10 }, "other": { "input": "cheap" } }');
    const priced = await costOf('--prices', file);
    // 1,000×4 + 100×10 = 5,000 millionths.
    assert.equal(priced.usd, 0.005);
    assert.match(priced.stderr, /^The price set for other is not used: “input” must be a number/);
    const requests = server.requests.length;
    for (const [content, why] of [['[1, 2]', /holds no prices/], [undefined, /there is no such file/]] as const) {
      if (content !== undefined) writeFileSync(file, content);
      const { code, stderr } = await commandLine.run(['-p', 'Go', '--prices', content === undefined ? `${file}.not` : file], { env });
      assert.equal(code, 1);
      assert.match(stderr, why);
    }
    assert.equal(server.requests.length, requests);
  });

  it('shows on standard error how it started, when asked', async () => {
    server.push({ reply: message('Hello.') });
    const { stdout, stderr } = await commandLine.run(['-p', 'Go'], { env: { ...env, TURNSTONE_PROFILE_STARTUP: '1' } });
    const stages = [...stderr.matchAll(/^startup (.+?) +[\d.]+ ms +[\d.]+ ms CPU$/gm)].map((match) => match[1]);
    assert.deepEqual({ stdout, stages }, { stdout: 'Hello.\n', stages: ['command line loaded', 'engine loaded', 'session open', 'init', 'assistant'] });
  });

  it('takes the prompt from standard input', async () => {
    server.push({ reply: message('Read.') });
    await commandLine.run(['-p'], { env, input: 'from a pipe\n' });
    assert.match(server.requests.find((request) => request.body.tools?.length)?.raw ?? '', /from a pipe/);
  });

  it('prints every message as a line, and events only when asked', async () => {
    server.push({ reply: message('One.') }, { reply: message('Two.') });
    const plain = await commandLine.run(['-p', 'Go', '--output-format', 'stream-json'], { env });
    assert.deepEqual(typesOf(plain.stdout).filter((type) => type !== 'user'), ['system', 'assistant', 'result']);
    const withEvents = await commandLine.run(['-p', 'Go', '--output-format', 'stream-json', '--include-partial-messages'], { env });
    assert.ok(typesOf(withEvents.stdout).includes('stream_event'));
    assert.deepEqual([plain.stderr, withEvents.stderr], ['', '']);
  });

  it('prints the result as JSON', async () => {
    server.push({ reply: message('Hello.', { usage: { input_tokens: 9, output_tokens: 100 } }) });
    const { code, stdout } = await commandLine.run(['-p', 'Go', '--output-format', 'json', '--model', 'claude-haiku-4-5', '--session-id', sessionId], { env });
    const result = JSON.parse(stdout) as { [field: string]: unknown };
    assert.deepEqual([code, result['type'], result['subtype'], result['result'], result['session_id']], [0, 'result', 'success', 'Hello.', sessionId]);
  });

  it('keeps to a limit of output tokens, and waits as long as it takes where nobody waits', async () => {
    server.push(fault.status(429, { headers: { 'retry-after': '0' }, times: 12 }), { reply: message('At last.') });
    const { code, stdout } = await commandLine.run(['-p', 'Go', '--unattended', '--max-output-tokens', '1500'], { env });
    assert.deepEqual([code, stdout], [0, 'At last.\n']);
    assert.deepEqual(server.requests.filter(({ body }) => (body.tools ?? []).length > 0).map(({ body }) => body.max_tokens), Array<number>(13).fill(1_500));
  });

  it('goes on with the newest session and with a named one', async () => {
    server.push({ reply: message('First answer.') }, { reply: message('Second answer.') }, { reply: message('Third answer.') });
    await commandLine.run(['-p', 'First question', '--session-id', sessionId], { env });
    await commandLine.run(['-p', 'Second question', '--continue'], { env });
    await commandLine.run(['-p', 'Third question', '--resume', sessionId], { env });
    const last = server.requests.filter((request) => request.body.tools?.length).at(-1)?.raw ?? '';
    const said = ['First question', 'First answer.', 'Second question', 'Second answer.', 'Third question'].map((words) => last.indexOf(words));
    assert.ok(said.every((place, index) => place > (said[index - 1] ?? 0)), `in the request, in order: ${said.join()}`);
    server.assertClean();
  });

  it('says what is missing, on standard error alone', async () => {
    const noKey = await commandLine.run(['-p', 'Go']);
    assert.deepEqual([noKey.code, noKey.stdout], [1, '']);
    assert.match(noKey.stderr, /ANTHROPIC_API_KEY.*--demo/);
    const noSession = await commandLine.run(['-p', 'Go', '--continue'], { env });
    assert.deepEqual([noSession.code, noSession.stdout], [1, '']);
    assert.match(noSession.stderr, /no session of/);
    const wrongOption = await commandLine.run(['-p', 'Go', '--output-format', 'xml'], { env });
    assert.deepEqual([wrongOption.code, wrongOption.stdout], [1, '']);
  });

  it('ends with 1 when the request fails, and says why', async () => {
    server.push(fault.status(400, { message: 'Your credit balance is too low.' }));
    const { code, stderr } = await commandLine.run(['-p', 'Go'], { env });
    assert.equal(code, 1);
    assert.match(stderr, /credit balance is too low/);
  });

  it('refuses what would have to be asked, and reports it', async () => {
    const file = fileWith(commandLine, 'one\n');
    server.push({ reply: message([toolUse('Read', { file_path: file })]) }, { reply: editOf(file) }, { reply: message('I could not.') });
    const { stdout } = await commandLine.run(['-p', 'Go', '--output-format', 'json'], { env });
    const denials = (JSON.parse(stdout) as { permission_denials: readonly { tool_name: string }[] }).permission_denials;
    assert.deepEqual(denials.map((denial) => denial.tool_name), ['Edit']);
    assert.match(server.requests.at(-1)!.raw, /consent and nobody is there to give it\. Nothing was changed\..*accept-edits/);
    assert.equal(readFileSync(file, 'utf8'), 'one\n');
  });

  it('says which rule would have allowed what was refused, and that rule allows it', async () => {
    const call = { reply: message([toolUse('Bash', { command: 'git status --short' })]) };
    server.push(call, { reply: message('I could not.') }, call, { reply: message('I could.') });
    const { stderr } = await commandLine.run(['-p', 'Go'], { env });
    const rule = /Refused, because nobody is there to be asked: Bash git status --short\. To allow it, add this rule to permissions\.allow in .*: (Bash\(.*\))\n/.exec(stderr)?.[1];
    assert.equal(rule, 'Bash(git status:*)');
    const again = await commandLine.run(['-p', 'Go', '--output-format', 'json', '--allowedTools', rule], { env });
    assert.deepEqual((JSON.parse(again.stdout) as { permission_denials: unknown[] }).permission_denials, []);
    assert.doesNotMatch(again.stderr, /Refused/);
  });

  it('says the answer of a local command once', async () => {
    const { code, stdout, stderr } = await commandLine.run(['-p', '/compact'], { env });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /nothing to summarise yet/);
  });

  it('takes standard input in UTF-8, and no other text for it', async () => {
    const latin1 = await commandLine.run(['-p'], { env, input: Buffer.from('gr\u00fc\u00df', 'latin1') });
    assert.deepEqual([latin1.code, latin1.stdout, server.requests.length], [1, '', 0]);
    assert.match(latin1.stderr, /not text in UTF-8, so nothing was sent/);
    server.push({ reply: message('Ja.') });
    assert.equal((await commandLine.run(['-p'], { env, input: Buffer.from('\ufeffgr\u00fc\u00df', 'utf16le') })).stdout, 'Ja.\n');
    assert.match(server.requests[0]!.raw, /"grüß"/);
  });

  it('takes a blank key for none', async () => {
    const { code, stderr } = await commandLine.run(['-p', 'Go'], { env: { ...env, ANTHROPIC_API_KEY: ' ' } });
    assert.equal(code, 1);
    assert.match(stderr, /There is no API key/);
  });

  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    it(`ends calmly on ${signal}: the turn is stopped, saved and reported`, async () => {
      server.push(fault.stall(message('A long answer that never ends'), { events: 4 }));
      const child = commandLine.start(['-p', 'Go on for ever', '--output-format', 'stream-json', '--include-partial-messages'], env);
      child.stdin.end();
      let seen = '';
      const ended = once(child.stdout, 'end').then(() => assert.fail(`ended early: ${seen}`));
      while (!seen.includes('text_delta')) seen += String((await Promise.race([once(child.stdout, 'data'), ended]))[0]);
      ended.catch(() => {});
      child.kill(signal);
      const finished = await finish(child);
      assert.equal(finished.code, code);
      assert.equal(typesOf(seen + finished.stdout).at(-1), 'result');
      assert.match(JSON.stringify(commandLine.transcriptLines()), /Go on for ever/);
    });
  }

  it('stops when nobody reads any more', async () => {
    server.push(fault.stall(message('A long answer that never ends'), { events: 4 }));
    const child = commandLine.start(['-p', 'Go', '--output-format', 'stream-json', '--include-partial-messages'], env);
    child.stdin.end();
    child.stdout.destroy();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 141);
    assert.match(JSON.stringify(commandLine.transcriptLines()), /"Go"/);
  });

  it('lets two processes not write one session, and goes on in a copy if asked', async () => {
    server.push({ reply: message('First.') }, fault.stall(message('A long answer that never ends'), { events: 4 }), { reply: message('In a copy.') }, { reply: message('Later.') });
    await commandLine.run(['-p', 'One', '--session-id', sessionId], { env });
    const first = commandLine.start(['-p', 'Two', '--continue', '--output-format', 'stream-json', '--include-partial-messages'], env);
    first.stdin.end();
    let seen = '';
    while (!seen.includes('text_delta')) seen += String((await once(first.stdout, 'data'))[0]);
    for (const choice of [['--continue'], ['--resume', sessionId]]) {
      const second = await commandLine.run(['-p', 'Three', ...choice], { env });
      assert.deepEqual([second.code, second.stdout], [1, '']);
      assert.match(second.stderr, new RegExp(`is open in another program \\(process ${first.pid}\\).*--fork-session`));
    }
    const taken = await commandLine.run(['-p', 'Three', '--session-id', sessionId], { env });
    assert.match(taken.stderr, /exists already/);
    const copy = await commandLine.run(['-p', 'Three', '--continue', '--fork-session'], { env });
    assert.deepEqual([copy.code, copy.stdout], [0, 'In a copy.\n']);
    // Killed, it can't give the session back; it is free all the same.
    first.kill('SIGKILL');
    await finish(first);
    assert.deepEqual(await commandLine.run(['-p', 'Four', '--resume', sessionId], { env }).then(({ code, stdout }) => [code, stdout]), [0, 'Later.\n']);
    const last = server.requests.filter((request) => request.body.tools?.length).at(-1)?.raw ?? '';
    assert.deepEqual(['One', 'Two', 'Three', 'Four'].map((words) => last.includes(`"${words}"`)), [true, true, false, true]);
    server.assertClean();
  });

  it('loses nothing that it has shown when it is killed in mid-answer', async () => {
    const words = 'A long answer that comes slowly, word for word, and has no end.';
    server.push({ reply: message(words), deltaSize: 5, paceMs: 40, stallAfter: { events: 10 } }, { reply: message('I go on.') });
    const child = commandLine.start(['-p', 'Tell me', '--output-format', 'stream-json', '--include-partial-messages', '--session-id', sessionId], env);
    child.stdin.end();
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => (seen += String(chunk)));
    const shown = (): string => [...seen.matchAll(/"type":"text_delta","text":"([^"]*)"/g)].map((match) => match[1]).join('');
    const noted = (): string => (shown() === '' ? '' : commandLine.transcriptLines().map((line) => (line['type'] === 'partial' ? String(line['text'] ?? '') : '')).join(''));
    // Shown all that comes, and the last of it a moment ago.
    while (shown().length < 35 || noted().length < shown().length) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGKILL');
    await once(child, 'close');
    const again = await commandLine.run(['-p', 'Go on', '--continue', '--output-format', 'json'], { env });
    assert.match(again.stderr, /cut off/);
    const request = server.requests.filter(({ body }) => body.tools?.length).at(-1)?.body;
    assert.ok(JSON.stringify(request?.messages).includes(JSON.stringify({ type: 'text', text: words.slice(0, 35) }).slice(1, -2)), JSON.stringify(request?.messages));
    const result = JSON.parse(again.stdout) as { usage: { output_tokens: number }; modelUsage: { [model: string]: { outputTokens: number } } };
    // The answer that was cut off had told of one token when it began: that was paid for, too.
    assert.deepEqual(Object.values(result.modelUsage).map(({ outputTokens }) => outputTokens), [result.usage.output_tokens + 1]);
    server.assertClean();
  });

  it('ends at its next start what a killed one left running, and says so', async () => {
    const pidFile = join(commandLine.folder, 'pids');
    const command = `echo $$ >>${pidFile}; setsid sh -c 'echo $$ >>${pidFile}; sleep 1000' & sleep 1000; echo over`;
    server.push({ reply: message([toolUse('Bash', { command })]) }, { reply: message('I see.') });
    const child = commandLine.start(['-p', 'Run it', '--permission-mode', 'bypass', '--session-id', sessionId], env);
    child.stdin.end();
    const pids = (): number[] => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim().split('\n').map(Number) : []);
    while (pids().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.deepEqual(pids().map(lives), [true, true]);
    const again = await commandLine.run(['-p', 'Go on', '--continue'], { env });
    assert.deepEqual(pids().map(lives), [false, false]);
    assert.match(again.stderr, /still running after Turnstone had ended unexpectedly.*sleep 1000/);
    assert.match(server.requests.filter(({ body }) => body.tools?.length).at(-1)?.raw ?? '', /still running after Turnstone had ended/);
    const third = await commandLine.run(['-p', '/cost', '--continue'], { env });
    assert.equal(third.stderr.includes('still running'), false);
    server.assertClean();
  });

  it('answers without a key with the demo model', async () => {
    const { code, stdout, stderr } = await commandLine.run(['--demo', '-p', 'Hello, who are you?', '--output-format', 'json']);
    const result = JSON.parse(stdout) as { subtype: string; result: string; modelUsage: object };
    assert.deepEqual([code, stderr, result.subtype, Object.keys(result.modelUsage)], [0, '', 'success', ['turnstone-demo']]);
    assert.match(result.result, /demo/i);
  });

  it('answers with the demo model whatever other model is named, and says so', async () => {
    const { code, stdout, stderr } = await commandLine.run(['--demo', '--model', 'haiku', '-p', 'Hello', '--output-format', 'json']);
    const { modelUsage } = JSON.parse(stdout) as { modelUsage: object };
    assert.deepEqual([code, Object.keys(modelUsage)], [0, ['turnstone-demo']]);
    assert.equal(stderr, 'The demo model answers: with --demo there is no other one, so --model and --fallback-model are left aside.\n');
    assert.match((await commandLine.run(['--demo', '-p', '/model opus'])).stdout, /^The demo model is answering, and there is no other one without an API key/);
  });
});

const sessionId = '7a1b6f0c-8a52-4c4e-9d1b-0d8b8e1f2a3c';

function typesOf(lines: string): string[] {
  return lines.trim().split('\n').map((line) => (JSON.parse(line) as { type: string }).type);
}

/** A process that has ended and that nobody has taken note of is no living one. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^\d+ \(.*\) Z/.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '');
}

function fileWith(commandLine: CommandLine, content: string): string {
  const file = join(commandLine.folder, 'file.txt');
  writeFileSync(file, content);
  return file;
}

function editOf(file: string): ReturnType<typeof message> {
  return message([text('I change it.'), toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' })]);
}
