import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expandVariables } from '../../../../src/engine/mcp/expandVariables.ts';
import { readServerEntries } from '../../../../src/engine/mcp/readServerEntries.ts';

describe('entries of MCP servers', () => {
  it('programs and addresses, with what is left out filled in', () => {
    const { servers, problems } = readServerEntries({ a: { command: 'x' }, b: { type: 'stdio', command: 'x', args: ['1'], env: { PORT: 80, ON: true, OFF: null } }, c: { url: 'https://x.test' }, d: { type: 'streamable-http', url: '${URL}', headers: { A: 'b' } } }, 'here');
    assert.deepEqual(problems, []);
    assert.deepEqual(servers, {
      a: { type: 'stdio', command: 'x', args: [], env: {} },
      b: { type: 'stdio', command: 'x', args: ['1'], env: { PORT: '80', ON: 'true' } },
      c: { type: 'http', url: 'https://x.test', headers: {} },
      d: { type: 'http', url: '${URL}', headers: { A: 'b' } },
    });
  });

  const wrong: readonly [entry: unknown, why: RegExp][] = [
    ['npx', /it is no object/],
    [{ command: ' ' }, /"command" is missing/],
    [{ command: 'x', args: 'y' }, /"args" has to be a list/],
    [{ command: 'x', env: ['y'] }, /"env" has to be an object/],
    [{ url: 'ftp://x' }, /begins with https/],
    [{ type: 'http', url: 'https://x', headers: { a: {} } }, /"headers"/],
    [{ type: 'sse', url: 'https://x' }, /"sse"/],
    [{ type: 'ws', url: 'https://x' }, /its type is "ws"/],
    [{ command: 'x', env: { K: '${input:k}' } }, /only VS Code itself/],
  ];
  for (const [entry, why] of wrong) {
    it(`says what is wrong with ${JSON.stringify(entry)}, and keeps the others`, () => {
      const { servers, problems } = readServerEntries({ bad: entry, good: { command: 'x' } }, '/p/.mcp.json');
      assert.deepEqual(Object.keys(servers), ['good']);
      assert.match(problems.join(), /^\/p\/\.mcp\.json: the MCP server “bad” is not used: /);
      assert.match(problems.join(), why);
    });
  }

  it('a server may be called __proto__', () => {
    const { servers, problems } = readServerEntries(JSON.parse('{"__proto__": {"command": "x"}}'), 'x');
    assert.deepEqual([Object.keys(servers), problems], [['__proto__'], []]);
  });

  it('never throws, whatever stands there', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void readServerEntries(value, 'x')), { numRuns: 300 });
  });
});

describe('variables in them', () => {
  const variables = (name: string): string | undefined => ({ HOME: '/home/me', EMPTY: '' })[name];

  it('are filled in everywhere, with what is to stand where there is none', () => {
    assert.deepEqual(expandVariables({ type: 'stdio', command: '${HOME}/x', args: ['${env:HOME}', '${NOT:-a b}', '$HOME', '${EMPTY}'], env: { A: '${NOT:-}' } }, variables), { server: { type: 'stdio', command: '/home/me/x', args: ['/home/me', 'a b', '$HOME', ''], env: { A: '' } } });
    assert.deepEqual(expandVariables({ type: 'http', url: 'https://${HOST:-x.test}/', headers: { A: 'Bearer ${HOME}' } }, variables), { server: { type: 'http', url: 'https://x.test/', headers: { A: 'Bearer /home/me' } } });
  });

  it('that have no value are named, each once', () => {
    assert.deepEqual(expandVariables({ type: 'stdio', command: '${A}', args: ['${B}', '${A}'], env: {} }, variables), { missing: ['A', 'B'] });
  });
});
