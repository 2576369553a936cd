import { appendFileSync, readFileSync } from 'node:fs';
import { argv, exit, stderr, stdin, stdout } from 'node:process';
import { parseScriptFile } from './scriptFile.ts';
import { startScriptedServer } from './scriptedServer.ts';

/**
 * The scripted server as a process: `scriptedServerMain.ts script.json [log.jsonl]`. Prints its address as the first
 * line and serves until its standard input ends (so that it dies with its parent) or it is killed. The log gets one
 * JSON line per request, written before anything is answered: `{ n, time, path, body }`, and one `{ problem }` per problem.
 */
async function serveForever(scriptPath: string, logPath: string | undefined): Promise<void> {
  const { turns, options } = parseScriptFile(readFileSync(scriptPath, 'utf8'));
  const log = (line: unknown): void => {
    if (logPath !== undefined) appendFileSync(logPath, `${JSON.stringify(line)}\n`);
  };
  let count = 0;
  const server = await startScriptedServer(turns, {
    ...options,
    onRequest: request => log({ n: (count += 1), time: request.time, path: request.path, body: request.body }),
    onProblem: problem => log({ problem }),
  });
  stdout.write(`${server.url}\n`);
  stdin.resume();
  await new Promise<void>(resolve => stdin.once('end', () => resolve()));
  await server.close();
}

const [scriptPath, logPath] = argv.slice(2);
if (scriptPath === undefined) {
  stderr.write('usage: scriptedServerMain.ts <script.json> [<log.jsonl>]\n');
  exit(2);
}
serveForever(scriptPath, logPath).catch((error: unknown) => {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  exit(1);
});
