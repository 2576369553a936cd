/** `mcp__server__tool`, taken apart; undefined for any other name. A server's part holds no double underscore. */
export function mcpToolParts(toolName: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
