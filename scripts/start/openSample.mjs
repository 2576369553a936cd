// Opens Turnstone on a copy of the sample workspace: in the desktop VS Code where there is one, else in the browser.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findOnPath } from '../lib/findOnPath.mjs';
import { projectRoot } from '../lib/project.mjs';
import { projectEnvironment, runCommand, runWithProjectNode } from '../lib/runCommand.mjs';
import { copySample } from '../lib/sampleWorkspace.mjs';
import { linkExtension } from '../vscode-host/linkExtension.mjs';
import { serveInBrowser } from './serveInBrowser.mjs';

const usage = `Usage: npm start -- [options]
  --browser   use VS Code in the browser even if there is a desktop one
  --port N    the port to serve it on
  --no-open   print the address only, do not open a browser
Environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, TURNSTONE_HOME. Without a key the built-in demo model answers.`;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? `${error.message}\n\n${usage}` : error.message);
  process.exitCode = 1;
}

async function main() {
  const { values } = parseArgs({
    options: {
      browser: { type: 'boolean' },
      port: { type: 'string' },
      'no-open': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if ((await runWithProjectNode('esbuild.mjs')) !== 0) {
    return 1;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'turnstone-'));
  const workspace = copySample(folder);
  console.log(`A copy of the sample workspace: ${workspace}`);
  const code = values.browser || values.port ? undefined : findOnPath('code');
  if (code) {
    console.log('Turnstone is running in the window of VS Code that opens now. Close it to come back here.');
    const args = ['--new-window', '--wait', `--extensionDevelopmentPath=${projectRoot}`, workspace];
    return runCommand(code, args, { env: projectEnvironment() });
  }
  return serveInBrowser({ workspace, extension: linkExtension(projectRoot, folder), port: portOf(values.port), openBrowser: !values['no-open'] });
}

function portOf(text) {
  if (text === undefined) {
    return undefined;
  }
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`--port ${text}: a port is a number from 1 to 65535.`);
  }
  return port;
}
