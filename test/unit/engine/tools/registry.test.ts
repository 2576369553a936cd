import assert from 'node:assert/strict';
import { describeTool } from '../../../../src/engine/tools/describeTool.ts';
import { builtInTools, toolsFor } from '../../../../src/engine/tools/registry.ts';
import { openToolBench } from './toolBench.ts';

describe('builtInTools', () => {
  it('have the names and fields that people and rules know', () => {
    const fields = builtInTools.map((tool) => [tool.name, tool.access, Object.keys(tool.inputJsonSchema['properties'] as object).join(' ')]);
    assert.deepEqual(fields, [
      ['Read', 'read', 'file_path offset limit'],
      ['Edit', 'edit', 'file_path old_string new_string replace_all'],
      ['MultiEdit', 'edit', 'file_path edits'],
      ['Write', 'edit', 'file_path content'],
      ['NotebookEdit', 'edit', 'notebook_path cell_id new_source cell_type edit_mode'],
      ['Glob', 'read', 'pattern path'],
      ['Grep', 'read', 'pattern path glob type output_mode -i -n -A -B -C multiline head_limit'],
      ['Bash', 'execute', 'command description timeout run_in_background'],
      ['BashOutput', 'own', 'bash_id filter'],
      ['KillShell', 'own', 'shell_id'],
      ['Task', 'own', 'description prompt subagent_type'],
      ['TodoWrite', 'own', 'todos'],
      ['ExitPlanMode', 'consent', 'plan'],
      ['AskUser', 'own', 'questions'],
      ['Diagnostics', 'read', 'path'],
      ['Definition', 'read', 'file_path line symbol character'],
      ['References', 'read', 'file_path line symbol character'],
      ['Symbols', 'read', 'file_path'],
      ['Rename', 'edit', 'file_path line symbol character new_name'],
      ['WebFetch', 'consent', 'url prompt'],
    ]);
  });

  it('leave out those whose port is not there, and keep their order', () => {
    const names = (available: Parameters<typeof toolsFor>[0]): string[] => toolsFor(available).map((tool) => tool.name);
    assert.deepEqual(names({}), builtInTools.filter((tool) => tool.needs === undefined).map((tool) => tool.name));
    assert.ok(names({ askUser: async () => undefined }).includes('AskUser'));
  });

  it('describe every field', () => {
    for (const tool of builtInTools) {
      for (const [field, schema] of Object.entries(tool.inputJsonSchema['properties'] as { [name: string]: { description?: string } })) {
        assert.ok(schema.description, `${tool.name}.${field}`);
      }
    }
  });

  it('keep the list of steps', async () => {
    const bench = await openToolBench();
    const todos = [{ content: 'Run the tests', status: 'completed', activeForm: 'Running the tests' }, { content: 'Ship', status: 'pending', activeForm: 'Shipping' }];
    assert.equal(await bench.say('TodoWrite', { todos }), 'The list is kept: 2 steps, 1 open.');
    assert.deepEqual(bench.todos, todos);
    await bench.dispose();
  });
});

describe('describeTool', () => {
  it('names what a call is about in one line', () => {
    assert.deepEqual(describeTool('Edit', { file_path: 'src/a.ts', old_string: 'x' }), { title: 'src/a.ts', path: 'src/a.ts' });
    assert.deepEqual(describeTool('MultiEdit', { file_path: 'src/a.ts', edits: [] }), { title: 'src/a.ts', path: 'src/a.ts' });
    assert.deepEqual(describeTool('NotebookEdit', { notebook_path: 'a.ipynb' }), { title: 'a.ipynb', path: 'a.ipynb' });
    assert.deepEqual(describeTool('Bash', { command: 'npm test\nls' }), { title: 'npm test …' });
    assert.deepEqual(describeTool('Grep', { pattern: 'total', path: 'src' }), { title: 'total in src' });
    assert.deepEqual(describeTool('Task', { description: 'Find the parser', prompt: 'x' }), { title: 'Find the parser' });
    assert.deepEqual(describeTool('KillShell', { shell_id: 'bash_1' }), { title: 'bash_1' });
    assert.deepEqual(describeTool('ExitPlanMode', { plan: '# Rename it\n\n1. x' }), { title: 'Rename it …' });
    assert.deepEqual(describeTool('AskUser', { questions: [{ question: 'Which one?' }] }), { title: 'Which one?' });
    assert.deepEqual(describeTool('Symbols', { file_path: 'a.ts' }), { title: 'a.ts', path: 'a.ts' });
    assert.deepEqual(describeTool('References', { file_path: 'a.ts', symbol: 'total' }), { title: 'total in a.ts' });
    assert.deepEqual(describeTool('Rename', { file_path: 'a.ts', symbol: 'total', new_name: 'sum' }), { title: 'total → sum in a.ts' });
    assert.deepEqual(describeTool('TodoWrite', { todos: [1, 2] }), { title: '2 steps' });
  });

  it('bears input that is not complete or not right', () => {
    for (const input of [undefined, null, {}, { file_path: 3 }, { command: [] }, 'text']) {
      for (const name of ['Read', 'MultiEdit', 'NotebookEdit', 'Bash', 'BashOutput', 'Grep', 'TodoWrite', 'ExitPlanMode', 'AskUser', 'Diagnostics', 'Definition', 'Rename', 'Unknown']) assert.deepEqual(describeTool(name, input), { title: name });
    }
  });
});
