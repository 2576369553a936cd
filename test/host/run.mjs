// Runs the extension-host tests, one start of the host for all of them.
//   node test/host/run.mjs [--host 4.106.3] [--desktop]
// --desktop goes through @vscode/test-electron: it downloads a desktop VS Code, or takes the one that VSCODE_EXECUTABLE names.
import { runTests } from '@vscode/test-electron';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inProject, projectRoot } from '../../scripts/lib/project.mjs';
import { copySample } from '../../scripts/lib/sampleWorkspace.mjs';
import { runExtensionTests } from '../../scripts/vscode-host/runExtensionTests.mjs';

const { values } = parseArgs({ options: { host: { type: 'string' }, desktop: { type: 'boolean' } } });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'turnstone-host-tests-'));
const tests = inProject('out', 'host-tests.cjs');
const workspace = copySample(folder);
// Never the home, the sessions or the key of whoever runs the tests.
const userHome = path.join(folder, 'user');
fs.mkdirSync(userHome);
const env = { HOME: userHome, TURNSTONE_HOME: path.join(folder, 'home'), ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' };

try {
  process.exitCode = values.desktop
    ? await runOnDesktop()
    : await runExtensionTests({ tests, extension: projectRoot, workspace, env, hostVersion: values.host });
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** test-electron throws when a test failed; what failed has been printed by then. */
async function runOnDesktop() {
  const executable = process.env.VSCODE_EXECUTABLE;
  try {
    return await runTests({
      ...(executable ? { vscodeExecutablePath: path.resolve(projectRoot, executable) } : {}),
      extensionDevelopmentPath: projectRoot,
      extensionTestsPath: tests,
      launchArgs: [workspace, '--disable-extensions'],
      extensionTestsEnv: env,
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}
