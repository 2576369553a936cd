import type { McpServerConfig } from '../../protocol/mcp.ts';

/** The value of an environment variable. */
export type Variables = (name: string) => string | undefined;

export type Expanded = { readonly server: McpServerConfig } | { readonly missing: readonly string[] };

/** Fills in `${NAME}` and `${NAME:-default}`. Pure. Variables that have no value are named: half an address reaches the wrong place. */
export function expandVariables(server: McpServerConfig, variables: Variables): Expanded {
  const missing = new Set<string>();
  const text = (written: string): string =>
    written.replace(/\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise: string | undefined) => {
      const value = variables(name) ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const texts = (written: { readonly [name: string]: string }): { [name: string]: string } => Object.fromEntries(Object.entries(written).map(([name, value]) => [name, text(value)]));
  const expanded: McpServerConfig =
    server.type === 'stdio'
      ? { type: 'stdio', command: text(server.command), args: server.args.map(text), env: texts(server.env) }
      : { type: 'http', url: text(server.url), headers: texts(server.headers) };
  return missing.size > 0 ? { missing: [...missing] } : { server: expanded };
}
