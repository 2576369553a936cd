import assert from 'node:assert/strict';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
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

  it('tells of rules and files that have no effect', async () => {
    const messages = await run('pwd', { '.claude/settings.json': settings({ deny: ['Read(.env'] }), '.claude/settings.local.json': '{ not json', '../data/settings.json': settings({ deny: 'Bash(pwd)' }) });
    const notices = messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : [])).join('\n');
    assert.match(notices, /"Read\(\.env" is no rule.*Nothing is denied by it/);
    assert.match(notices, /settings\.local\.json is not valid JSON/);
    assert.match(notices, /are not lists of texts/);
    // A single text in place of a list is understood all the same.
    assert.match(toolResults(harness.server.requests[1]!.body)['c0']!, /forbids it/);
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

  it('adds rules on every level, and refuses what is no rule or would harm the file', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Bash', { command: 'echo 1' })]) }), turn({ reply: message('ok') })], { files: { '.claude/settings.local.json': '{ not json' } });
    const session = await harness.open();
    await session.addPermissionRule('Bash(echo:*)', 'session');
    await session.addPermissionRule('Edit(/src/**)', 'project');
    await session.addPermissionRule('Read(~/docs/**)', 'user');
    await assert.rejects(session.addPermissionRule('Bash(ls', 'session'), /was not saved.*is no rule/);
    await assert.rejects(session.addPermissionRule('Bash(ls:*)', 'local'), /not valid JSON.*left as it is/);
    assert.equal(await harness.read('.claude/settings.local.json'), '{ not json');
    assert.equal(await harness.read('.claude/settings.json'), '{\n  "permissions": {\n    "allow": [\n      "Edit(/src/**)"\n    ]\n  }\n}\n');
    assert.deepEqual(JSON.parse(await harness.read('../data/settings.json')), { permissions: { allow: ['Read(~/docs/**)'] } });
    await runTurn(session, 'go');
    assert.deepEqual(harness.requests, []);
  });
});
