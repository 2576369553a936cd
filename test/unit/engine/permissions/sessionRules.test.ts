import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import { forkSession } from '../../../../src/sdk/index.ts';
import type { EngineOptions } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const settings = (permissions: unknown): string => JSON.stringify({ permissions });

describe('permission rules in a session', () => {
  let harness: EngineHarness;

  afterEach(() => harness.close());

  async function run(command: string | readonly string[], files: Readonly<Record<string, string>>, options: Partial<EngineOptions> = {}): Promise<SDKMessage[]> {
    const calls = [command].flat().map((each, index) => toolUse('Bash', { command: each }, { id: `c${index}` }));
    harness = await EngineHarness.start([...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('ok') })], { files });
    return runTurn(await harness.open(options), 'go');
  }

  it('runs without asking what is allowed by the project, its local settings, the user or the host', async () => {
    await run(['echo 1', 'printf 2', 'true', 'false', 'pwd'], { '.claude/settings.json': settings({ allow: ['Bash(echo:*)'] }), '.claude/settings.local.json': settings({ allow: ['Bash(printf 2)'] }), '../data/settings.json': settings({ allow: ['Bash(true)'] }) }, { permissionRules: { allow: ['Bash(false)'] } });
    assert.deepEqual(harness.requests.map(({ input }) => input['command']), ['pwd']);
    assert.match(toolResults(harness.server.requests.at(-1)!.body)['c0']!, /^1/);
  });

  it('takes rules that allow from no project that is not trusted, and those that deny from any', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('WebFetch', { url: 'http://127.0.0.1:9/' }, { id: 'web' }), toolUse('Read', { file_path: 'a.txt' }, { id: 'read' })]) }), turn({ reply: message('ok') })], {
      files: { 'a.txt': 'text', '.claude/settings.json': settings({ allow: ['WebFetch'], deny: ['Read(a.txt)'] }) },
    });
    await runTurn(await harness.open({ trusted: false }), 'go');
    assert.deepEqual(harness.requests.map(({ toolName }) => toolName), ['WebFetch']);
    assert.match(toolResults(harness.server.requests[1]!.body)['read']!, /forbids it/);
  });

  it('lets deny go before allow in every mode, and says which rule it was', async () => {
    const messages = await run('echo 1', { '.claude/settings.json': settings({ allow: ['Bash(echo:*)', 'Bash'] }), '.claude/settings.local.json': settings({ deny: ['Bash(echo:*)'] }) }, { permissionMode: 'bypassPermissions' });
    assert.match(toolResults(harness.server.requests[1]!.body)['c0']!, /Bash\(echo:\*\) \(.*settings\.local\.json\) forbids it/);
    assert.deepEqual(resultOf(messages).permission_denials.map(({ tool_name }) => tool_name), ['Bash']);
    assert.deepEqual(harness.requests, []);
  });

  it('asks what a rule asks about, also where all else goes through', async () => {
    await run(['echo 1', 'echo 2'], { '.claude/settings.json': settings({ allow: ['Bash(echo:*)'], ask: ['Bash(echo 2)'] }) }, { permissionMode: 'bypassPermissions' });
    assert.deepEqual(harness.requests.map(({ input, reason }) => [input['command'], /Bash\(echo 2\).*asks about it/.test(reason ?? '')]), [['echo 2', true]]);
  });

  it('lets rules allow nothing in plan mode, nothing protected and nothing outside', async () => {
    const allow = settings({ allow: ['Bash', 'Edit', 'Edit(//**)'] });
    await run('echo 1', { '.claude/settings.json': allow }, { permissionMode: 'plan' });
    assert.match(toolResults(harness.server.requests[1]!.body)['c0']!, /Plan mode/);
    await harness.close();
    const writes = ['.vscode/tasks.json', '../outside.txt', 'inside.txt'].map((file, index) => toolUse('Write', { file_path: file, content: 'x' }, { id: `w${index}` }));
    harness = await EngineHarness.start([...writes.map((call) => turn({ reply: message([call]) })), turn({ reply: message('ok') })], { files: { '.claude/settings.json': allow } });
    harness.answer = () => ({ behavior: 'deny' });
    await runTurn(await harness.open(), 'go');
    assert.deepEqual(harness.requests.map(({ input }) => input['file_path']), ['.vscode/tasks.json', '../outside.txt']);
    assert.equal(await harness.read('inside.txt'), 'x');
  });

  it('counts a redirection as an edit of that file', async () => {
    const allow = settings({ allow: ['Bash(echo:*)', 'Edit(out/**)'] });
    harness = await EngineHarness.start([...['echo 1 > a.txt', 'echo 1 > out/a.txt', 'echo 1 > .vscode/a', 'echo 1 > ../a'].map((command) => turn({ reply: message([toolUse('Bash', { command })]) })), turn({ reply: message('ok') })], { files: { '.claude/settings.json': allow, 'out/x': '' } });
    harness.answer = () => ({ behavior: 'deny' });
    await runTurn(await harness.open(), 'go');
    assert.deepEqual(harness.requests.map(({ input }) => input['command']), ['echo 1 > a.txt', 'echo 1 > .vscode/a', 'echo 1 > ../a']);
    assert.equal(await harness.read('out/a.txt'), '1\n');
  });

  it('tells of entries that have no effect by file and place, and the others count', async () => {
    const messages = await run(['pwd', 'true', 'false'], { '.claude/settings.json': settings({ deny: ['Bash(true)', 'Read(.env', 7] }), '../data/settings.json': settings({ deny: 'Bash(pwd)' }) });
    const told = notices(messages);
    assert.match(told, /\.claude\/settings\.json, permissions\.deny, entry 2: this rule has no effect\. "Read\(\.env" is no rule.*Nothing is denied by it/);
    assert.match(told, /\.claude\/settings\.json: permissions\.deny, entry 3 is not a text and has no effect/);
    const results = toolResults(harness.server.requests.at(-1)!.body);
    // A single text in place of a list is understood all the same.
    assert.match(results['c0']!, /forbids it/);
    assert.match(results['c1']!, /forbids it/);
    assert.deepEqual(harness.requests.map(({ input }) => input['command']), ['false']);
  });

  describe('a settings file that cannot be read', () => {
    const broken: readonly (readonly [string, string])[] = [
      ['a comma too many', '{ "permissions": { "deny": ["Read(./.env)", "Bash(true)",], "allow": ["Bash(echo:*)"] } }'],
      ['a comment', '{ // mine\n "permissions": { "deny": ["Read(./.env)", "Bash(true)"] } }'],
      ['the marks of a merge', '{ "permissions": { "deny": [\n<<<<<<< HEAD\n"Read(./.env)",\n=======\n"Bash(true)"\n>>>>>>> x\n] } }'],
      ['an end that is missing', '{ "permissions": { "deny": ["Read(./.env)", "Bash(true)"'],
    ];
    for (const [what, text] of broken) {
      it(`forbids all the same what can be made out, and has everything asked about: ${what}`, async () => {
        const messages = await run(['true', 'echo 1'], { '.claude/settings.json': text, '../data/settings.json': settings({ allow: ['Bash(echo:*)'] }), '.env': 'KEY=1' }, { permissionMode: 'bypassPermissions' });
        assert.match(notices(messages), /settings\.json is not valid JSON.*everything is asked about until that is repaired/);
        assert.match(toolResults(harness.server.requests.at(-1)!.body)['c0']!, /forbids it/);
        assert.deepEqual(harness.requests.map(({ input, reason, suggestedRule }) => [input['command'], /is not valid JSON/.test(reason ?? ''), suggestedRule]), [['echo 1', true, undefined]]);
      });
    }

    it('is asked about as well where nothing can be made out, reading too, and keeps what it forbade before', async () => {
      const read = (id: string, path: string) => turn({ reply: message([toolUse('Read', { file_path: path }, { id })]) });
      harness = await EngineHarness.start([turn({ reply: message('ok') }), read('secret', '.env'), read('plain', 'a.txt'), turn({ reply: message('ok') })], { files: { 'a.txt': 'text', '.env': 'KEY=1', '.claude/settings.json': settings({ deny: ['Read(./.env)'] }) } });
      const session = await harness.open();
      await runTurn(session, 'hello');
      await rm(harness.path('.claude/settings.json'));
      await mkdir(harness.path('.claude/settings.json'));
      const messages = await runTurn(session, 'go');
      assert.match(notices(messages), /settings\.json could not be read \(.*everything is asked about/);
      assert.match(toolResults(harness.server.requests.at(-1)!.body)['secret']!, /forbids it/);
      assert.deepEqual(harness.requests.map(({ input }) => input['file_path']), ['a.txt']);
    });
  });

  it('proposes a rule, keeps it where the answer says, with everything else in the file, and does not ask again', async () => {
    const before = '{\n    "model": "opus",\n    "permissions": {\n        "deny": [],\n        "allow": ["Read(x)"]\n    }\n}\n';
    harness = await EngineHarness.start([...[1, 2].map((n) => turn({ reply: message([toolUse('Bash', { command: `git status -s -- ${n}` })]) })), turn({ reply: message('ok') })], { files: { '.claude/settings.local.json': before } });
    harness.answer = ({ suggestedRule }) => ({ behavior: 'allow', rememberRule: { rule: suggestedRule!, level: 'local' } });
    await runTurn(await harness.open(), 'go');
    assert.deepEqual(harness.requests.map(({ suggestedRule }) => suggestedRule), ['Bash(git status:*)']);
    const after = await harness.read('.claude/settings.local.json');
    assert.deepEqual(JSON.parse(after), { model: 'opus', permissions: { deny: [], allow: ['Read(x)', 'Bash(git status:*)'] } });
    assert.match(after, /^\{\n {4}"model": "opus",\n/);
  });

  it('adds rules on every level', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Bash', { command: 'echo 1' })]) }), turn({ reply: message('ok') })]);
    const session = await harness.open();
    await session.addPermissionRule('Bash(echo:*)', 'session');
    await session.addPermissionRule('Edit(/src/**)', 'project');
    await session.addPermissionRule('Bash(ls:*)', 'local');
    await session.addPermissionRule('Read(~/docs/**)', 'user');
    await assert.rejects(session.addPermissionRule('Bash(ls', 'session'), /was not saved.*is no rule/);
    assert.equal(await harness.read('.claude/settings.json'), '{\n  "permissions": {\n    "allow": [\n      "Edit(/src/**)"\n    ]\n  }\n}\n');
    assert.deepEqual(JSON.parse(await harness.read('.claude/settings.local.json')), { permissions: { allow: ['Bash(ls:*)'] } });
    assert.deepEqual(JSON.parse(await harness.read('../data/settings.json')), { permissions: { allow: ['Read(~/docs/**)'] } });
    await runTurn(session, 'go');
    assert.deepEqual(harness.requests, []);
  });

  it('refuses to add a rule to a file that it would harm, tells so at once, and the answer stands', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Bash', { command: 'echo 1' }, { id: 'c' })]) }), turn({ reply: message('ok') })], { files: { '.claude/settings.local.json': '{ not json' } });
    const session = await harness.open();
    await assert.rejects(session.addPermissionRule('Bash(ls:*)', 'local'), /not valid JSON.*left as it is/);
    harness.answer = () => ({ behavior: 'allow', rememberRule: { rule: 'Bash(echo:*)', level: 'local' } });
    const messages = await runTurn(session, 'go');
    assert.match(notices(messages), /Bash\(echo:\*\) was not saved.*left as it is/);
    assert.match(toolResults(harness.server.requests[1]!.body)['c']!, /^1/);
    assert.equal(await harness.read('.claude/settings.local.json'), '{ not json');
  });

  it('keeps rules of the session when it is resumed and when it is forked, and in no other one', async () => {
    const call = () => turn({ reply: message([toolUse('Bash', { command: 'echo 1' })]) });
    const ok = () => turn({ reply: message('ok') });
    harness = await EngineHarness.start([call(), ok(), call(), ok(), call(), ok(), call(), ok()]);
    const first = await harness.open();
    harness.answer = () => ({ behavior: 'allow', rememberRule: { rule: 'Bash(echo:*)', level: 'session' } });
    await runTurn(first, 'go');
    assert.equal(harness.requests.length, 1);
    await first.dispose();
    const resumed = await harness.open({ resume: first.sessionId });
    await runTurn(resumed, 'again');
    await resumed.dispose();
    const { sessionId } = await forkSession({ session: first.sessionId, dataRoot: harness.dataRoot });
    await runTurn(await harness.open({ resume: sessionId }), 'again');
    assert.equal(harness.requests.length, 1);
    harness.answer = () => ({ behavior: 'deny' });
    await runTurn(await harness.open(), 'again');
    assert.equal(harness.requests.length, 2);
  });

  it('says what a rule would do before it is kept', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Bash', { command: 'npm test -- --watch' })]) }), turn({ reply: message('ok') })], { files: { '.claude/settings.json': settings({ deny: ['Bash(rm:*)'] }) } });
    const session = await harness.open();
    harness.answer = () => ({ behavior: 'deny' });
    await runTurn(session, 'go');
    const [request] = harness.requests;
    const check = (rule: string) => session.checkPermissionRule(rule, request!);
    assert.deepEqual(await check('Bash(npm test:*)'), { covers: 'npm test by itself and with any arguments, but no other command beside it.', fits: true });
    assert.deepEqual(await check('Bash(npm run:*)'), { covers: 'npm run by itself and with any arguments, but no other command beside it.', fits: false });
    assert.equal((await check('Bash')).covers, 'Every command, whatever it does.');
    assert.match((await check('Bash(npm')).problem ?? '', /is no rule/);
    assert.equal((await session.checkPermissionRule('Bash', { toolName: 'Bash', input: { command: 'rm x' } })).fits, false);
    const path = harness.path('src/a.ts');
    assert.deepEqual(await session.checkPermissionRule('Edit(/src/**)', { toolName: 'Write', input: {}, paths: [path] }), { covers: `Every edit of src/** in ${harness.cwd}.`, fits: true });
    assert.equal((await session.checkPermissionRule('Edit(//**)', { toolName: 'Write', input: {}, paths: [harness.path('.git/config')] })).fits, false);
  });
});

function notices(messages: readonly SDKMessage[]): string {
  return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : [])).join('\n');
}
