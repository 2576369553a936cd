import assert from 'node:assert/strict';
import type { ToolItem, ToolStatus } from '../../../../src/protocol/chatView.ts';
import { toolLook, unfoldedByDefault } from '../../../../webview-ui/components/toolPresentation.ts';

const item: ToolItem = { kind: 'tool', id: 't', tool: 'Read', title: 'a.ts', status: 'done', output: 'x' };

describe('unfoldedByDefault', () => {
  it('shows changes, commands and failures; not what was only read, nor what is under review', () => {
    const cases: readonly [Partial<ToolItem>, boolean][] = [
      [{}, false],
      [{ status: 'failed' }, true],
      [{ tool: 'Bash', status: 'running' }, true],
      [{ tool: 'Edit', diff: '@@' }, true],
      [{ tool: 'Edit', diff: '@@', status: 'waiting' }, false],
      [{ tool: 'Bash', status: 'pending' }, false],
    ];
    for (const [changes, expected] of cases) assert.equal(unfoldedByDefault({ ...item, ...changes }, false), expected, JSON.stringify(changes));
    const statuses: readonly ToolStatus[] = ['pending', 'waiting', 'running', 'done', 'failed', 'rejected', 'refused', 'interrupted'];
    assert.ok(statuses.every((status) => !unfoldedByDefault({ ...item, diff: '@@', status }, true)));
  });
});

describe('toolLook', () => {
  it('calls an unknown tool by its name, whatever the name', () => {
    assert.deepEqual([toolLook('Bash').verb, toolLook('mcp__x').verb, toolLook('constructor').verb], ['Run', 'mcp__x', 'constructor']);
  });

  it('names the server and the tool of an MCP tool', () => {
    assert.deepEqual(toolLook('mcp__my-db__run_query__now'), { icon: 'plug', verb: 'my-db: run_query__now' });
  });
});
