import { errorText } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { resolvePath } from '../../base/paths.ts';
import type { McpServerConfig, McpServerConfigs } from '../../protocol/mcp.ts';
import type { FileSystem, Git } from '../ports.ts';
import { readServerEntries } from './readServerEntries.ts';

export interface McpPlaces {
  readonly files: Pick<FileSystem, 'readFile' | 'stat'>;
  readonly git: Git;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly dataRoot: string;
  /** Of the host: the editor's settings, flags of a command line, what a client brought. */
  readonly given: { readonly servers: () => unknown; readonly source: string };
}

export interface ConfiguredServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Where it stands, for people. */
  readonly source: string;
  /** It came with the project, so it runs only after the user has said yes. Settings can say that of a `.mcp.json`. */
  readonly project?: 'mcpJson' | 'vscode' | undefined;
}

/** What settings say about a project's servers, by name. */
export interface ProjectChoices {
  readonly enabled: ReadonlySet<string>;
  readonly disabled: ReadonlySet<string>;
  readonly enableAll: boolean;
}

export interface McpConfiguration {
  readonly servers: readonly ConfiguredServer[];
  readonly choices: ProjectChoices;
  readonly problems: readonly string[];
}

/** Reads every place in which servers can be named. Who comes first has a name: no project takes the place of a server of the user. Never rejects. */
export async function readMcpConfiguration(places: McpPlaces): Promise<McpConfiguration> {
  const { cwd, homeFolder, dataRoot, given } = places;
  const [claudeUser, ownUser, shared, local, project, editor] = await Promise.all(
    [resolvePath(homeFolder, '.claude/settings.json'), resolvePath(dataRoot, 'settings.json'), resolvePath(cwd, '.claude/settings.json'), resolvePath(cwd, '.claude/settings.local.json'), resolvePath(cwd, '.mcp.json'), resolvePath(cwd, '.vscode/mcp.json')].map((path) => readObject(path, places.files)),
  );
  const found = [
    { ...readServerEntries(given.servers(), given.source), source: given.source },
    { ...readServerEntries(ownUser!.value['mcpServers'], ownUser!.path), source: ownUser!.path },
    { ...readServerEntries(project!.value['mcpServers'], project!.path), source: project!.path, project: 'mcpJson' as const },
    { ...readServerEntries(editor!.value['servers'], editor!.path), source: editor!.path, project: 'vscode' as const },
  ];
  const servers = new Map<string, ConfiguredServer>();
  for (const { servers: entries, problems: _told, ...origin } of found) {
    for (const [name, config] of Object.entries<McpServerConfig>(entries satisfies McpServerConfigs)) if (!servers.has(name)) servers.set(name, { name, config, ...origin });
  }
  // What comes with a project cannot say yes for the user. A settings file that cannot be read is told of where its rules are read.
  const ownLocal = saysYes(local!.value) && (await isKeptOut(local!.path, places)) ? [local!.value] : [];
  const users = [claudeUser!.value, ownUser!.value, ...ownLocal];
  return {
    servers: [...servers.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    choices: {
      enabled: new Set(users.flatMap((settings) => namesIn(settings['enabledMcpjsonServers']))),
      disabled: new Set([...users, shared!.value, local!.value].flatMap((settings) => namesIn(settings['disabledMcpjsonServers']))),
      enableAll: users.some((settings) => settings['enableAllProjectMcpServers'] === true),
    },
    problems: [...[project!, editor!].flatMap(({ problem }) => problem ?? []), ...found.flatMap(({ problems }) => problems)],
  };
}

interface ReadObject {
  readonly path: string;
  readonly value: { readonly [field: string]: unknown };
  readonly problem?: string;
}

async function readObject(path: string, files: McpPlaces['files']): Promise<ReadObject> {
  try {
    if (!(await files.stat(path))) return { path, value: {} };
    const text = new TextDecoder('utf-8').decode(await files.readFile(path));
    const value = text.trim() === '' ? {} : tryParseJson(withoutComments(text));
    if (isJsonObject(value)) return { path, value };
    return { path, value: {}, problem: `${path} is not valid JSON, so none of its MCP servers is used.` };
  } catch (thrown) {
    return { path, value: {}, problem: `${path} could not be read (${errorText(thrown)}), so none of its MCP servers is used.` };
  }
}

/** Editors allow comments and a comma too many. */
function withoutComments(text: string): string {
  const plain = text.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_all, quoted: string | undefined) => quoted ?? ' ');
  return plain.replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_all, quoted: string | undefined) => quoted ?? '');
}

function saysYes(settings: ReadObject['value']): boolean {
  return settings['enabledMcpjsonServers'] !== undefined || settings['enableAllProjectMcpServers'] !== undefined;
}

/**
 * Whether git itself says that the file can't have come with the project: it ignores it. Everything else may have brought
 * it: an archive, a folder that is a link or a repository of its own, a tracked file. Then the user is asked once.
 */
async function isKeptOut(path: string, { git, cwd }: McpPlaces): Promise<boolean> {
  return (await git.run(['check-ignore', '--', path], cwd, AbortSignal.timeout(5_000))) !== undefined;
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}
