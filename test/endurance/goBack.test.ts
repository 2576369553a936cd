import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { message, text, toolUse } from '../support/scriptedMessage.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';
import { bundleCommandLine } from '../unit/cli/commandLine.ts';
import type { CommandLine } from '../unit/cli/commandLine.ts';

const title: ScriptedTurn = { when: (request) => (request.tools ?? []).length === 0, reply: message('A title'), times: Number.POSITIVE_INFINITY };

describe('going back on the command line', function () {
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

  it('puts files back to a message, unless somebody changed them since', async () => {
    const file = fileWith(commandLine, 'one\n');
    server.push({ reply: message([toolUse('Read', { file_path: file })]) }, { reply: editOf(file) }, { reply: message('Done.') });
    await commandLine.run(['-p', 'Go', '--permission-mode', 'accept-edits', '--session-id', sessionId], { env });
    assert.equal(readFileSync(file, 'utf8'), 'two\n');
    const messageId = String(commandLine.transcriptLines().find((line) => line['type'] === 'user')?.['uuid']);
    const goBack = (...more: string[]) => commandLine.run(['--resume', sessionId, '--rewind-files', messageId, ...more]);

    writeFileSync(file, 'mine\n');
    const refused = await goBack();
    assert.deepEqual([refused.code, refused.stdout, readFileSync(file, 'utf8')], [1, '', 'mine\n']);
    assert.match(refused.stderr, /Nothing was changed.*\n {2}file\.txt \(1 conflict\)\n.*--skip.*--overwrite/);

    const planned = await goBack('--dry-run');
    assert.deepEqual([planned.code, planned.stdout, readFileSync(file, 'utf8')], [0, 'would restore file.txt (changed since: needs --overwrite or --skip)\n', 'mine\n']);

    assert.deepEqual(await goBack('--overwrite'), { code: 0, stdout: `restored file.txt\nTo take this back: ${commandLine.command} --resume ${sessionId} --undo-rewind\n`, stderr: '' });
    assert.equal(readFileSync(file, 'utf8'), 'one\n');

    const undone = await commandLine.run(['--resume', sessionId, '--undo-rewind', '--output-format', 'json']);
    assert.deepEqual([undone.code, undone.stderr, readFileSync(file, 'utf8')], [0, '', 'mine\n']);
    assert.deepEqual((JSON.parse(undone.stdout) as { restored: readonly string[] }).restored, [file]);

    const unknown = await commandLine.run(['--resume', sessionId, '--rewind-files', 'no-such-message']);
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert.match(unknown.stderr, new RegExp(`no user message no-such-message.*\\n.*${messageId} {2}Go`));
  });

  it('takes a rewind back once, makes it again when asked to, and then asks again about what the user changed', async () => {
    const file = fileWith(commandLine, 'one\nmiddle\nlast\n');
    const edit = toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' });
    server.push({ reply: message([toolUse('Read', { file_path: file })]) }, { reply: message([edit]) }, { reply: message('Done.') });
    await commandLine.run(['-p', 'Go', '--permission-mode', 'accept-edits', '--session-id', sessionId], { env });
    const messageId = String(commandLine.transcriptLines().find((line) => line['type'] === 'user')?.['uuid']);
    const go = (...args: string[]) => commandLine.run(['--resume', sessionId, ...args]);
    const held = (): string => readFileSync(file, 'utf8');
    writeFileSync(file, 'two\nmiddle\nlast\nmine\n');
    assert.equal((await go('--rewind-files', messageId, '--overwrite')).code, 0);
    assert.equal(held(), 'one\nmiddle\nlast\n');

    assert.deepEqual(await go('--undo-rewind'), { code: 0, stdout: `restored file.txt\nTo make it again: ${commandLine.command} --resume ${sessionId} --redo\n`, stderr: '' });
    assert.equal(held(), 'two\nmiddle\nlast\nmine\n');
    const twice = await go('--undo-rewind');
    assert.deepEqual([twice.code, twice.stdout, held()], [1, '', 'two\nmiddle\nlast\nmine\n']);
    assert.match(twice.stderr, /^Nothing was changed: there is no rewind to take back\. The last one was taken back already; --redo makes it again\.\n$/);

    const refused = await go('--redo');
    assert.deepEqual([refused.code, refused.stdout, held()], [1, '', 'two\nmiddle\nlast\nmine\n']);
    assert.match(refused.stderr, /^Nothing was changed.*\n {2}file\.txt\nAdd --merge .* --skip .*--overwrite/);
    assert.equal((await go('--redo', '--merge', '--dry-run')).stdout, 'would merge file.txt (changed since)\n');
    assert.match((await go('--redo', '--merge')).stdout, /^merged file\.txt\nTo take this back: .* --undo-rewind\n$/);
    assert.equal(held(), 'one\nmiddle\nlast\nmine\n');
    const nothing = await go('--redo');
    assert.match(nothing.stderr, /^Nothing was changed: there is no rewind to make again/);
    await go('--undo-rewind');
    assert.match((await go('--redo', '--skip')).stdout, /^left as it is: file\.txt\n/);
    assert.equal(held(), 'two\nmiddle\nlast\nmine\n');
  });

  it('says what no rewind brings back before it goes back, and what there is nothing of to take back', async () => {
    const file = fileWith(commandLine, 'one\n');
    server.push({ reply: message([toolUse('Bash', { command: 'echo two > file.txt; curl --version' })]) }, { reply: message('Done.') });
    await commandLine.run(['-p', 'Go', '--permission-mode', 'bypass', '--session-id', sessionId], { env });
    const nothing = await commandLine.run(['--continue', '--undo-rewind']);
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /^Nothing was changed: there is no rewind to take back/);
    const messageId = String(commandLine.transcriptLines().find((line) => line['type'] === 'user')?.['uuid']);
    const { stdout } = await commandLine.run(['--continue', '--rewind', messageId]);
    assert.match(stdout, /^(?:not covered: .*\n)*(?:restored|No file)/);
    assert.equal(readFileSync(file, 'utf8'), 'one\n');
  });

  it('says of a command that ran for a while that its changes may be the user’s own', async () => {
    const file = fileWith(commandLine, 'one\n');
    server.push({ reply: message([toolUse('Bash', { command: 'sleep 1.1; echo two > file.txt' })]) }, { reply: message('Done.') });
    await commandLine.run(['-p', 'Go', '--permission-mode', 'bypass', '--session-id', sessionId], { env });
    const messageId = String(commandLine.transcriptLines().find((line) => line['type'] === 'user')?.['uuid']);
    const { stdout } = await commandLine.run(['--continue', '--rewind-files', messageId, '--dry-run']);
    assert.match(stdout, /^may also hold changes of yours: file\.txt \(the command `sleep 1\.1; echo two > file\.txt` ran 1\.\d s\)\nwould restore file\.txt\n$/);
    assert.equal(readFileSync(file, 'utf8'), 'two\n');
  });
});

const sessionId = '7a1b6f0c-8a52-4c4e-9d1b-0d8b8e1f2a3c';

function fileWith(commandLine: CommandLine, content: string): string {
  const file = join(commandLine.folder, 'file.txt');
  writeFileSync(file, content);
  return file;
}

function editOf(file: string): ReturnType<typeof message> {
  return message([text('I change it.'), toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' })]);
}
