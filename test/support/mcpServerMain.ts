import { appendFileSync, existsSync } from 'node:fs';
import { argv, pid, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { McpFixture } from './mcpTools.ts';
import type { McpMessage } from './mcpTools.ts';

/**
 * A real MCP server on standard input and output: `mcpServerMain.ts [--odd] [--hang] [--once] [--stubborn] [--pids file]`.
 * hang = never answers; once = hangs when it is started again with the same file; stubborn = does not end with its input, nor when it is asked to; pids = writes down its process id.
 */
const flags = new Set(argv.slice(2));
const pids = argv.indexOf('--pids');
const isHanging = flags.has('--hang') || (flags.has('--once') && existsSync(argv[pids + 1]!));
if (pids > 0) appendFileSync(argv[pids + 1]!, `${pid}\n`);
if (flags.has('--stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
const send = (message: unknown): void => void stdout.write(`${JSON.stringify(message)}\n`);
const asked = new Map<unknown, (result: unknown) => void>();
const fixture = new McpFixture(
  {
    notify: (method, params) => send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }),
    ask: (method) => new Promise((resolve) => {
      const id = `ask-${asked.size}`;
      asked.set(id, resolve);
      send({ jsonrpc: '2.0', id, method });
    }),
  },
  { odd: flags.has('--odd') },
);
stdout.write('A word of greeting that is no message.\n');
createInterface(stdin).on('line', (line) => {
  const message = JSON.parse(line) as McpMessage;
  if (message.method === undefined) return asked.get(message.id)?.(message.result);
  if (message.method === 'notifications/cancelled' && pids > 0) appendFileSync(argv[pids + 1]!, `cancelled\n`);
  if (isHanging) return;
  void fixture.answer(message).then((answer) => answer !== undefined && send(answer));
});
