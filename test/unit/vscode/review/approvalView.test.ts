import assert from 'node:assert/strict';
import { approvalView } from '../../../../src/vscode/review/approvalView.ts';

describe('the card for a tool of an MCP server', () => {
  const view = (input: { readonly [field: string]: unknown }) => approvalView({ toolName: 'mcp__db__run_query', toolUseId: 't1', title: 'x', input });

  it('names the tool and its server, and shows what it is given as it is', () => {
    const { title, detail, kind } = view({ sql: 'select "a"\nfrom b', limit: 10, tables: ['a', 'b'] });
    assert.deepEqual([kind, title], ['other', 'Use “run_query” of the MCP server “db”']);
    assert.equal(detail, 'sql: \n  select "a"\n  from b\nlimit: 10\ntables: ["a","b"]');
  });

  it('says so where it is too long to be shown, or empty', () => {
    assert.match(view({ text: 'x'.repeat(30_000) }).detail, /… and 10006 characters more$/);
    assert.equal(view({}).detail, '(without any input)');
  });
});
