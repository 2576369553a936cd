import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from '../../../src/engine/transcript/transcriptPath.ts';
import { claudeAnswer, claudeLines, claudePrompt } from '../../support/claudeProject.ts';
import { S3Server } from '../../support/s3Server.ts';
import { startScriptedServer } from '../../support/scriptedServer.ts';
import type { ScriptedServer } from '../../support/scriptedServer.ts';
import { message } from '../../support/scriptedMessage.ts';
import { bundleCommandLine } from './commandLine.ts';
import type { CommandLine } from './commandLine.ts';

describe('the command line, with sessions that are kept elsewhere', function () {
  this.timeout(60_000);
  let bundle: Awaited<ReturnType<typeof bundleCommandLine>> | undefined;
  let commandLine: CommandLine;
  let server: ScriptedServer;
  let bucket: S3Server;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    bundle = await bundleCommandLine();
  });
  after(() => bundle?.dispose());
  beforeEach(async () => {
    commandLine = bundle!.open();
    server = await startScriptedServer([], { expectedKey: 'key-1' });
    bucket = await S3Server.start();
    const mirror = { TURNSTONE_MIRROR_URL: bucket.url, TURNSTONE_MIRROR_REGION: bucket.region, TURNSTONE_MIRROR_ACCESS_KEY_ID: bucket.accessKeyId, TURNSTONE_MIRROR_SECRET_ACCESS_KEY: bucket.secretAccessKey };
    env = { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: server.url, ...mirror };
  });
  afterEach(async () => {
    await server.close();
    await bucket.close();
    commandLine.dispose();
  });

  const sessionId = '12345678-0000-4000-8000-000000000001';

  it('mirrors a session before it ends, and goes on with one that only the mirror has', async () => {
    server.push({ reply: message('I will.') }, { reply: message('Heron.') });
    assert.deepEqual(await commandLine.run(['-p', 'Remember the word heron.', '--session-id', sessionId], { env }), { code: 0, stdout: 'I will.\n', stderr: '' });
    const elsewhere = join(commandLine.folder, '..', 'another home');
    const { stdout, stderr } = await commandLine.run(['-p', 'Which word?', '--resume', sessionId], { env: { ...env, TURNSTONE_HOME: elsewhere } });
    assert.deepEqual([stdout, stderr], ['Heron.\n', '']);
    assert.match(JSON.stringify(server.requests[1]!.body.messages[0]), /heron/);
    const [name] = readdirSync(join(elsewhere, 'projects'), { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.jsonl'));
    const parts = [...bucket.objects.keys()].filter((key) => key.endsWith('.jsonl')).sort();
    assert.equal(parts.map((key) => bucket.text(key)).join(''), readFileSync(join(elsewhere, 'projects', name!), 'utf8'));
    assert.deepEqual(bucket.complaints, []);
    server.assertClean();
  });

  it('answers as ever when the mirror fails, says so once, and the next command catches up', async () => {
    server.push({ reply: message('One.') }, { reply: message('Two.') });
    await bucket.close();
    const { code, stdout, stderr } = await commandLine.run(['-p', 'One', '--session-id', sessionId], { env });
    assert.deepEqual([code, stdout], [0, 'One.\n']);
    assert.match(stderr, /^The mirror of your sessions can’t be written: .*ECONNREFUSED.*\n$/);
    await bucket.listen();
    assert.equal((await commandLine.run(['-p', 'Two'], { env })).stderr, '');
    assert.ok([...bucket.objects.keys()].some((key) => key.includes(sessionId)));
    const wrong = await commandLine.run(['-p', 'Three'], { env: { ...env, TURNSTONE_MIRROR_URL: 'my-bucket' } });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /“my-bucket” is no address of a bucket/);
    server.assertClean();
  });

  it('goes on with a session of Claude Code in a copy, and only so', async () => {
    const root = join(commandLine.folder, '..', 'claude');
    const file = join(projectFolder(root, commandLine.folder), `${sessionId}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, claudeLines(commandLine.folder, [claudePrompt('Remember the word heron.'), claudeAnswer('m', { type: 'text', text: 'I will.' })]).map((line) => `${JSON.stringify(line)}\n`).join(''));
    const before = readFileSync(file, 'utf8');
    const claude = { ...env, CLAUDE_CONFIG_DIR: root, TURNSTONE_MIRROR_URL: '' };
    const refused = await commandLine.run(['-p', 'Which word?', '--resume', sessionId], { env: claude });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is a session of Claude Code, and its file is never written to\. Nothing was sent\..*--fork-session/);
    server.push({ reply: message('Heron.') });
    assert.deepEqual(await commandLine.run(['-p', 'Which word?', '--resume', sessionId, '--fork-session'], { env: claude }), { code: 0, stdout: 'Heron.\n', stderr: '' });
    assert.match(JSON.stringify(server.requests[0]!.body.messages[0]), /heron/);
    assert.deepEqual([readFileSync(file, 'utf8'), readdirSync(dirname(file))], [before, [`${sessionId}.jsonl`]]);
    server.assertClean();
  });
});
