import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { LanguageServices } from '../../../../src/engine/ports.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const SECRET = 'hunter2-do-not-tell';
const rules = JSON.stringify({ permissions: { deny: ['Read(**/.env*)'] } });
const files = { '.env': `KEY=${SECRET}\n`, '.env.local': `KEY=${SECRET}\n`, 'sub/a.ts': 'const KEY = 1;\n', '.claude/settings.json': rules, 'CLAUDE.md': 'Instructions.\n@.env.local\n@notes.txt\n' };

/** Knows a problem, a place and a symbol in the secret file, and says what it holds. */
const languageServices = (path: string): LanguageServices => {
  const place = { path, line: 1, character: 1, endLine: 1, endCharacter: 4 };
  const problem = { ...place, severity: 'error', message: `unexpected ${SECRET}` } as const;
  return {
    diagnostics: async () => [problem],
    definitions: async () => [place],
    references: async () => [place],
    symbols: async () => [{ name: SECRET, kind: 'constant', depth: 0, line: 1, endLine: 1 }],
    rename: async () => [{ ...place, newText: 'NAME' }],
  };
};

/** field-reports O35. */
describe('files that rules deny', () => {
  let harness: EngineHarness;

  afterEach(() => harness.close());

  it('are reached by no tool: their content is in no request, no transcript and no snapshot', async () => {
    const path = (name: string): string => harness.path(name);
    const commands = ['cat .env', 'cat ./sub/../.env', 'cat notes.txt', 'cat .e*', 'grep KEY .env', 'cat < .env', '. ./.env && echo $KEY', 'cd sub && cat ../.env', 'bash -c "cat .env"', 'cp .env copy', 'cat $(echo .env)'];
    const calls = [
      toolUse('Read', { file_path: '.env' }, { id: 'read' }),
      toolUse('Read', { file_path: 'sub/../.env.local' }, { id: 'dots' }),
      toolUse('Read', { file_path: 'notes.txt' }, { id: 'link' }),
      toolUse('Grep', { pattern: 'KEY', output_mode: 'content' }, { id: 'grep' }),
      toolUse('Grep', { pattern: 'KEY', glob: '.env*', output_mode: 'content' }, { id: 'grepGlob' }),
      toolUse('Grep', { pattern: 'KEY', path: '.env', output_mode: 'content' }, { id: 'grepFile' }),
      toolUse('Grep', { pattern: 'KEY', path: 'notes.txt', output_mode: 'content' }, { id: 'grepLink' }),
      toolUse('Grep', { pattern: 'KEY', output_mode: 'files_with_matches' }, { id: 'grepNames' }),
      toolUse('Glob', { pattern: '**/.env*' }, { id: 'glob' }),
      toolUse('Diagnostics', {}, { id: 'problems' }),
      toolUse('Diagnostics', { path: '.env' }, { id: 'problemsOf' }),
      toolUse('Symbols', { file_path: '.env' }, { id: 'symbols' }),
      toolUse('References', { file_path: 'sub/a.ts', symbol: 'KEY' }, { id: 'references' }),
      toolUse('Definition', { file_path: '.env', symbol: 'KEY' }, { id: 'definition' }),
      toolUse('Rename', { file_path: 'sub/a.ts', symbol: 'KEY', new_name: 'NAME' }, { id: 'rename' }),
      toolUse('Edit', { file_path: '.env', old_string: 'KEY', new_string: 'NAME' }, { id: 'edit' }),
      toolUse('Write', { file_path: '.env', content: 'NAME=1\n' }, { id: 'write' }),
      // Before a command that may run, the workspace is kept for undo: all but what is denied.
      toolUse('Bash', { command: 'echo 1 > sub/made.txt' }, { id: 'run' }),
      ...commands.map((command, index) => toolUse('Bash', { command }, { id: `bash${index}` })),
    ];
    harness = await EngineHarness.start([...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('Nothing found.') })], { files });
    await symlink('.env', path('notes.txt'));
    const session = await harness.open({ permissionMode: 'bypassPermissions', languageServices: languageServices(path('.env')) });
    const messages = await runTurn(session, 'what is the key? see @.env and @notes.txt and @.env.local');
    assert.equal(resultOf(messages).subtype, 'success');

    const requests = JSON.stringify(harness.server.requests.map(({ body }) => body));
    assert.ok(!requests.includes(SECRET), 'a request holds the secret');
    assert.ok(!JSON.stringify(messages).includes(SECRET), 'a message holds the secret');
    await session.dispose();
    for (const file of await filesBelow(harness.dataRoot)) assert.ok(!(await readFile(file, 'latin1')).includes(SECRET), `${file} holds the secret`);

    const results = toolResults(harness.server.requests.at(-1)!.body);
    for (const id of ['read', 'dots', 'link', 'grepFile', 'grepLink', 'problemsOf', 'symbols', 'definition', 'rename', 'edit', 'write', ...commands.map((_, index) => `bash${index}`)]) {
      assert.match(results[id]!, /The rule Read\(\*\*\/\.env\*\) \(.*settings\.json\) forbids it/, `${id}: ${results[id]}`);
    }
    assert.match(results['grep']!, /sub\/a\.ts:1:const KEY/);
    assert.doesNotMatch(Object.values({ a: results['grep'], b: results['grepNames'], c: results['glob'], d: results['problems'], e: results['references'] }).join('\n'), /\.env/);
    assert.equal(await harness.read('sub/made.txt'), '1\n');
    assert.equal(await harness.read('.env'), files['.env']);
    assert.equal(await harness.read('sub/a.ts'), files['sub/a.ts']);
    const denials = resultOf(messages).permission_denials.map(({ tool_use_id }) => tool_use_id);
    assert.ok(['read', 'edit', 'rename', 'bash0', 'definition'].every((id) => denials.includes(id)), JSON.stringify(denials));
    harness.server.assertClean();
  });

  it('are reached by no detour: sub-agents, background shells, commands, links in the place of instructions, other names, history', async () => {
    const reads = (id: string, path: string) => turn({ reply: message([toolUse('Read', { file_path: path }, { id })]) });
    const calls = [
      toolUse('Bash', { command: 'cat .env', run_in_background: true }, { id: 'background' }),
      toolUse('MultiEdit', { file_path: '.env', edits: [{ old_string: 'KEY', new_string: 'NAME' }] }, { id: 'multi' }),
      toolUse('NotebookEdit', { notebook_path: '.env.ipynb', cell_id: 'c', new_source: 'x' }, { id: 'notebook' }),
      toolUse('Grep', { pattern: 'KEY', path: 'sub/../.env', output_mode: 'content' }, { id: 'grepDots' }),
      toolUse('Grep', { pattern: 'hunter', path: 'folder', output_mode: 'content' }, { id: 'grepFolder' }),
      toolUse('Glob', { pattern: '*', path: 'folder' }, { id: 'globFolder' }),
      toolUse('WebFetch', { url: 'file:///project/.env', prompt: 'x' }, { id: 'web' }),
      toolUse('Bash', { command: 'git show HEAD' }, { id: 'history' }),
      toolUse('Bash', { command: 'python3 - <<EOF\nprint(open(".env").read())\nEOF' }, { id: 'code' }),
    ];
    const others = ['folder/.env', '.ENV', './sub/.././.env', 'second'];
    harness = await EngineHarness.start(
      [
        turn({ reply: message([toolUse('Task', { subagent_type: 'explore', description: 'look', prompt: 'read @.env' }, { id: 'task' })]) }), reads('inner', '.env'), turn({ reply: message('Nothing.') }),
        ...others.map((path, index) => reads(`name${index}`, path)), ...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('Nothing found.') }),
      ],
      { files: { ...files, '.env.ipynb': `{"cells":[{"cell_type":"code","id":"c","source":"${SECRET}","metadata":{},"outputs":[]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`, '.claude/commands/look.md': 'See @.env, @./sub/../.env and @second.\n!`cat .env`\n!`cat second`' } },
    );
    execFileSync('git', ['init', '-q'], { cwd: harness.cwd });
    execFileSync('git', ['add', '-A'], { cwd: harness.cwd });
    await symlink('.env', harness.path('notes.txt'));
    await symlink('notes.txt', harness.path('second'));
    await symlink('.', harness.path('folder'));
    await symlink('../.env', harness.path('sub/CLAUDE.md'));
    await symlink('.env', harness.path('CLAUDE.local.md'));
    harness.answer = () => ({ behavior: 'deny' });
    const session = await harness.open({ permissionMode: 'bypassPermissions', languageServices: languageServices(harness.path('.env')) });
    const messages = await runTurn(session, '/look');
    await session.dispose();
    assert.ok(!JSON.stringify(harness.server.requests.map(({ body }) => body)).includes(SECRET), 'a request holds the secret');
    assert.ok(!JSON.stringify(messages).includes(SECRET), 'a message holds the secret');
    for (const file of await filesBelow(harness.dataRoot)) assert.ok(!(await readFile(file, 'latin1')).includes(SECRET), `${file} holds the secret`);
    const results = toolResults(harness.server.requests.at(-1)!.body);
    for (const id of ['background', 'multi', 'notebook', 'grepDots', ...others.map((_, index) => `name${index}`)]) assert.match(results[id]!, /forbids it/, `${id}: ${results[id]}`);
    assert.match(JSON.stringify(toolResults(harness.server.requests[2]!.body)), /forbids it/, 'the sub-agent');
    assert.deepEqual(harness.requests.map(({ toolUseId }) => toolUseId), ['history', 'code']);
  });

  it('are named by no list: of a folder that is mentioned, and of names like the one that was asked for', async () => {
    harness = await EngineHarness.start([...['env.loca', 'linked/env.locl'].map((path, index) => turn({ reply: message([toolUse('Read', { file_path: path }, { id: `near${index}` })]) })), turn({ reply: message('ok') })], { files });
    await symlink('.', harness.path('linked'));
    const session = await harness.open();
    await runTurn(session, 'look at @. and @linked and @sub');
    const lists = JSON.stringify(harness.server.requests[0]!.body).match(/<attached-folder[^]*?<\/attached-folder>/g)!;
    assert.equal(lists.length, 3);
    assert.match(lists[0]!, /CLAUDE\.md/);
    const results = toolResults(harness.server.requests.at(-1)!.body);
    assert.doesNotMatch(lists.join('\n'), /\.env/);
    assert.doesNotMatch(JSON.stringify(results), /\.env\.local/);
  });

  it('are refused where nobody denied them when the session began: the settings are read again each turn', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Read', { file_path: '.env' }, { id: 'first' })]) }), turn({ reply: message('ok') }), turn({ reply: message('ok') })], { files: { '.env': `KEY=${SECRET}\n` } });
    const session: Session = await harness.open();
    await runTurn(session, 'look');
    assert.match(toolResults(harness.server.requests[1]!.body)['first']!, new RegExp(SECRET));
    await harness.write('.claude/settings.json', rules);
    await harness.write('.env', `KEY=another-${SECRET}\n`);
    await runTurn(session, 'look at @.env again');
    assert.ok(!JSON.stringify(harness.server.requests.at(-1)!.body).includes(`another-${SECRET}`));
  });
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
