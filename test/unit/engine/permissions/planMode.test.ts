import assert from 'node:assert/strict';
import * as z from 'zod';
import { runTools } from '../../../../src/engine/runTools.ts';
import type { ToolRunner } from '../../../../src/engine/toolCall.ts';
import { builtInTools } from '../../../../src/engine/tools/registry.ts';
import { defineTool } from '../../../../src/engine/tools/tool.ts';
import type { PermissionDecision } from '../../../../src/protocol/permissions.ts';
import { systemClock } from '../../../../src/base/abort.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const everything = JSON.stringify({ permissions: { allow: ['Bash', 'Edit', 'Edit(**)', 'Write', 'ExitPlanMode', 'mcp__files', 'Task'] } });
const notebook = JSON.stringify({ cells: [{ cell_type: 'code', id: 'c1', source: 'x = 1', metadata: {}, outputs: [], execution_count: null }], metadata: {}, nbformat: 4, nbformat_minor: 5 });

describe('plan mode', () => {
  let harness: EngineHarness;

  afterEach(() => harness?.close());

  it('refuses every tool that writes or runs something, whatever rules allow, and asks about the plan', async () => {
    const writing = {
      Write: { file_path: 'new.txt', content: 'x' },
      Edit: { file_path: 'a.txt', old_string: 'a', new_string: 'b' },
      MultiEdit: { file_path: 'a.txt', edits: [{ old_string: 'a', new_string: 'b' }] },
      NotebookEdit: { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'x = 2' },
      Bash: { command: 'echo 1 > new.txt' },
      Rename: { file_path: 'a.txt', symbol: 'a', new_name: 'b' },
    };
    // A tool that is added later has to be looked at here.
    assert.deepEqual(builtInTools.filter(({ access }) => access === 'edit' || access === 'execute').map(({ name }) => name).sort(), Object.keys(writing).sort());
    const calls = [
      ...['a.txt', 'n.ipynb'].map((path) => toolUse('Read', { file_path: path })),
      ...Object.entries(writing).map(([name, input]) => toolUse(name, input, { id: name })),
      toolUse('Bash', { command: 'touch new.txt', run_in_background: true }, { id: 'background' }),
      toolUse('Bash', { command: 'ls' }, { id: 'ls' }),
      toolUse('ExitPlanMode', { plan: 'Change a.txt.' }, { id: 'plan' }),
    ];
    harness = await EngineHarness.start([...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('ok') })], { files: { 'a.txt': 'a\n', 'n.ipynb': notebook, '.claude/settings.json': everything } });
    harness.answer = () => ({ behavior: 'deny' });
    const place = { path: harness.path('a.txt'), line: 1, character: 1, endLine: 1, endCharacter: 2 };
    const nothing = async () => [];
    const languageServices = { diagnostics: nothing, definitions: nothing, references: nothing, symbols: nothing, rename: async () => [{ ...place, newText: 'b' }] };
    const messages = await runTurn(await harness.open({ permissionMode: 'plan', languageServices }), 'go');
    const results = toolResults(harness.server.requests.at(-1)!.body);
    const refused = [...Object.keys(writing), 'background', 'ls'];
    assert.deepEqual(refused.filter((id) => !results[id]!.startsWith('Plan mode: nothing is run and nothing is changed')).map((id) => results[id]), []);
    assert.deepEqual(harness.requests.map(({ toolName }) => toolName), ['ExitPlanMode']);
    assert.deepEqual(resultOf(messages).permission_denials.map(({ tool_use_id }) => tool_use_id), [...refused, 'plan']);
    assert.equal(await harness.read('a.txt'), 'a\n');
    await assert.rejects(harness.read('new.txt'));
  });

  it('holds for sub-agents too, and for a mode that is chosen while they work', async () => {
    const write = (id: string) => turn({ reply: message([toolUse('Write', { file_path: `${id}.txt`, content: 'x' }, { id })]) });
    const task = toolUse('Task', { subagent_type: 'general-purpose', description: 'work', prompt: 'write a file' }, { id: 'task' });
    harness = await EngineHarness.start([turn({ reply: message([task]) }), write('one'), write('two'), turn({ reply: message('done') }), turn({ reply: message('ok') })]);
    const session = await harness.open();
    harness.answer = () => {
      session.setPermissionMode('plan');
      return { behavior: 'allow' };
    };
    const messages = await runTurn(session, 'go');
    assert.equal(await harness.read('one.txt'), 'x');
    await assert.rejects(harness.read('two.txt'));
    assert.deepEqual(resultOf(messages).permission_denials.map(({ tool_use_id }) => tool_use_id), ['two']);
  });

  it('holds for tools that come from elsewhere', async () => {
    let ran = 0;
    const foreign = defineTool({
      name: 'mcp__files__write',
      description: 'Writes.',
      input: () => z.object({}),
      access: 'execute',
      concurrencySafe: false,
      plan: async () => ({ title: 'write', paths: [], state: undefined }),
      async *run() {
        ran += 1;
        return { content: 'written' };
      },
    });
    const decisions: PermissionDecision[] = [];
    const runner = {
      sessionId: 's', tools: [foreign], context: { cwd: '/w', roots: ['/w'], files: { realpath: async (path: string) => path } }, permissionMode: () => 'plan', permissionFacts: { dataRoot: '/data', trusted: true },
      canUseTool: async () => ({ behavior: 'allow' }), clock: systemClock, log: silentLog, signal: new AbortController().signal, onDecision: (_call: unknown, decision: PermissionDecision) => decisions.push(decision), onRemembered() {}, onDenied() {}, onDuration() {},
    } as unknown as ToolRunner;
    const told = [];
    for await (const each of runTools([{ type: 'tool_use', id: 'm', name: foreign.name, input: {} }], new Map(), runner)) told.push(each);
    assert.equal(ran, 0);
    assert.match(JSON.stringify(told), /Plan mode/);
    assert.deepEqual(decisions.map(({ behavior, by }) => [behavior, by]), [['deny', 'mode']]);
  });
});
