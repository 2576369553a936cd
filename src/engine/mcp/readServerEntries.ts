import { isJsonObject } from '../../base/json.ts';
import type { McpServerConfig, McpServerConfigs } from '../../protocol/mcp.ts';

export interface ServerEntries {
  readonly servers: McpServerConfigs;
  /** Entries that cannot be used, each with where it stands and why. The others can. */
  readonly problems: readonly string[];
}

/** Reads the servers of `mcpServers` (VS Code: `servers`), as they were parsed from `source`. Pure; never throws. */
export function readServerEntries(value: unknown, source: string): ServerEntries {
  if (value === undefined) return { servers: {}, problems: [] };
  if (!isJsonObject(value)) return { servers: {}, problems: [`${source}: its MCP servers are no object of names and servers. None of them is used.`] };
  const servers: [name: string, server: McpServerConfig][] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(value)) {
    const read = readEntry(entry);
    if (typeof read === 'string') problems.push(`${source}: the MCP server “${name}” is not used: ${read}`);
    else servers.push([name, read]);
  }
  // Unlike an assignment this also keeps one that is called __proto__.
  return { servers: Object.fromEntries(servers), problems };
}

/** The server, or what is wrong. */
function readEntry(entry: unknown): McpServerConfig | string {
  if (!isJsonObject(entry)) return 'it is no object. Write {"command": "…", "args": ["…"]} or {"type": "http", "url": "https://…"}.';
  const { type = entry['url'] === undefined ? 'stdio' : 'http' } = entry;
  if (holdsInput(entry)) return 'it asks for a value with ${input:…}, which only VS Code itself can do. Write ${NAME} and set that variable.';
  if (type === 'stdio') return readStdio(entry);
  if (type === 'http' || type === 'streamable-http') return readHttp(entry);
  if (type === 'sse') return 'its type "sse" is the old form of HTTP, which is not spoken here. Most of these servers have the new one: "type": "http".';
  return `its type is ${JSON.stringify(type)}. It has to be "stdio" or "http".`;
}

function readStdio({ command, args = [], env = {} }: { readonly [field: string]: unknown }): McpServerConfig | string {
  if (typeof command !== 'string' || command.trim() === '') return '"command" is missing: the program that is to be started.';
  if (!Array.isArray(args) || !args.every((each) => typeof each === 'string')) return '"args" has to be a list of texts.';
  const variables = textsOf(env);
  return variables ? { type: 'stdio', command, args, env: variables } : '"env" has to be an object of texts.';
}

function readHttp({ url, headers = {} }: { readonly [field: string]: unknown }): McpServerConfig | string {
  if (typeof url !== 'string' || !/^(https?:\/\/|\$\{)/.test(url)) return '"url" has to be an address that begins with https:// or http://.';
  const fields = textsOf(headers);
  return fields ? { type: 'http', url, headers: fields } : '"headers" has to be an object of texts.';
}

/** Numbers and truth values are meant as texts. */
function textsOf(value: unknown): { readonly [name: string]: string } | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  if (entries.some(([, each]) => !['string', 'number', 'boolean'].includes(typeof each))) return undefined;
  return Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
}

function holdsInput(entry: unknown): boolean {
  return JSON.stringify(entry).includes('${input:');
}
