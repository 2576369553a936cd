import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '../lib/processes.mjs';

const runs = 20;
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** The process is killed the instant its request is at the server: is what the user said on disk? */
export async function durability({ server, folder }) {
  let kept = 0;
  let killed = 0;
  for (let run = 0; run < runs; run++) {
    const home = join(folder, 'durability', String(run));
    const prompt = `Remember the word ${Math.random().toString(36).slice(2)}.`;
    const env = { TURNSTONE_HOME: home, ANTHROPIC_BASE_URL: `${server.url}/chars/200`, ANTHROPIC_API_KEY: 'bench' };
    const child = startNode([cli, '-p', prompt], { cwd: folder, env });
    server.watch(child.pid, { kill: true });
    const [, signal] = await once(child, 'exit');
    if (signal === 'SIGKILL') killed += 1;
    if (isInTranscript(home, prompt)) kept += 1;
  }
  server.forgetRequests();
  return [['prompt on disk after kill at the request', `${kept} of ${runs}`, `${killed} were killed in time`, `${runs} of ${runs}`]];
}

function isInTranscript(home, prompt) {
  if (!existsSync(home)) return false;
  const transcripts = readdirSync(home, { recursive: true }).filter((file) => file.endsWith('.jsonl'));
  return transcripts.some((file) => readFileSync(join(home, file), 'utf8').includes(prompt));
}
