import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mcpToolParts } from '../../../../src/base/mcpToolParts.ts';
import { serverNames, toolNames } from '../../../../src/engine/mcp/mcpToolNames.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';

describe('names of MCP tools', () => {
  it('stay as they are where they are valid, and as they were where they can be kept', () => {
    assert.deepEqual(toolNames('db', ['run_query', 'files.read'], nodeDigest), new Map([['files.read', 'mcp__db__files_read'], ['run_query', 'mcp__db__run_query']]));
    assert.deepEqual(serverNames(['my-db', 'my server', 'a__b', '…'], [], nodeDigest), new Map([['a__b', 'a_b'], ['my server', 'my_server'], ['my-db', 'my-db'], ['…', 'server']]));
  });

  it('who has a valid name keeps it when another becomes the same', () => {
    const names = toolNames('db', ['a b', 'a_b', 'a.b'], nodeDigest);
    assert.equal(names.get('a_b'), 'mcp__db__a_b');
    assert.match(names.get('a b')!, /^mcp__db__a_b_[0-9a-f]{8}$/);
    assert.equal(new Set(names.values()).size, 3);
  });

  it('are valid, each another, and can be taken apart, whatever servers and tools are called', () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.constantFrom('a', 'a ', 'a_', 'a__b', 'a b', '', 'x'.repeat(90), `${'x'.repeat(90)}y`));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.uniqueArray(name, { maxLength: 8 }), (servers, names) => {
        const parts = serverNames(servers, [], nodeDigest);
        const all = servers.flatMap((server) => [...toolNames(parts.get(server)!, names, nodeDigest).values()]);
        assert.equal(new Set(all).size, servers.length * names.length);
        for (const each of all) assert.match(each, /^[A-Za-z0-9_-]{1,64}$/);
        for (const server of servers) for (const each of toolNames(parts.get(server)!, names, nodeDigest).values()) assert.equal(mcpToolParts(each)?.server, parts.get(server));
      }),
      { numRuns: 300 },
    );
  });

  it('are each another also when one is called like the marked name of another, and no server has a double underscore', () => {
    const marked = toolNames('db', ['a.b', 'a_b'], nodeDigest).get('a.b')!.slice('mcp__db__'.length);
    assert.equal(new Set(toolNames('db', ['a.b', 'a_b', marked], nodeDigest).values()).size, 3);
    assert.equal(new Set(serverNames(['a.b', 'a_b', marked], [], nodeDigest).values()).size, 3);
    for (const part of serverNames([`${'x'.repeat(20)}_${'y'.repeat(20)}`], [], nodeDigest).values()) assert.doesNotMatch(part, /__/);
  });

  it('are the same whoever comes first', () => {
    assert.deepEqual(toolNames('db', ['a b', 'a.b', 'a/b'], nodeDigest), toolNames('db', ['a/b', 'a.b', 'a b'], nodeDigest));
  });

  it('a project’s server takes no name of the user’s, and changes none', () => {
    const names = serverNames(['my.server'], ['my_server', 'other'], nodeDigest);
    assert.equal(names.get('my.server'), 'my_server');
    assert.match(names.get('my_server')!, /^my_server_[0-9a-f]{8}$/);
    assert.equal(names.get('other'), 'other');
  });
});
