import type * as acp from '@agentclientprotocol/sdk';
import type { EngineOptions } from '../sdk/index.ts';

/** Pure. The servers that a client brings, beside those that the command line names. */
export function mcpOptions(servers: readonly acp.McpServer[], own: EngineOptions['mcp']): EngineOptions['mcp'] {
  if (servers.length === 0) return own;
  const brought = Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]));
  return { ...own, servers: () => ({ ...(own?.servers?.() as object | undefined), ...brought }), source: 'the editor' };
}

/** As it would stand in a `.mcp.json`. */
function entryOf(server: acp.McpServer): unknown {
  if ('command' in server) return { command: server.command, args: server.args, env: byName(server.env) };
  return { type: server.type, url: server.url, headers: byName(server.headers) };
}

function byName(pairs: readonly { readonly name: string; readonly value: string }[]): { readonly [name: string]: string } {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
