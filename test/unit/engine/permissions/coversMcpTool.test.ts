import assert from 'node:assert/strict';
import { coversMcpTool } from '../../../../src/engine/permissions/coversMcpTool.ts';
import { toolNames, serverNames } from '../../../../src/engine/mcp/mcpToolNames.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';

describe('rules for tools of MCP servers', () => {
  it('what allows a tool allows no other one that is named after it', () => {
    assert.equal(coversMcpTool('mcp__a__get', 'mcp__a__get', false), true);
    for (const tool of ['mcp__a__get__and_delete', 'mcp__a__get_all', 'mcp__A__get', 'mcp__a__Get', 'mcp__a_b__get', 'mcp__a_get__x', 'Bash']) assert.equal(coversMcpTool('mcp__a__get', tool, false), false, tool);
    for (const tool of ['mcp__a__b', 'mcp__a__b__c', 'mcp__a____']) assert.equal(coversMcpTool('mcp__a', tool, false), true, tool);
    for (const tool of ['mcp__ab__c', 'mcp__a_b__c', 'mcp__b__mcp__a__c']) assert.equal(coversMcpTool('mcp__a', tool, false), false, tool);
  });

  it('what forbids counts by the names that stand in the settings, whatever had to be made of them', () => {
    const longServer = 'a-server-with-a-name-that-is-much-too-long-for-a-tool';
    const longTool = `delete_${'everything_'.repeat(8)}now`;
    const servers = serverNames(['my__server', 'a_b', longServer, '_odd_', 'short'], [], nodeDigest);
    for (const [server, part] of servers) {
      for (const [tool, name] of toolNames(part, ['drop', 'Drop__all', longTool], nodeDigest)) {
        for (const rule of [`mcp__${server}`, `mcp__${server}__${tool}`, `mcp__${server}__*`, name]) if (server !== longServer || !rule.includes('*')) assert.equal(coversMcpTool(rule, name, true), true, `${rule} — ${name}`);
      }
    }
  });

  it('what forbids one server does not forbid another', () => {
    for (const tool of ['mcp__github_enterprise__get', 'mcp__git__hub', 'mcp__my-github__get', 'mcp__git_hub__x']) assert.equal(coversMcpTool('mcp__github', tool, true), false, tool);
    for (const tool of ['mcp__a__get_all', 'mcp__a__forget', 'mcp__b__get', 'Bash']) assert.equal(coversMcpTool('mcp__a__get', tool, true), false, tool);
  });
});
