import assert from 'node:assert/strict';
import { suggestRule } from '../../../../src/engine/permissions/suggestRule.ts';
import { ruleSet, verdictOf } from './support.ts';

const cwd = '/project';

describe('suggestRule', () => {
  const commands: readonly (readonly [string, string | undefined])[] = [
    ['npm test', 'Bash(npm test:*)'],
    ['npm test -- --grep x', 'Bash(npm test:*)'],
    ['npm run build -- --watch', 'Bash(npm run build:*)'],
    ['git status', 'Bash(git status:*)'],
    ['timeout 60 npm test', 'Bash(npm test:*)'],
    ['git -C x status', 'Bash(git -C x status)'],
    ['npm', 'Bash(npm)'],
    ['rm -rf build', 'Bash(rm -rf build)'],
    ['python3 x.py', 'Bash(python3 x.py)'],
    ['bash -c "npm test"', 'Bash(bash -c "npm test")'],
    ['npm test && npm run lint', 'Bash(npm test && npm run lint)'],
    ['echo "(a)" | wc', 'Bash(echo "(a)" | wc)'],
    ['npm test > out.txt', 'Bash(npm test > out.txt)'],
    ['FOO=1 npm test', 'Bash(FOO=1 npm test)'],
    ['ls *.ts', undefined],
    ['a\nb', undefined],
  ];
  for (const [command, rule] of commands) {
    it(`proposes ${rule ?? 'nothing'} for ${JSON.stringify(command)}, and it fits the next time`, async () => {
      assert.equal(suggestRule({ toolName: 'Bash', input: { command }, paths: [], cwd }), rule);
      if (rule !== undefined) assert.equal(await verdictOf(command, { allow: [rule] }), 'allow');
    });
  }

  it('proposes folders for files', () => {
    const rule = suggestRule({ toolName: 'MultiEdit', input: {}, paths: ['/project/src/a/b.ts', '/project/src/a/b.ts'], cwd })!;
    assert.equal(rule, 'Edit(/src/**)');
    assert.ok(ruleSet({ allow: [rule] }).forPath('allow', '/project/src/other.ts', { family: 'edit', tool: 'Write' }));
    assert.equal(suggestRule({ toolName: 'Edit', input: {}, paths: ['/project/a.ts'], cwd }), 'Edit(/a.ts)');
    assert.equal(suggestRule({ toolName: 'Edit', input: {}, paths: ['/etc/hosts'], cwd }), undefined);
    const outside = suggestRule({ toolName: 'Read', input: {}, paths: ['/docs/api/x.md'], cwd })!;
    assert.equal(outside, 'Read(//docs/api/**)');
    assert.ok(ruleSet({ allow: [outside] }).forPath('allow', '/docs/api/x.md', { family: 'read', tool: 'Read' }));
    assert.equal(suggestRule({ toolName: 'Read', input: {}, paths: ['/x'], cwd }), 'Read(//x)');
  });

  it('proposes the host of a page, and an MCP tool itself', () => {
    assert.equal(suggestRule({ toolName: 'WebFetch', input: { url: 'https://example.com/a' }, paths: [], cwd }), 'WebFetch(domain:example.com)');
    assert.equal(suggestRule({ toolName: 'mcp__git__log', input: {}, paths: [], cwd }), 'mcp__git__log');
    assert.equal(suggestRule({ toolName: 'ExitPlanMode', input: {}, paths: [], cwd }), undefined);
  });
});
