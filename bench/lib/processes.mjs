import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const children = new URL('../children/', import.meta.url);
const environment = { ...process.env, NODE_OPTIONS: '' };

/** Starts the model's side. `nextRequest()` resolves with the next request's `{time, cpuMs}`. */
export async function startServer() {
  const child = fork(fileURLToPath(new URL('server.mjs', children)), { env: environment });
  const requests = [];
  const waiting = [];
  const started = new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The benchmark's server ended with ${code}.`)));
    child.on('message', ({ url, request }) => {
      if (url) return resolve(url);
      const waiter = waiting.shift();
      if (waiter) waiter(request);
      else requests.push(request);
    });
  });
  const url = await started;
  return {
    url,
    watch: (pid, { kill = false } = {}) => child.send({ watch: { pid, kill } }),
    nextRequest: () => (requests.length > 0 ? Promise.resolve(requests.shift()) : new Promise((resolve) => waiting.push(resolve))),
    forgetRequests: () => requests.splice(0),
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Runs a measuring child and returns the JSON that it prints last. */
export function measure(script, args, { env = {}, cwd } = {}) {
  const path = fileURLToPath(new URL(script, children));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--no-warnings', path, ...args.map(String)], { cwd, env: { ...environment, ...env }, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error) return reject(new Error(`${script}: ${reasonIn(stderr) ?? error.code}`));
      resolve(JSON.parse(stdout.trim().split('\n').at(-1)));
    });
  });
}

/** The line of a stack trace that says what happened. */
function reasonIn(stderr) {
  return stderr.split('\n').findLast((line) => /^\w*Error\b/.test(line))?.slice(0, 300);
}

/** Starts Node with these arguments, output thrown away. */
export function startNode(args, { env = {}, cwd }) {
  return spawn(process.execPath, args, { cwd, env: { ...environment, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Wall and CPU milliseconds of a whole run of Node, as its shell sees them. */
export function timeNode(args) {
  return new Promise((resolve, reject) => {
    const command = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1';
    execFile('bash', ['-c', command, 'bash', process.execPath, ...args], { env: { ...environment, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error) return reject(error);
      const [wall, user, system] = stderr.trim().split(' ').map(Number);
      resolve({ wallMs: wall * 1000, cpuMs: (user + system) * 1000 });
    });
  });
}
