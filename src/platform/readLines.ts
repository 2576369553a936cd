import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { onAbort, throwIfAborted } from '../base/abort.ts';
import { TurnstoneError } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import { childEnvironment } from './childEnvironment.ts';

export interface LineProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
}

const maxErrorLength = 2_000;

/**
 * Runs ripgrep and yields the lines of its output. Ends it when the consumer stops or the signal aborts. Throws an
 * `invalid_input` error with ripgrep's own words when it failed without finding anything (a pattern it cannot read);
 * a file it could not open spoils no other result.
 */
export async function* readLines({ program, args, cwd }: LineProgram, signal: AbortSignal): AsyncGenerator<string, void, void> {
  throwIfAborted(signal);
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment(), windowsHide: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Awaited below, but perhaps only after it failed.
  ended.catch(() => {});
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = cutText(errors + text, maxErrorLength)));
  const listener = onAbort(signal, () => child.kill('SIGKILL'));
  let count = 0;
  try {
    for await (const line of splitStream(child.stdout)) {
      count++;
      yield line;
    }
    const code = await ended;
    throwIfAborted(signal);
    if (count === 0 && code !== 0 && code !== 1) throw new TurnstoneError('invalid_input', `The search failed: ${errors.trim() || `ripgrep ended with ${code}`}`);
  } finally {
    listener.dispose();
    if (child.exitCode === null) child.kill('SIGKILL');
  }
}

async function* splitStream(stream: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
