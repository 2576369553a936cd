import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { systemErrorCode } from '../../base/errors.ts';
import { byteCount, cutTextStart } from '../../base/text.ts';
import { childEnvironment } from '../childEnvironment.ts';
import { endProcessGroup, endProcessTree } from '../processTree.ts';
import { markName } from '../runningCommands.ts';
import type { CommandEntry, CommandToStart } from '../runningCommands.ts';
import { endWithThisProcess } from '../runningGroups.ts';

/** UTF-16 units of what a server says on standard error that are kept, to explain its end. */
const maxLastWords = 2_000;
/** Bytes of one message. More would fill the memory before anybody could look at it. */
const maxLine = 32 * 1024 * 1024;
const lineFeed = 0x0a;
/** Milliseconds that a server has to end by itself when its input is closed. */
const politeMs = 500;
const graceMs = 1_000;

export interface ServerProgram {
  /** For the list of running commands. */
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
  readonly keepVariables: readonly string[];
  /** Called before it starts; what it returns is told when it has started, and when it is gone. */
  readonly onStart: (command: CommandToStart) => CommandEntry;
}

/** A program that is spoken to over its standard input and output, with a process group of its own. */
export class ServerProcess {
  onLine: (line: string) => void = () => {};
  /** It is gone, whoever ended it. */
  onExit: () => void = () => {};
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #mark: string;
  #lastWords = '';
  /** Of a line that is not complete. */
  #chunks: Buffer[] = [];
  #chunksSize = 0;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, mark: string) {
    this.#child = child;
    this.#mark = mark;
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#lastWords = cutTextStart(this.#lastWords + text, maxLastWords)));
    // The end of the process tells what a broken pipe would.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  }

  /** Rejects with Node's system error when there is no such program or folder. */
  static async start(program: ServerProgram): Promise<ServerProcess> {
    const id = crypto.randomUUID();
    const mark = `${markName}=${id}`;
    const entry = program.onStart({ mark, command: program.title });
    const child = spawn(program.command, program.args, {
      cwd: program.cwd,
      env: { ...childEnvironment(process.env, program.keepVariables), ...program.env, [markName]: id },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    child.once('exit', () => entry.over());
    const started = new ServerProcess(child, mark);
    try {
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    } catch (thrown) {
      entry.over();
      throw thrown;
    }
    entry.started(child.pid!);
    endWithThisProcess(child);
    child.once('exit', () => {
      if (!started.#ending) endProcessGroup(child.pid!);
    });
    child.once('close', () => started.onExit());
    return started;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** How it ended, and the last line that it said about it. */
  get ending(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
    const line = this.#lastWords.trim().split('\n').at(-1)?.trim();
    return line ? `${how}: ${cutTextStart(line, 300)}` : how;
  }

  /** Resolves when there is room for more. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.hasExited || !this.#child.stdin.writable) return reject(new Error('it does not run any more'));
      this.#child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its input, then ends it and whatever it started. Resolves when all of it is gone. Never rejects. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...this.#chunks, chunk.subarray(start, end)]).toString('utf8');
      this.#chunks = [];
      this.#chunksSize = 0;
      start = end + 1;
      this.onLine(line);
    }
    this.#chunks.push(chunk.subarray(start));
    this.#chunksSize += chunk.length - start;
    if (this.#chunksSize <= maxLine) return;
    this.#lastWords = `it sent a message of more than ${byteCount(maxLine)}`;
    this.#chunks = [];
    void this.end();
  }

  async #end(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (!this.hasExited) {
      this.#child.stdin.end();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, politeMs);
        this.#child.once('exit', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    await endProcessTree(pid, { graceMs, mark: this.#mark });
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
  }
}

/** Why a program could not be started, in words. */
export function whyNotStarted(thrown: unknown, { command, cwd }: Pick<ServerProgram, 'command' | 'cwd'>): string {
  const code = systemErrorCode(thrown);
  if (code === 'ENOENT') return `there is no program “${command}” on the PATH, or the folder ${cwd} is gone`;
  if (code === 'EACCES') return `“${command}” may not be run`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
