import { starMatches } from './starMatches.ts';

const prefix = 'mcp__';

/**
 * Whether a rule's `mcp__server`, `mcp__server__tool` or a pattern with stars stands for a tool. What allows a tool
 * allows no other one whose name begins like it. What forbids is read widely: a name as it stands in the settings, where
 * the tool's own had to be changed (`mcp__my__server` becomes `mcp__my_server`, long ones are cut and marked), counts
 * too. Pure.
 */
export function coversMcpTool(pattern: string, tool: string, isWide: boolean): boolean {
  if (!pattern.startsWith(prefix) || !tool.startsWith(prefix)) return false;
  if (pattern.includes('*')) return starMatches(pattern, tool) || (isWide && starMatches(folded(pattern), folded(tool)));
  const isServer = !pattern.slice(prefix.length).includes('__');
  if (tool.startsWith(`${pattern}__`) && (isServer || isWide)) return true;
  return pattern === tool || (isWide && isNamedOtherwise(pattern.slice(prefix.length), tool.slice(prefix.length)));
}

/** No server's part of a name holds a double underscore. In the settings it may. */
function isNamedOtherwise(pattern: string, name: string): boolean {
  const at = name.indexOf('__');
  const [server, tool] = [name.slice(0, at), name.slice(at + 2)];
  if (isSame(pattern, server)) return true;
  for (let split = pattern.indexOf('__'); split >= 0; split = pattern.indexOf('__', split + 1)) {
    if (isSame(pattern.slice(0, split), server) && isSame(pattern.slice(split + 2), tool)) return true;
  }
  return false;
}

function isSame(said: string, name: string): boolean {
  const marked = /^(.+)_[0-9a-f]{8}$/.exec(name)?.[1];
  return folded(said) === folded(name) || (marked !== undefined && folded(said).startsWith(folded(marked)));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/_+/g, '_').replace(/^_|_$/g, '');
}
