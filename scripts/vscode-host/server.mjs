import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { inProject } from '../lib/project.mjs';

const startLimitMs = 120_000;

/**
 * Starts the server of an installed host. Every page that opens its workbench gets an extension host of its own, a child
 * of the server, which inherits `env`.
 * @param {{ host: { version: string, node: string, serverMain: string }, dataFolder: string, extensionsFolder?: string,
 *   env?: Record<string, string | undefined>, port?: number, trust?: boolean }} options
 *   `dataFolder` is what the desktop calls user-data-dir; `trust: true` keeps the question whether to trust a workspace.
 * @returns {Promise<{ url: URL, pid: number, output: () => string, exited: Promise<void>, stop: () => Promise<void> }>}
 *   `url` carries the secret token without which the server refuses to answer.
 */
export async function startServer(options) {
  const token = crypto.randomBytes(16).toString('hex');
  const child = spawn(options.host.node, serverArguments(options, token), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: serverEnvironment(options.env),
    detached: true, // a process group of its own, so that stopping it reaches all of its children
  });
  const exited = new Promise((resolve) => child.once('exit', () => resolve()));
  const output = keepOutput(child, path.join(options.dataFolder, 'server.log'));
  const stop = () => stopGroup(child, exited);
  try {
    const url = await listening(child, output);
    url.searchParams.set('tkn', token);
    return { url, pid: child.pid, output, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serverArguments({ host, dataFolder, extensionsFolder, port = 0, trust = false }, token) {
  const extensions = extensionsFolder ?? path.join(dataFolder, 'extensions');
  fs.mkdirSync(extensions, { recursive: true });
  // 1.139 starts an agent host of its own unless it is told that one is listening: this one never does.
  const noAgentHost = host.version.startsWith('4.106') ? [] : ['--agent-host-bridge-path', path.join(dataFolder, 'none.sock')];
  return [
    inProject('scripts', 'vscode-host', 'serverProcess.mjs'), host.serverMain, '--host', '127.0.0.1', '--port', String(port), '--connection-token', token, '--accept-server-license-terms',
    // makes the built web client accept an extension from a folder
    '--enable-smoke-test-driver',
    ...(trust ? [] : ['--disable-workspace-trust']),
    '--telemetry-level', 'off',
    // an extension host whose page is gone ends at once
    '--reconnection-grace-time', '0',
    '--server-data-dir', path.join(dataFolder, 'server'), '--user-data-dir', dataFolder, '--extensions-dir', extensions,
    ...noAgentHost,
  ];
}

/** What a surrounding VS Code says about itself would confuse this one; an empty gallery keeps it from asking a network. */
function serverEnvironment(env = {}) {
  const all = Object.entries({ ...process.env, ...env });
  const kept = all.filter(([name, value]) => value !== undefined && !/^(VSCODE_|ELECTRON_)/.test(name));
  return { ...Object.fromEntries(kept), EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
}

function keepOutput(child, logFile) {
  const log = fs.createWriteStream(logFile);
  let text = '';
  const keep = (data) => {
    log.write(data);
    text = (text + data).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.once('close', () => log.end());
  return () => text;
}

function listening(child, output) {
  return new Promise((resolve, reject) => {
    const fail = (what) => reject(new Error(`The VS Code server ${what}:\n${output().split('\n').slice(0, 60).join('\n')}`));
    const timer = setTimeout(() => fail(`did not start within ${startLimitMs / 1000} s`), startLimitMs);
    child.once('exit', (code) => (clearTimeout(timer), fail(`ended with code ${code}`)));
    child.once('error', (error) => (clearTimeout(timer), fail(`could not be started (${error.message})`)));
    child.stdout.on('data', () => {
      const port = /available at http:\/\/[^/\s]*:(\d+)/.exec(output())?.[1];
      if (port) {
        clearTimeout(timer);
        resolve(new URL(`http://127.0.0.1:${port}/`));
      }
    });
  });
}

async function stopGroup(child, exited) {
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // already gone
    }
  };
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    signal('SIGTERM');
    const timer = setTimeout(() => signal('SIGKILL'), 3000);
    await exited;
    clearTimeout(timer);
  }
}
