import { parseArgs } from 'node:util';
import { TurnstoneError } from '../base/errors.ts';
import type { PermissionRuleTexts } from '../protocol/permissionRules.ts';
import { modeOfWord } from '../base/modeLabels.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { splitRuleList } from './splitRuleList.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Which session to use; undefined: a new one. `fork`: a copy of it. */
export type SessionChoice = { readonly kind: 'resume'; readonly session: string; readonly fork?: true } | { readonly kind: 'continue'; readonly fork?: true };

export interface CommonArguments {
  readonly outputFormat: OutputFormat;
  readonly session: SessionChoice | undefined;
  readonly verbose: boolean;
}

/** What holds for the agent, however it is driven. */
export interface AgentArguments {
  readonly permissionMode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly fallbackModel: string | undefined;
  readonly maxTurns: number | undefined;
  readonly maxBudgetUsd: number | undefined;
  /** A file with prices of the user's own. */
  readonly prices: string | undefined;
  /** Of one turn. */
  readonly maxOutputTokens: number | undefined;
  readonly unattended: boolean;
  readonly demo: boolean;
  /** Variables that commands get although they are named like a secret. */
  readonly keepVariables: readonly string[];
  readonly permissionRules: PermissionRuleTexts | undefined;
  /** Files or JSON that name MCP servers. */
  readonly mcpConfigs: readonly string[];
}

export interface PromptArguments extends CommonArguments, AgentArguments {
  readonly kind: 'prompt';
  /** undefined: it comes on standard input. */
  readonly prompt: string | undefined;
  readonly includePartialMessages: boolean;
  readonly sessionId: string | undefined;
}

/** Serve an editor that speaks the Agent Client Protocol. */
export interface AcpArguments extends AgentArguments {
  readonly kind: 'acp';
  readonly verbose: boolean;
}

export interface RewindArguments extends CommonArguments {
  readonly kind: 'rewind';
  /** To a message; or the last rewind is taken back, or what was taken back is made again. */
  readonly to: { readonly messageId: string; readonly scope: 'files' | 'both' } | 'undo' | 'redo';
  /** What to do with files that were changed since the agent wrote them. With none of these going back is refused. */
  readonly changed: { readonly merge: boolean; readonly otherwise: 'overwrite' | 'skip' | undefined };
  /** Say what would be done, and do nothing. */
  readonly dryRun: boolean;
}

export type Command = PromptArguments | RewindArguments | AcpArguments;

/** Throws an `invalid_input` error that says which argument is wrong and what it may be. */
export function parseArguments(args: readonly string[]): Command {
  if (args[0] === 'acp') return acpArguments(args.slice(1));
  const { values, positionals } = parseValues(args);
  if (values.resume !== undefined && values.continue) throw wrong('--resume and --continue exclude each other.');
  const common: CommonArguments = {
    outputFormat: outputFormat(values['output-format']),
    session: sessionChoice(values),
    verbose: values.verbose ?? false,
  };
  if (values.resume?.trim() === '') throw wrong('--resume needs the id or the path of a session.');
  const rewind = rewindArguments(values, common);
  if (rewind) return rewind;
  if (!values.print) throw wrong('Only single requests are possible here: use -p "…". --help lists what else there is.');
  if (positionals.length > 1) throw wrong(`More than one prompt was given. Put the whole prompt in quotes: -p "${positionals.join(' ')}"`);
  return { ...common, kind: 'prompt', prompt: positionals[0], ...promptValues(values) };
}

/** The client opens sessions, sends prompts and gets the answers: nothing of that is said here. */
function acpArguments(args: readonly string[]): AcpArguments {
  const { values, positionals } = parseValues(args);
  const [other] = Object.keys(values).filter((name) => !acpOptions.has(name));
  if (other !== undefined) throw wrong(`--${other} does not go with acp: the editor says that.`);
  if (positionals.length > 0) throw wrong('acp takes no prompt: the editor sends it.');
  return { kind: 'acp', verbose: values.verbose ?? false, ...agentValues(values) };
}

const acpOptions: ReadonlySet<string> = new Set(['permission-mode', 'model', 'fallback-model', 'max-turns', 'max-budget-usd', 'prices', 'max-output-tokens', 'unattended', 'keep-env', 'allowedTools', 'disallowedTools', 'mcp-config', 'demo', 'verbose']);

function rewindArguments(values: Values, common: CommonArguments): RewindArguments | undefined {
  const ways = [values['rewind-files'], values.rewind, values['undo-rewind'], values.redo].filter((way) => way !== undefined);
  if (ways.length === 0) return undefined;
  if (ways.length > 1) throw wrong('--rewind-files, --rewind, --undo-rewind and --redo exclude each other.');
  if (values.overwrite && values.skip) throw wrong('--overwrite and --skip exclude each other.');
  if (common.session?.fork) throw wrong('--fork-session goes with a prompt: going back happens in the session itself.');
  if (!common.session) throw wrong('To go back, say in which session: --resume <id> or --continue.');
  if (values.print) throw wrong('Going back and sending a prompt are two commands.');
  const messageId = values['rewind-files'] ?? values.rewind;
  const to = messageId === undefined ? (values.redo ? 'redo' : 'undo') : ({ messageId, scope: values.rewind === undefined ? 'files' : 'both' } as const);
  const changed = { merge: values.merge ?? false, otherwise: values.overwrite ? 'overwrite' : values.skip ? 'skip' : undefined } as const;
  return { ...common, kind: 'rewind', to, changed, dryRun: values['dry-run'] ?? false };
}

const options = {
  print: { type: 'boolean', short: 'p' },
  'output-format': { type: 'string' },
  'include-partial-messages': { type: 'boolean' },
  resume: { type: 'string', short: 'r' },
  continue: { type: 'boolean', short: 'c' },
  'fork-session': { type: 'boolean' },
  'session-id': { type: 'string' },
  'permission-mode': { type: 'string' },
  model: { type: 'string' },
  'fallback-model': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-budget-usd': { type: 'string' },
  prices: { type: 'string' },
  'max-output-tokens': { type: 'string' },
  unattended: { type: 'boolean' },
  'rewind-files': { type: 'string' },
  rewind: { type: 'string' },
  'undo-rewind': { type: 'boolean' },
  redo: { type: 'boolean' },
  merge: { type: 'boolean' },
  overwrite: { type: 'boolean' },
  skip: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'keep-env': { type: 'string', multiple: true },
  allowedTools: { type: 'string', multiple: true },
  disallowedTools: { type: 'string', multiple: true },
  'mcp-config': { type: 'string', multiple: true },
  demo: { type: 'boolean' },
  verbose: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values'];

function parseValues(args: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: promptLast(args), options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrong(optionTrouble(error instanceof Error ? error.message : String(error)));
  }
}

function optionTrouble(said: string): string {
  const unknown = /^Unknown option '([^']+)'/.exec(said)?.[1];
  if (unknown === undefined) return `${said} (--help lists the options.)`;
  return `There is no option ${unknown}. --help lists them; a prompt that begins with a dash goes last, after --.`;
}

/** A prompt may begin with a dash ("- [ ] the first item …"): what follows -p and holds a space or line is the prompt. */
function promptLast(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => arg === '-p' || arg === '--print' || arg.startsWith('--print='));
  const end = args.indexOf('--');
  if (at < 0 || (end >= 0 && end < at)) return [...args];
  const flag = args[at] ?? '';
  if (flag.startsWith('--print=')) return [...args.slice(0, at), ...args.slice(at + 1), '--print', '--', flag.slice('--print='.length)];
  const next = args[at + 1];
  if (next === undefined || !next.startsWith('-') || !/\s/.test(next)) return [...args];
  return [...args.slice(0, at + 1), ...args.slice(at + 2), '--', next];
}

function promptValues(values: Values): Omit<PromptArguments, 'kind' | 'prompt' | keyof CommonArguments> {
  if (values.resume !== undefined && values['session-id'] !== undefined) throw wrong('--session-id is for a new session; --resume names an old one.');
  return {
    includePartialMessages: values['include-partial-messages'] ?? false,
    sessionId: sessionId(values['session-id']),
    ...agentValues(values),
  };
}

function agentValues(values: Values): AgentArguments {
  return {
    permissionMode: permissionMode(values['permission-mode']),
    model: named(values.model, '--model'),
    fallbackModel: named(values['fallback-model'], '--fallback-model'),
    maxTurns: positive(values['max-turns'], '--max-turns', Number.isSafeInteger),
    maxBudgetUsd: positive(values['max-budget-usd'], '--max-budget-usd', Number.isFinite),
    prices: pricesFile(values.prices),
    maxOutputTokens: positive(values['max-output-tokens'], '--max-output-tokens', Number.isSafeInteger),
    unattended: values.unattended ?? false,
    permissionRules: permissionRules(values),
    mcpConfigs: values['mcp-config'] ?? [],
    demo: values.demo ?? false,
    keepVariables: values['keep-env']?.flatMap((names) => names.split(',')).map((name) => name.trim()).filter(Boolean) ?? [],
  };
}

function named(value: string | undefined, option: string): string | undefined {
  if (value?.trim() === '') throw wrong(`${option} needs the name of a model. Leave it out to use the usual one.`);
  return value;
}

function pricesFile(value: string | undefined): string | undefined {
  if (value?.trim() === '') throw wrong('--prices needs the path of a JSON file.');
  return value;
}

function outputFormat(value: string | undefined): OutputFormat {
  if (value === undefined) return 'text';
  if (value === 'text' || value === 'json' || value === 'stream-json') return value;
  throw wrong(`--output-format is text, json or stream-json, not "${value}".`);
}

function permissionMode(value: string | undefined): PermissionMode | undefined {
  if (value === undefined) return undefined;
  const mode = modeOfWord(value);
  if (mode) return mode;
  throw wrong(`--permission-mode is ask, accept-edits, plan or bypass, not "${value}".`);
}

function permissionRules({ allowedTools, disallowedTools }: Values): PermissionRuleTexts | undefined {
  if (allowedTools === undefined && disallowedTools === undefined) return undefined;
  return { allow: allowedTools?.flatMap(splitRuleList), deny: disallowedTools?.flatMap(splitRuleList) };
}

function sessionChoice(values: Values): SessionChoice | undefined {
  const fork = values['fork-session'] ? ({ fork: true } as const) : {};
  if (values.continue) return { kind: 'continue', ...fork };
  if (values.resume !== undefined) return { kind: 'resume', session: values.resume, ...fork };
  if (values['fork-session']) throw wrong('--fork-session copies a session: say which one, with --resume <id> or --continue.');
  return undefined;
}

function sessionId(value: string | undefined): string | undefined {
  if (value === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value;
  throw wrong(`--session-id takes a UUID, such as 7a1b6f0c-8a52-4c4e-9d1b-0d8b8e1f2a3c, not "${value}".`);
}

function positive(text: string | undefined, option: string, isRight: (value: number) => boolean): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (isRight(value) && value > 0) return value;
  throw wrong(`${option} is a number above zero, not "${text}".`);
}

function wrong(message: string): TurnstoneError {
  return new TurnstoneError('invalid_input', message);
}
