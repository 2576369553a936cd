import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, ms, times } from '../lib/figures.mjs';
import { measure, startNode, timeNode } from '../lib/processes.mjs';

const runs = 9;
const turns = 20;
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** From the start of the command line, and from a prompt in a running session, to the request at the server. */
export async function start({ server, folder }) {
  const node = [];
  const version = [];
  const cold = [];
  for (let run = 0; run < runs; run++) {
    node.push(await timeNode(['-e', '0']));
    version.push(await timeNode([cli, '--version']));
    cold.push(await coldStart(server, folder));
  }
  const of = (list, name) => median(list.map((each) => each[name]));
  const warm = median(await warmStarts(server, folder));
  return [
    ['node -e 0, all of it', `${ms(of(node, 'cpuMs'))} CPU`, `${ms(of(node, 'wallMs'))} wall`, ''],
    ['--version, all of it', `${ms(of(version, 'cpuMs'))} CPU`, `${times(of(version, 'cpuMs'), of(node, 'cpuMs'))} node -e 0`, ''],
    ['start to first request, CPU', ms(of(cold, 'cpuMs')), `${times(of(cold, 'cpuMs'), of(node, 'cpuMs'))} node -e 0`, 'under 4 ×'],
    ['start to first request, wall', ms(of(cold, 'wallMs')), `${times(of(cold, 'wallMs'), of(node, 'wallMs'))} node -e 0`, ''],
    ['prompt to request, warm', ms(warm), `median of ${turns}`, 'under 10 ms'],
  ];
}

async function coldStart(server, folder) {
  server.forgetRequests();
  const begin = performance.timeOrigin + performance.now();
  const env = { TURNSTONE_HOME: `${folder}/start`, ANTHROPIC_BASE_URL: `${server.url}/chars/200`, ANTHROPIC_API_KEY: 'bench' };
  const child = startNode([cli, '-p', 'Go.'], { cwd: folder, env });
  const ended = once(child, 'exit');
  server.watch(child.pid);
  const request = await Promise.race([server.nextRequest(), ended.then(() => Promise.reject(new Error('The command line ended without a request.')))]);
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`The command line ended with ${exitCode}.`);
  return { wallMs: request.time - begin, cpuMs: request.cpuMs };
}

async function warmStarts(server, folder) {
  server.forgetRequests();
  const { times: prompts } = await measure('warmTurns.mjs', [server.url, turns], { cwd: folder, env: { TURNSTONE_HOME: `${folder}/start` } });
  const requests = server.forgetRequests().filter((request) => request.isMain);
  // The first prompt of a session loads what is loaded late.
  return prompts.map((time, turn) => requests[turn].time - time).slice(1);
}
