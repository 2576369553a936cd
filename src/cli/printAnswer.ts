import { buffer as readBytes } from 'node:stream/consumers';
import { TurnstoneError } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import type { SDKMessage, SDKNoticeMessage, SDKResultMessage } from '../protocol/messages.ts';
import type { CanUseTool, PermissionAnswer } from '../protocol/permissions.ts';
import { retryText } from '../protocol/retryText.ts';
import { toSendItAnyway, unknownCommand } from '../sdk/index.ts';
import { agentOptions } from './agentOptions.ts';
import { chooseEndpoint } from './chooseEndpoint.ts';
import type { ChosenEndpoint } from './chooseEndpoint.ts';
import type { CommandHost } from './commandHost.ts';
import { openSession } from './openSession.ts';
import type { OutputFormat, PromptArguments } from './parseArguments.ts';
import { checkpoint, printStartupProfile } from './startupProfile.ts';

/** Runs one turn and prints it in the format asked for. The exit code is 0 for a success. */
export async function printAnswer(args: PromptArguments, host: CommandHost): Promise<number> {
  const prompt = args.prompt ?? (await promptFromInput());
  if (prompt.trim() === '') throw new TurnstoneError('invalid_input', 'The prompt is empty, so nothing was sent.');
  const chosen = await chooseEndpoint(args.demo, process.env);
  try {
    const session = await openSession(args.session, engineOptions(args, chosen, host), host);
    host.signals.callOnStop(() => session.interrupt());
    host.callOnReaderGone(() => session.interrupt());
    try {
      const unknown = await unknownCommand(prompt, session);
      if (unknown) throw new TurnstoneError('invalid_input', `${unknown.text} ${toSendItAnyway}`);
      return await printTurn(session.submitMessage(prompt), args, host);
    } finally {
      await session.dispose();
    }
  } finally {
    await chosen.close();
  }
}

function engineOptions(args: PromptArguments, chosen: ChosenEndpoint, host: CommandHost): Omit<Parameters<typeof openSession>[1], 'log'> {
  const { sessionId, includePartialMessages } = args;
  return { ...agentOptions(args, chosen, host.log), canUseTool: refuser(host), sessionId, includePartialMessages };
}

/** Nobody is there to be asked. Whoever reads the log is told which rule would have let it pass, where one would. */
function refuser({ log }: CommandHost): CanUseTool {
  return async ({ toolName, title, suggestedRule }) => {
    const what = cutText(`${toolName} ${title}`.replace(/\s+/g, ' '), 200);
    log.warn(`Refused, because nobody is there to be asked: ${what}.${suggestedRule === undefined ? '' : ` To allow it, add this rule to permissions.allow in .claude/settings.local.json, or give it with --allowedTools: ${suggestedRule}`}`);
    return refusal;
  };
}

const refusal: PermissionAnswer = {
  behavior: 'deny',
  byUser: false,
  reason: 'This needs the user’s consent and nobody is there to give it. Nothing was changed. To allow it, the command has to be started anew: edits go through with --permission-mode accept-edits, single commands with --allowedTools, everything with --permission-mode bypass.',
};

async function printTurn(turn: AsyncIterable<SDKMessage>, { outputFormat, includePartialMessages }: PromptArguments, host: CommandHost): Promise<number> {
  let result: SDKResultMessage | undefined;
  let held: SDKMessage | undefined;
  for await (const message of turn) {
    if (result === undefined && message.type !== 'result') checkpoint(message.type === 'system' ? message.subtype : message.type);
    if (outputFormat === 'stream-json' && (message.type !== 'stream_event' || includePartialMessages)) await host.output.write(`${JSON.stringify(message)}\n`);
    // What a local command says comes as a notice too: it is the answer, and printed as that.
    if (held && !(message.type === 'result' && isNotice(held) && held.text === message.result)) sayOnTheWay(held, host);
    held = outputFormat !== 'stream-json' && isNotice(message) ? message : undefined;
    if (outputFormat !== 'stream-json' && !held) sayOnTheWay(message, host);
    if (message.type === 'result') result = message;
  }
  printStartupProfile();
  if (!result) throw new TurnstoneError('unknown', 'The turn ended without a result. What was said until then is kept in the session.');
  await printResult(result, outputFormat, host);
  return result.is_error ? 1 : 0;
}

async function printResult(result: SDKResultMessage, outputFormat: OutputFormat, { output, log }: CommandHost): Promise<void> {
  if (outputFormat === 'json') return output.write(`${JSON.stringify(result)}\n`);
  if (outputFormat === 'stream-json') return;
  if (result.result !== undefined) await output.write(result.result.endsWith('\n') ? result.result : `${result.result}\n`);
  for (const error of result.errors) log.error(error);
}

function isNotice(message: SDKMessage): message is SDKNoticeMessage {
  return message.type === 'system' && message.subtype === 'notice';
}

/** What a person who waits for the answer wants to know meanwhile. */
function sayOnTheWay(message: SDKMessage, { log }: CommandHost): void {
  if (message.type !== 'system') return;
  if (message.subtype === 'notice') log.warn(message.text);
  if (message.subtype === 'api_retry') log.warn(retryText(message));
}

async function promptFromInput(): Promise<string> {
  if (process.stdin.isTTY) throw new TurnstoneError('invalid_input', 'There is no prompt. Say it after -p, in quotes, or send it on standard input.');
  const bytes = await readBytes(process.stdin);
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new TurnstoneError('invalid_input', 'Standard input is not text in UTF-8, so nothing was sent. Convert it first, for example: iconv -f latin1 -t utf-8');
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
