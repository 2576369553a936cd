import { displayPath } from '../../base/paths.ts';
import { cutText, plural } from '../../base/text.ts';
import type { McpServerConfig, McpServerStatus } from '../../protocol/mcp.ts';
import type { UserQuestion } from '../../protocol/userQuestions.ts';
import type { McpServerInfo } from './mcpServer.ts';
import type { ConfiguredServer } from './mcpSources.ts';

/** UTF-16 units of a command or address that are shown. */
const maxShown = 300;
/** UTF-16 units of the environment or the headers. A command or address that is agreed to is never cut. */
const maxAgreed = 2_000;

export const startsText = 'Start it';

/** One for each server that came with the project. */
export function consentQuestions(servers: readonly ConfiguredServer[]): readonly UserQuestion[] {
  return servers.map(({ name, config }) => ({
    question: `This project brings an MCP server, “${oneLine(name, maxShown)}”: ${wholeConfig(config)}`,
    header: cutText(oneLine(name, maxShown), 12),
    options: [
      { label: startsText, description: config.type === 'stdio' ? 'It runs on this machine, in this folder, from now on.' : 'What the model gives it is sent there, in this folder, from now on.' },
      { label: 'Leave it', description: 'It is not started in this folder. /mcp enable changes that.' },
    ],
    multiSelect: false,
  }));
}

export function undecidedText({ name, config }: ConfiguredServer): string {
  return `This project brings an MCP server, “${oneLine(name, maxShown)}” (${wholeConfig(config)}). It was not started, because you have not said yet that it may be: /mcp enable ${name} starts it in this folder from now on, /mcp disable ${name} leaves it.`;
}

export function absentText(name: string, problem: string): string {
  return `The MCP server “${oneLine(name, maxShown)}” is not there: ${problem} The turn goes on without it; /mcp shows how it stands.`;
}

export function waitingText(name: string): string {
  return `The MCP server “${oneLine(name, maxShown)}” has not answered yet. The turn goes on without it; its tools are there in a later turn, once it has.`;
}

/** What `/mcp` answers. */
export function mcpText(servers: readonly McpServerInfo[], problems: readonly string[], cwd: string): string {
  if (servers.length === 0) return ['No MCP servers are configured here. A .mcp.json in the workspace names them, or the settings.', ...problems].join('\n');
  const lines = servers.flatMap(({ configured, status, problem, tools }) => [
    `${configured.name} — ${words[status]}${status === 'connected' ? `, ${plural(tools.length, 'tool')}` : ''} (${displayPath(cwd, configured.source)}: ${shownConfig(configured.config)})`,
    ...(problem === undefined ? [] : [`  ${problem}`]),
    ...(status === 'connected' && tools.length > 0 ? [`  ${tools.join(', ')}`] : []),
    ...(status === 'needs-approval' ? [`  It came with the project and runs when you say so: /mcp enable ${configured.name}`] : []),
  ]);
  return [...lines, ...problems].join('\n');
}

const words: { readonly [status in McpServerStatus]: string } = {
  connected: 'connected',
  pending: 'starting',
  failed: 'not there',
  'needs-auth': 'wants to know who you are',
  disabled: 'switched off here',
  'needs-approval': 'waits for your yes',
};

/** Without what may be secret: variables are not filled in, and headers and the environment are not shown. */
function shownConfig(config: McpServerConfig): string {
  return oneLine(config.type === 'stdio' ? [config.command, ...config.args].join(' ') : config.url, maxShown);
}

/** What is agreed to, as it is written. The environment can make a harmless program run another one, and headers can send away what variables hold. */
function wholeConfig(config: McpServerConfig): string {
  const [command, what, fields] = config.type === 'stdio' ? [[config.command, ...config.args].join(' '), 'environment', Object.entries(config.env)] : [config.url, 'headers', Object.entries(config.headers)];
  const shown = oneLine(command, Number.POSITIVE_INFINITY);
  if (fields.length === 0) return shown;
  return `${shown} — ${what}: ${oneLine(fields.map(([name, value]) => (config.type === 'stdio' ? `${name}=${value}` : `${name}: ${value}`)).join(', '), maxAgreed)}`;
}

function oneLine(text: string, limit: number): string {
  const line = text.replace(/[\t\n\r ]+/g, ' ').replace(unseen, (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`);
  return line.length <= limit ? line : `${cutText(line, limit)} … (${line.length - limit} characters more)`;
}

/** Characters that are not seen, or that turn around what stands beside them. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
