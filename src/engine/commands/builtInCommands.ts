import type { AnswerSpeed } from '../../protocol/usage.ts';
import type { MemoryScan } from '../context/memoryFiles.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import type { Session } from '../session.ts';
import { costText } from './costText.ts';
import { exportText } from './exportSession.ts';
import { contextText, effortText, modelText, permissionsText, thinkingText } from './sessionTexts.ts';
import type { SlashCommandInfo } from './slashCommand.ts';

/** What a command that is answered without a request may use. */
export interface CommandDesk {
  readonly session: Session;
  /** Starts a new conversation; false when there was none yet. */
  clear(): Promise<boolean>;
  memory(): Promise<MemoryScan>;
  commands(): Promise<readonly SlashCommandInfo[]>;
  /** How quickly the newest answer of this process came. */
  readonly lastAnswer: AnswerSpeed;
  /** Undefined where there can be no MCP servers. */
  readonly mcp: McpServers | undefined;
  /** How this host does what only a host can do, by command name. */
  readonly hostHelp: { readonly [command: string]: string | undefined };
}

export interface BuiltInCommand extends SlashCommandInfo {
  readonly source: 'built-in';
  /** Answers without a request. Left out by commands that ask the model. */
  readonly answer?: ((args: string, desk: CommandDesk) => string | Promise<string>) | undefined;
}

const command = (name: string, description: string, rest: Partial<BuiltInCommand> = {}): BuiltInCommand => ({ name, description, source: 'built-in', ...rest });

/** Only a host can do it: it shows a picker, or opens something. */
const hostCommand = (name: string, description: string, otherwise: string): BuiltInCommand =>
  command(name, description, { answer: (_args, { hostHelp }) => hostHelp[name] ?? otherwise });

/** `/compact` and `/init` are carried out by the session itself. */
export const builtInCommands: readonly BuiltInCommand[] = [
  command('clear', 'start a new conversation; the old one is kept and can be brought back', { answer: clearText }),
  command('compact', 'replace old messages by a summary', { argumentHint: '[what to keep in view]' }),
  command('model', 'show the model, or use another from the next request on', { argumentHint: '[name]', answer: (args, { session }) => modelText(args, session) }),
  command('effort', 'how much the model shall put into its answers', { argumentHint: '[low|medium|high|max|auto]', answer: (args, { session }) => effortText(args, session) }),
  command('thinking', 'whether and how long the model thinks', { argumentHint: '[off|auto|tokens|default]', answer: (args, { session }) => thinkingText(args, session) }),
  command('cost', 'what this session has cost so far, and what for', { answer: (_args, { session, lastAnswer }) => costText(session.cost, lastAnswer) }),
  command('context', 'how full the context window is', { answer: (_args, { session }) => contextText(session) }),
  hostCommand('resume', 'go on with an earlier session', 'In the editor: run “Turnstone: Open Session…” from the command palette. On the command line: start again with --resume and the session’s id, or with --continue for the last one.'),
  hostCommand('rewind', 'go back to an earlier message', 'In the editor: “Rewind to here…” on a message, or “Turnstone: Rewind to Message…” in the command palette. On the command line: start again with --continue --rewind and the message’s id. Nothing was changed.'),
  hostCommand('fork', 'go on from here in a session of its own', 'In the editor: “Turnstone: Fork Session”. On the command line: start again with --continue --fork-session. Nothing was changed.'),
  command('export', 'the conversation as text', { argumentHint: '[md|json]', answer: (args, { session }) => exportText(args.toLowerCase(), session) }),
  command('permissions', 'show the permission mode, or use another', { argumentHint: '[ask|accept-edits|plan]', answer: (args, { session }) => permissionsText(args, session) }),
  command('mcp', 'servers that bring tools of their own: how they stand, and which may run', { argumentHint: '[enable|disable|reconnect name]', answer: (args, { mcp }) => mcp?.command(args) ?? 'There are no MCP servers in this session.' }),
  command('init', 'have the model write a CLAUDE.md for this project'),
  command('memory', 'which instruction files are read', { answer: memoryText }),
  command('help', 'this list', { answer: helpText }),
];

async function clearText(_args: string, desk: CommandDesk): Promise<string> {
  return (await desk.clear())
    ? 'A new conversation begins here. The one before stays in the transcript: undo the rewind to bring it back. Files were not touched.'
    : 'The conversation is empty already.';
}

async function memoryText(_args: string, desk: CommandDesk): Promise<string> {
  const { files, problems } = await desk.memory();
  const lines = files.map((file) => `${file.path} (${file.text.split('\n').length} lines)`);
  const none = 'No instruction files are read here. Write a CLAUDE.md in the workspace, or ~/.claude/CLAUDE.md for all projects; /init has the model write one.';
  return [...(lines.length > 0 ? ['Told to the model, in this order:', ...lines] : [none]), ...problems].join('\n');
}

async function helpText(_args: string, desk: CommandDesk): Promise<string> {
  const lines = (await desk.commands()).map(({ name, argumentHint, description }) => `/${name}${argumentHint ? ` ${argumentHint}` : ''} — ${description}`);
  return ['Commands:', ...lines, 'Mention a file or folder with @ to attach it: @src/cart.ts, @"my notes.md", @cart.ts#L3-9.'].join('\n');
}
