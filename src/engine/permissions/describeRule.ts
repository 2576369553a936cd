import { mcpToolParts } from '../../base/mcpToolParts.ts';
import type { PermissionRule } from './permissionRule.ts';

/** What a rule covers, for whoever is about to keep it. `folder` is where its relative patterns count from. Pure. */
export function describeRule(rule: PermissionRule, folder: string): string {
  switch (rule.kind) {
    case 'tool':
      return rule.tool === 'Bash' ? 'Every command, whatever it does.' : describeTool(rule.tool);
    case 'command':
      return describeCommand(rule.pattern);
    case 'path':
      return `${rule.tool === 'Edit' || rule.tool === 'Read' ? (rule.family === 'edit' ? 'Every edit' : 'Reading') : rule.tool} of ${describePattern(rule.pattern, folder)}.`;
    case 'domain':
      return rule.domain.startsWith('*.') ? `Pages of every host below ${rule.domain.slice(2)}.` : `Pages of ${rule.domain}.`;
  }
}

function describeTool(name: string): string {
  const { server = name.slice('mcp__'.length), tool = '*' } = mcpToolParts(name) ?? {};
  if (!name.startsWith('mcp__') || server.includes('*') || (tool !== '*' && tool.includes('*'))) return `Every use of ${name}.`;
  return tool === '*' ? `Every tool of the MCP server ${server}, whatever it does.` : `Every use of ${tool} of the MCP server ${server}.`;
}

function describeCommand({ kind, text }: Extract<PermissionRule, { kind: 'command' }>['pattern']): string {
  if (kind === 'exact') return 'This command line, word for word.';
  if (kind === 'prefix') return `${text} by itself and with any arguments, but no other command beside it.`;
  return 'Commands that look like this, with anything in place of each star.';
}

function describePattern(pattern: string, folder: string): string {
  if (pattern.startsWith('//')) return `${pattern.slice(1)}, from the root of the disk`;
  if (pattern.startsWith('~')) return `${pattern}, in your home folder`;
  if (pattern.startsWith('/') || pattern.startsWith('./')) return `${pattern.replace(/^\.?\//, '')} in ${folder}`;
  return /^[^/]+\/?$/.test(pattern) ? `${pattern}, anywhere in ${folder}` : `${pattern} in ${folder}`;
}
