import { displayPath } from '../../base/paths.ts';
import { cutText, plural } from '../../base/text.ts';
import type { McpServerConfig, McpServerStatus } from '../../protocol/mcp.ts';
import type { UserQuestion } from '../../protocol/userQuestions.ts';
import type { McpServerInfo } from './mcpServer.ts';
import type { ConfiguredServer } from './mcpSources.ts';

/** UTF-16 units of a command or address that are shown. */
const maxShown = 300;
const maxAgreed = 2_000;

export const startsText = 'Start it';

/** One for each server that came with the project. */
export function consentQuestions(servers: readonly ConfiguredServer[]): readonly UserQuestion[] {
  return servers.map(({ name, config }) => ({
    question: `This project brings an MCP server, “${name}”: ${wholeConfig(config)}`,
    header: cutText(name, 12),
    options: [
      { label: startsText, description: config.type === 'stdio' ? 'It runs on this machine, in this folder, from now on.' : 'What the model gives it is sent there, in this folder, from now on.' },
      { label: 'Leave it', description: 'It is not started in this folder. /mcp enable changes that.' },
    ],
    multiSelect: false,
  }));
}

export function undecidedText({ name, config }: ConfiguredServer): string {
  return `This project brings an MCP server, “${name}” (${wholeConfig(config)}). It was not started, because you have not said yet that it may be: /mcp enable ${name} starts it in this folder from now on, /mcp disable ${name} leaves it.`;
}

export function absentText(name: string, problem: string): string {
  return `The MCP server “${name}” is not there: ${problem} The turn goes on without it; /mcp shows how it stands.`;
}

export function waitingText(name: string): string {
  return `The MCP server “${name}” has not answered yet. The turn goes on without it; its tools are there in a later turn, once it has.`;
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

/** What is agreed to. The environment counts: it can make a harmless program run another one. */
function wholeConfig(config: McpServerConfig): string {
  if (config.type === 'http') return oneLine(config.url, maxAgreed);
  return oneLine([...Object.entries(config.env).map(([name, value]) => `${name}=${value}`), config.command, ...config.args].join(' '), maxAgreed);
}

function oneLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= limit ? line : `${cutText(line, limit)} … (${line.length - limit} characters more)`;
}
