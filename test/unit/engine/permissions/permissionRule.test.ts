import assert from 'node:assert/strict';
import { parseRule } from '../../../../src/engine/permissions/permissionRule.ts';
import type { PermissionRuleTexts } from '../../../../src/protocol/permissionRules.ts';
import { corpusFiles } from '../../../support/corpus.ts';

describe('parseRule', () => {
  const rules: readonly (readonly [string, object])[] = [
    ['Bash', { kind: 'tool', tool: 'Bash' }],
    ['Bash(*)', { kind: 'tool', tool: 'Bash' }],
    ['Bash(:*)', { kind: 'tool', tool: 'Bash' }],
    ['Bash(npm test:*)', { kind: 'command', tool: 'Bash', pattern: { kind: 'prefix', text: 'npm test' } }],
    ['Bash(git diff *)', { kind: 'command', tool: 'Bash', pattern: { kind: 'prefix', text: 'git diff' } }],
    ['Bash(pnpm test*)', { kind: 'command', tool: 'Bash', pattern: { kind: 'glob', text: 'pnpm test*' } }],
    ['Bash(git * main:*)', { kind: 'command', tool: 'Bash', pattern: { kind: 'glob', text: 'git * main *' } }],
    ['Bash(echo "a (b)")', { kind: 'command', tool: 'Bash', pattern: { kind: 'exact', text: 'echo "a (b)"' } }],
    [' Edit(src/**) ', { kind: 'path', tool: 'Edit', family: 'edit', pattern: 'src/**' }],
    ['Write(a b.ts)', { kind: 'path', tool: 'Write', family: 'edit', pattern: 'a b.ts' }],
    ['Read(./.env)', { kind: 'path', tool: 'Read', family: 'read', pattern: './.env' }],
    ['Grep(//abs/path)', { kind: 'path', tool: 'Grep', family: 'read', pattern: '//abs/path' }],
    ['WebFetch(domain:Example.com)', { kind: 'domain', tool: 'WebFetch', domain: 'example.com' }],
    ['WebFetch(domain:*.example.com)', { kind: 'domain', tool: 'WebFetch', domain: '*.example.com' }],
    ['WebFetch(domain:*)', { kind: 'tool', tool: 'WebFetch' }],
    ['mcp__server', { kind: 'tool', tool: 'mcp__server' }],
    ['mcp__claude_ai_Some-Thing__do', { kind: 'tool', tool: 'mcp__claude_ai_Some-Thing__do' }],
    ['mcp__sentry__*', { kind: 'tool', tool: 'mcp__sentry__*' }],
  ];
  for (const [text, rule] of rules) it(`reads ${text}`, () => assert.deepEqual(parseRule(text), { rule }));

  const problems: readonly (readonly [string, RegExp])[] = [
    ['', /is no rule/],
    ['Bash(npm test:*', /is no rule/],
    ['npm test', /is no rule/],
    ['Read .env', /is no rule/],
    ['Bash()', /nothing stands in the brackets/],
    ['bash(ls:*)', /no tool named bash. Did you mean Bash\?/],
    ['Red(.env)', /no tool named Red/],
    ['Bash*', /only names of MCP tools/],
    ['Read(!.env)', /exceptions/],
    ['Read(../x)', /lead up/],
    ['WebFetch(example.com)', /domain:example.com/],
    ['WebFetch(domain:https://example.com)', /names a host/],
    ['TodoWrite(x)', /nothing in brackets/],
    ['mcp__server__tool(x)', /nothing in brackets/],
  ];
  for (const [text, problem] of problems) {
    it(`says what is wrong with ${JSON.stringify(text)}`, () => {
      const parsed = parseRule(text);
      assert.match('problem' in parsed ? parsed.problem : 'no problem', problem);
    });
  }

  it('reads the rules that people have', () => {
    const own = { name: 'own', text: JSON.stringify({ permissions: { allow: ['mcp__sentry__*', 'Bash(pnpm typecheck*)', 'WebFetch(domain:docs.example.com)', 'Skill'], deny: ['Read(./.env)', 'Read(./secrets/**)', 'Bash(curl:*)'] }, hooks: {} }) };
    const files = ['ccusage', 'claude-cookbooks/claude_code_sdk/chief_of_staff_agent', 'pydantic-ai', 'claude-code-action', 'playwright'].flatMap((project) => corpusFiles(`agent-config/${project}/dot-claude`, /^settings.*\.json$/));
    for (const { name, text } of [own, ...files]) {
      const { permissions = {} } = JSON.parse(text) as { readonly permissions?: PermissionRuleTexts };
      const unread = [permissions.allow, permissions.ask, permissions.deny].flatMap((list) => list ?? []).filter((each) => 'problem' in parseRule(each));
      assert.deepEqual(unread, [], name);
    }
  });
});
