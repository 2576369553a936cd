import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { onAbort } from '../base/abort.ts';
import { AsyncQueue } from '../base/asyncQueue.ts';
import { DisposableStore } from '../base/disposables.ts';
import { TurnstoneError } from '../base/errors.ts';
import type { Shell, ShellExit, ShellOutput, ShellRequest } from '../engine/ports.ts';
import { childEnvironment } from './childEnvironment.ts';
import { endProcessGroup, endProcessTree } from './processTree.ts';
import { markName } from './runningCommands.ts';
import type { CommandEntry, CommandToStart } from './runningCommands.ts';
import { endWithThisProcess } from './runningGroups.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Output that nobody has taken yet, in UTF-16 units, from which on the command has to wait. */
const maxUnread = 1_000_000;
/** A finished command may have left a child that holds its output open: that is waited for only while output comes… */
const quietMs = 250;
/** …and for no more than this many such spells. */
const maxSpells = 8;

export interface NodeShellOptions {
  /** Default: bash where there is one, else sh (on Windows cmd). */
  readonly program?: string | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 2,000. */
  readonly graceMs?: number | undefined;
  /** Variables that commands get although they are named like a secret. Default: none. */
  readonly keepVariables?: readonly string[] | undefined;
  /** Called before each command starts; what it returns is told when it has started, and when its shell is gone. */
  readonly onStart?: ((command: CommandToStart) => CommandEntry) | undefined;
}

/** Runs commands without a terminal, with closed input and a cleaned environment. */
export function createNodeShell(options: NodeShellOptions = {}): Shell {
  const program = options.program ?? defaultProgram();
  const graceMs = options.graceMs ?? 2_000;
  return {
    name: basename(program).replace(/\.exe$/i, ''),
    run: (request, signal) => runCommand(program, { request, graceMs, keepVariables: options.keepVariables, onStart: options.onStart }, signal),
  };
}

interface Run {
  readonly request: ShellRequest;
  readonly graceMs: number;
  readonly keepVariables: readonly string[] | undefined;
  readonly onStart: NodeShellOptions['onStart'];
}

async function* runCommand(program: string, run: Run, signal: AbortSignal): AsyncGenerator<ShellOutput, ShellExit, void> {
  const started = performance.now();
  const durationMs = (): number => Math.round(performance.now() - started);
  if (signal.aborted) return { exitCode: null, timedOut: false, interrupted: true, durationMs: 0 };
  const command = startCommand(program, run);
  const cleanup = new DisposableStore();
  let stoppedBy: 'timeout' | 'abort' | undefined;
  const stop = (reason: 'timeout' | 'abort'): void => {
    if (command.hasExited()) return;
    stoppedBy ??= reason;
    void command.endTree();
  };
  try {
    // A timer takes Infinity for no time at all.
    const timer = Number.isFinite(run.request.timeoutMs) ? setTimeout(() => stop('timeout'), run.request.timeoutMs) : undefined;
    cleanup.add({ dispose: () => clearTimeout(timer) });
    cleanup.add(onAbort(signal, () => stop('abort')));
    for await (const output of command.output) {
      command.taken(output);
      yield output;
    }
    if (stoppedBy) await command.endTree();
    return { exitCode: command.exitCode(), timedOut: stoppedBy === 'timeout', interrupted: stoppedBy === 'abort', durationMs: durationMs() };
  } finally {
    cleanup.dispose();
    // A consumer that stopped early ends here while the command still runs.
    if (!command.hasExited()) await command.endTree();
    command.release();
  }
}

interface RunningCommand {
  readonly output: AsyncIterable<ShellOutput>;
  taken(output: ShellOutput): void;
  hasExited(): boolean;
  exitCode(): number | null;
  endTree(): Promise<void>;
  /** Lets go of what the command may have left behind. */
  release(): void;
}

function startCommand(program: string, { request, graceMs, keepVariables, onStart }: Run): RunningCommand {
  if (request.command.includes('\0')) throw new TurnstoneError('invalid_input', 'The command holds a NUL character, which no shell takes. It was not run.');
  const id = crypto.randomUUID();
  const mark = `${markName}=${id}`;
  const entry = onStart?.({ mark, command: request.command });
  const child = spawnShell(program, request, { ...childEnvironment(process.env, keepVariables), [markName]: id }, () => entry?.over());
  endWithThisProcess(child);
  if (child.pid === undefined) entry?.over();
  else entry?.started(child.pid);
  const queue = new AsyncQueue<ShellOutput>();
  const flow = new Flow(child);
  forward(child, queue, flow);
  let ending: Promise<void> | undefined;
  child.on('error', (error) => queue.fail(cannotStart(program, request, error)));
  child.once('exit', () => {
    // Plain background jobs end with their command; programs that made a session of their own are meant to stay.
    if (child.pid !== undefined && !ending) endProcessGroup(child.pid);
    entry?.over();
    endWhenQuiet(queue, flow);
  });
  child.once('close', () => queue.end());
  const hasExited = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const endTree = async (): Promise<void> => {
    if (child.pid !== undefined) await endProcessTree(child.pid, { graceMs, mark });
    // Also when the system could not end it: nobody is to wait for ever.
    endWhenQuiet(queue, flow);
  };
  return {
    output: queue,
    taken: (output) => flow.remove(output.text.length),
    hasExited,
    exitCode: () => child.exitCode,
    endTree: () => (ending ??= endTree()),
    release() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function spawnShell(program: string, request: ShellRequest, env: NodeJS.ProcessEnv, onRefused: () => void): Child {
  const isWindows = process.platform === 'win32';
  try {
    return spawn(program, shellArguments(program, request.command), {
      cwd: request.cwd,
      env,
      detached: !isWindows,
      windowsHide: true,
      windowsVerbatimArguments: isWindows && !/bash|sh\.exe/i.test(program),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // A command longer than the system takes, for one.
    onRefused();
    throw cannotStart(program, request, error as Error);
  }
}

/** Halts the command's output while too much of it is unread. */
class Flow {
  readonly #child: Child;
  #unread = 0;
  #total = 0;

  constructor(child: Child) {
    this.#child = child;
  }

  get isHalted(): boolean {
    return this.#unread > maxUnread;
  }

  /** Grows with every output. */
  get total(): number {
    return this.#total;
  }

  add(length: number): void {
    this.#unread += length;
    this.#total += length;
    if (this.isHalted) this.#eachStream((stream) => stream.pause());
  }

  remove(length: number): void {
    this.#unread -= length;
    if (!this.isHalted) this.#eachStream((stream) => stream.isPaused() && stream.resume());
  }

  #eachStream(action: (stream: Readable) => void): void {
    action(this.#child.stdout);
    action(this.#child.stderr);
  }
}

function endWhenQuiet(queue: AsyncQueue<ShellOutput>, flow: Flow, spells = 0): void {
  const before = flow.total;
  setTimeout(() => {
    if (flow.isHalted) endWhenQuiet(queue, flow, spells);
    else if (flow.total === before || spells >= maxSpells) queue.end();
    else endWhenQuiet(queue, flow, spells + 1);
  }, quietMs);
}

/** A decoder for each stream: a character may be cut between two chunks. */
function forward(child: Child, queue: AsyncQueue<ShellOutput>, flow: Flow): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder('utf-8');
    const push = (text: string): void => {
      if (text === '') return;
      flow.add(text.length);
      queue.push({ stream: name, text });
    };
    child[name].on('data', (chunk: Buffer) => push(decoder.decode(chunk, { stream: true })));
    child[name].on('end', () => push(decoder.decode()));
    // A broken pipe ends the output; the exit tells the rest.
    child[name].on('error', () => {});
  }
}

function shellArguments(program: string, command: string): string[] {
  const isCmd = /cmd(\.exe)?$/i.test(program);
  return isCmd ? ['/d', '/s', '/c', `"${command}"`] : ['-c', command];
}

function defaultProgram(): string {
  if (process.platform === 'win32') return process.env['ComSpec'] ?? 'cmd.exe';
  return ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

function cannotStart(program: string, request: ShellRequest, cause: Error): TurnstoneError {
  const why = existsSync(request.cwd) ? `the shell ${program} could not be started (${cause.message})` : `the folder ${request.cwd} does not exist`;
  return new TurnstoneError('configuration', `The command was not run: ${why}.`, { cause });
}
