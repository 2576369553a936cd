import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { findOnPath } from '../lib/findOnPath.mjs';
import { cacheFolder } from '../lib/project.mjs';
import { projectEnvironment } from '../lib/runCommand.mjs';
import { whenOrphaned } from '../lib/whenOrphaned.mjs';
import { ensureHost } from '../vscode-host/install.mjs';
import { startServer } from '../vscode-host/server.mjs';
import { writeQuietSettings } from '../vscode-host/settings.mjs';
import { workbenchUrl } from '../vscode-host/workbenchUrl.mjs';

// The browser keeps layout, drafts and the key per origin: the same port next time finds them again.
const usualPort = 8437;

/** Serves the workbench until Ctrl+C. Resolves to an exit code. */
export async function serveInBrowser({ workspace, extension, port, openBrowser }) {
  const stopRequested = nextStopSignal();
  const dataFolder = path.join(cacheFolder, 'start');
  fs.mkdirSync(dataFolder, { recursive: true });
  writeQuietSettings(dataFolder);
  const server = await startServer({ host: ensureHost(), dataFolder, env: projectEnvironment(), port: port ?? (await freePort()) });
  try {
    const address = workbenchUrl(server.url, { workspace, extension });
    console.log(`Turnstone is running: ${address}`);
    console.log('Click its icon at the left edge of the window. Ctrl+C ends it.');
    if (openBrowser) {
      open(address);
    }
    const ended = await Promise.race([stopRequested.then(() => 'stopped'), server.exited]);
    if (ended !== 'stopped') {
      console.error(`The VS Code server ended by itself:\n${server.output().slice(-2000)}`);
      return 1;
    }
    return 0;
  } finally {
    await server.stop();
  }
}

/** From now on no signal ends this process before the server is stopped; the end of the npm above it counts as one. */
function nextStopSignal() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, resolve);
    }
    whenOrphaned(resolve);
  });
}

/** The usual port if nobody has it, else any (0). */
function freePort() {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(0));
    probe.listen(usualPort, '127.0.0.1', () => probe.close(() => resolve(usualPort)));
  });
}

/** A convenience only: where there is no screen or no opener, the printed address is enough. */
function open(address) {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const hasScreen = process.platform === 'darwin' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  const command = hasScreen && findOnPath(opener);
  if (command) {
    spawn(command, [address], { stdio: 'ignore', detached: true }).on('error', () => {}).unref();
  }
}
