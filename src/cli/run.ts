import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CommandHost } from './commandHost.ts';
import { Output } from './output.ts';
import { parseArguments } from './parseArguments.ts';
import type { Command } from './parseArguments.ts';
import { checkpoint } from './startupProfile.ts';
import { StopSignals } from './stopSignals.ts';

/** Exit code of a program whose reader has gone: 128 and the number of SIGPIPE. */
const readerGoneExitCode = 141;

/** Carries out one command line and returns its exit code. Never throws: what went wrong is said on standard error. */
export async function run(args: readonly string[]): Promise<number> {
  checkpoint('command line loaded');
  const signals = new StopSignals();
  let onReaderGone = (): void => {};
  const output = new Output(process.stdout, () => onReaderGone());
  try {
    const parsed = parseArguments(args);
    const host: CommandHost = { output, log: stderrLog(parsed.verbose), signals, callOnReaderGone: (stop) => (onReaderGone = stop) };
    const exitCode = await withMirrorIfSet(host, (mirror) => carryOut(parsed, { ...host, mirror }));
    if (output.failure !== undefined) {
      process.stderr.write(`Standard output could not be written (${output.failure}), so the answer is not all there. The session has it.\n`);
      return signals.exitCode ?? 1;
    }
    return signals.exitCode ?? (output.readerIsGone ? readerGoneExitCode : exitCode);
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    return signals.exitCode ?? 1;
  }
}

/** Each command loads what it needs and nothing else. */
async function carryOut(command: Command, host: CommandHost): Promise<number> {
  switch (command.kind) {
    case 'prompt':
      return (await import('./printAnswer.ts')).printAnswer(command, host);
    case 'rewind':
      return (await import('./goBack.ts')).goBack(command, host);
    case 'acp':
      return (await import('./serveAcp.ts')).serveAcp(command, host);
  }
}

async function withMirrorIfSet<T>({ log }: CommandHost, act: (mirror: CommandHost['mirror']) => Promise<T>): Promise<T> {
  if (!process.env['TURNSTONE_MIRROR_URL']) return act(undefined);
  const { withMirror } = await import('./mirror.ts');
  return withMirror(process.env, log, act);
}

function stderrLog(verbose: boolean): Log {
  const said = new Set<string>();
  // The same sentence again says nothing new.
  const say = (message: string): void => {
    if (!said.has(message)) process.stderr.write(`${message}\n`);
    said.add(message);
  };
  const sayIfVerbose = verbose ? say : () => {};
  return { debug: sayIfVerbose, info: sayIfVerbose, warn: say, error: say };
}
