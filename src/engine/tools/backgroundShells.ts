import { errorText, isTurnstoneError } from '../../base/errors.ts';
import type { Shell, ShellExit } from '../ports.ts';
import { OutputCollector } from './outputCollector.ts';

/** UTF-16 units kept of what a command printed and nobody has looked at yet. */
const maxUnreadLength = 30_000;

export type BackgroundStatus =
  | { readonly kind: 'running' }
  | { readonly kind: 'killed' }
  /** `exitCode` is null when a signal ended it. */
  | { readonly kind: 'ended'; readonly exitCode: number | null }
  | { readonly kind: 'failed'; readonly message: string };

export interface BackgroundReport {
  readonly command: string;
  readonly status: BackgroundStatus;
  /** What was printed since the last report. */
  readonly newOutput: string;
}

interface BackgroundCommand {
  readonly command: string;
  readonly controller: AbortController;
  output: OutputCollector;
  status: BackgroundStatus;
  /** The model does not know yet that it is over. */
  isEndUntold: boolean;
  done: Promise<void>;
}

/**
 * The commands that a session left running. They outlive their turn, whether it ends or is interrupted, and are ended
 * with all their processes by {@link kill} and when the session is disposed of.
 */
export class BackgroundShells {
  readonly #shell: Shell;
  readonly #commands = new Map<string, BackgroundCommand>();
  #notes: readonly string[];

  /** `notes`: what the model has to hear of commands of an earlier process. */
  constructor(shell: Shell, notes: readonly string[] = []) {
    this.#shell = shell;
    this.#notes = notes;
  }

  /** Starts a command and returns its id, which no other session has. `onOver` is waited for when its processes are gone. */
  start(command: string, cwd: string, onOver?: () => Promise<void>): string {
    const id = `bash_${crypto.randomUUID().slice(0, 8)}`;
    const started: BackgroundCommand = {
      command,
      controller: new AbortController(),
      output: new OutputCollector(maxUnreadLength),
      status: { kind: 'running' },
      isEndUntold: true,
      done: Promise.resolve(),
    };
    this.#commands.set(id, started);
    started.done = this.#follow(started, cwd).then(onOver);
    return id;
  }

  get ids(): readonly string[] {
    return [...this.#commands.keys()];
  }

  /** What is new; undefined for an id that is not known. */
  report(id: string): BackgroundReport | undefined {
    const found = this.#commands.get(id);
    if (!found) return undefined;
    const newOutput = found.output.text;
    found.output = new OutputCollector(maxUnreadLength);
    if (found.status.kind !== 'running') found.isEndUntold = false;
    return { command: found.command, status: found.status, newOutput };
  }

  /** Resolves when the command and its processes are gone. False when it was over already; undefined for an id that is not known. */
  async kill(id: string): Promise<boolean | undefined> {
    const found = this.#commands.get(id);
    if (!found) return undefined;
    const wasRunning = found.status.kind === 'running';
    found.isEndUntold = false;
    found.controller.abort('killed');
    await found.done;
    return wasRunning;
  }

  /** Commands that have ended since the model last heard of them, each told once. */
  takeEndNotes(): string[] {
    const notes: string[] = [...this.#notes];
    this.#notes = [];
    for (const [id, command] of this.#commands) {
      if (command.status.kind === 'running' || !command.isEndUntold) continue;
      command.isEndUntold = false;
      notes.push(`The background command ${id} (${command.command.split('\n')[0]}) is over: ${describeStatus(command.status)} BashOutput shows what it printed.`);
    }
    return notes;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#commands.keys()].map((id) => this.kill(id)));
  }

  /** Never rejects: how it went is the status. */
  async #follow(command: BackgroundCommand, cwd: string): Promise<void> {
    try {
      const running = this.#shell.run({ command: command.command, cwd, timeoutMs: Infinity }, command.controller.signal);
      for (;;) {
        const step = await running.next();
        if (step.done) return void (command.status = statusOf(step.value));
        command.output.add(step.value.text);
      }
    } catch (thrown) {
      command.status = { kind: 'failed', message: isTurnstoneError(thrown) ? thrown.modelMessage : errorText(thrown) };
    }
  }
}

export function describeStatus(status: BackgroundStatus): string {
  switch (status.kind) {
    case 'running':
      return 'It is still running.';
    case 'killed':
      return 'It was ended, with the processes it started.';
    case 'ended':
      return status.exitCode === null ? 'It was ended by a signal.' : `It has ended with exit code ${status.exitCode}.`;
    case 'failed':
      return status.message;
  }
}

function statusOf(exit: ShellExit): BackgroundStatus {
  return exit.interrupted ? { kind: 'killed' } : { kind: 'ended', exitCode: exit.exitCode };
}
