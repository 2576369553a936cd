import assert from 'node:assert/strict';
import { RuleSet } from '../../../../src/engine/permissions/ruleSet.ts';
import { ruleSet } from './support.ts';

const read = { family: 'read', tool: 'Read' } as const;
const edit = { family: 'edit', tool: 'Edit' } as const;

describe('RuleSet', () => {
  const allows: readonly (readonly [string, string, boolean])[] = [
    ['Read(.env)', '/project/.env', true],
    ['Read(.env)', '/project/a/.env', true],
    ['Read(.env)', '/other/.env', false],
    ['Read(./.env)', '/project/.env', true],
    ['Read(./.env)', '/project/a/.env', false],
    ['Read(/.env)', '/project/.env', true],
    ['Read(src/**)', '/project/src/a/b.ts', true],
    ['Read(src/**)', '/project/a/src/b.ts', false],
    ['Read(src/*.ts)', '/project/src/a/b.ts', false],
    ['Read(src/)', '/project/src/a/b.ts', true],
    ['Read(~/docs/**)', '/home/me/docs/x', true],
    ['Read(~/docs/**)', '/home/you/docs/x', false],
    ['Read(//abs/path)', '/abs/path', true],
    ['Read(//abs/path)', '/abs/path/below', true],
    ['Read(//abs/path)', '/abs/paths', false],
    ['Read(/abs/path)', '/abs/path', false],
    ['Read(**/*.pem)', '/elsewhere/x.pem', false],
    ['Read(*.{pem,key})', '/project/x/y.key', true],
    ['Read([a-c].ts)', '/project/b.ts', true],
    ['Read(#x)', '/project/#x', true],
    ['Read(.ENV)', '/project/.env', false],
    ['Read(**)', '/project/x', true],
    ['Read(**)', '/etc/x', false],
    ['Read(src/**)', '/project/srcx/a', false],
  ];
  for (const [text, path, expected] of allows) {
    it(`allow ${text} ${expected ? 'covers' : 'leaves out'} ${path}`, () => assert.equal(ruleSet({ allow: [text] }).forPath('allow', path, read) !== undefined, expected));
  }

  it('knows the other names that Windows has for a file, where it forbids', () => {
    const places = { folder: 'C:\\project', settingsFolder: 'C:\\project\\.claude', homeFolder: 'C:\\Users\\me', foldCase: true };
    const rules = new RuleSet((['deny', 'allow'] as const).map((behavior) => ({ text: 'Read(./.env)', behavior, source: 'the test', places })));
    const found = (behavior: 'deny' | 'allow', name: string) => rules.forPath(behavior, `C:\\project\\${name}`, read) !== undefined;
    for (const name of ['.env', '.ENV', '.env.', '.env ', '.env. .', '.env::$DATA', '.env:x', 'sub \\..\\.env.']) assert.ok(found('deny', name), name);
    for (const name of ['.envx', '.env.local', 'a.env.']) assert.ok(!found('deny', name), name);
    assert.ok(!found('allow', '.env.') && !found('allow', '.env:x'));
  });

  it('reads what forbids widely', () => {
    const denied = (rule: string, path: string, foldCase = false) => ruleSet({ deny: [rule] }, foldCase).forPath('deny', path, read) !== undefined;
    assert.equal(denied('Read(**/.env*)', '/other/deep/.env.local'), true);
    assert.equal(denied('Read(.env)', '/other/.env'), true);
    assert.equal(denied('Read(/etc/shadow)', '/etc/shadow'), true);
    assert.equal(denied('Read(./.env)', '/other/.env'), false);
    assert.equal(denied('Read(.ENV)', '/project/.env', true), true);
    assert.equal(denied('Read(.env)', '/project/.ENV', true), true);
    assert.equal(denied('Read(caf\u00e9)', '/project/cafe\u0301', true), true);
  });

  it('denies edits of what must not be read, and every tool that edits', () => {
    const rules = ruleSet({ deny: ['Read(.env)', 'Write(gen/**)'] });
    for (const tool of ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']) {
      assert.ok(rules.forPath('deny', '/project/.env', { ...edit, tool }));
      assert.ok(rules.forPath('deny', '/project/gen/x', { ...edit, tool }));
    }
    assert.equal(rules.forPath('deny', '/project/gen/x', read), undefined);
  });

  it('allows no more tools than are named', () => {
    const rules = ruleSet({ allow: ['Edit(src/**)', 'Write(docs/**)', 'Read(lib/**)'] });
    assert.ok(rules.forPath('allow', '/project/src/a', { ...edit, tool: 'MultiEdit' }));
    assert.equal(rules.forPath('allow', '/project/docs/a', edit), undefined);
    assert.ok(rules.forPath('allow', '/project/docs/a', { ...edit, tool: 'Write' }));
    assert.equal(rules.forPath('allow', '/project/lib/a', edit), undefined);
  });

  it('knows the tools of an MCP server', () => {
    const rules = ruleSet({ allow: ['mcp__sentry__*', 'mcp__git', 'mcp__a__b', 'mcp__x__get_*'] });
    const covered = ['mcp__sentry__find', 'mcp__git__log', 'mcp__a__b', 'mcp__x__get_one'];
    const others = ['mcp__sentry2__find', 'mcp__github__log', 'mcp__a__bc', 'mcp__x__set_one', 'Bash'];
    assert.deepEqual(covered.filter((tool) => !rules.forTool('allow', tool)), []);
    assert.deepEqual(others.filter((tool) => rules.forTool('allow', tool)), []);
  });

  it('allows the host that is named, and forbids also what lies below it', () => {
    const rules = ruleSet({ allow: ['WebFetch(domain:example.com)', 'WebFetch(domain:*.ok.org)'], deny: ['WebFetch(domain:bad.com)'] });
    assert.ok(rules.forUrl('allow', 'https://EXAMPLE.com./x'));
    for (const url of ['https://a.example.com', 'https://notexample.com', 'https://example.com.evil.org', 'https://example.com@evil.org', 'not an address']) assert.equal(rules.forUrl('allow', url), undefined, url);
    assert.ok(rules.forUrl('allow', 'https://a.ok.org'));
    assert.equal(rules.forUrl('allow', 'https://ok.org'), undefined);
    for (const url of ['https://bad.com', 'http://a.b.bad.com:8080/']) assert.ok(rules.forUrl('deny', url), url);
  });

  it('tells of a rule that denies nothing because it cannot be read', () => {
    const { problems } = ruleSet({ deny: ['Read(.env', 'Read(a)'], allow: ['bash'] });
    assert.equal(problems.length, 2);
    assert.match(problems[0]!, /Nothing is denied by it/);
  });
});
