#!/usr/bin/env node
// A stand-in for the desktop executable of VS Code, for machines that have none: @vscode/test-electron starts it with the
// command line it would give to the real one (VSCODE_EXECUTABLE=scripts/vscode-host/code.mjs npm run test:desktop).
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runExtensionTests } from './runExtensionTests.mjs';
import { defaultHostVersion, hostVersions } from './versions.mjs';

const { values, positionals } = parseArgs({
  strict: false, // the desktop has many more options, most of them without a meaning here
  allowPositionals: true,
  options: {
    extensionDevelopmentPath: { type: 'string' },
    extensionTestsPath: { type: 'string' },
    'user-data-dir': { type: 'string' },
    'extensions-dir': { type: 'string' },
    'folder-uri': { type: 'string' },
    'disable-workspace-trust': { type: 'boolean' },
    version: { type: 'boolean' },
  },
});
const hostVersion = process.env.VSCODE_HOST_VERSION ?? defaultHostVersion;

if (values.version) {
  console.log(hostVersions[hostVersion].vscode);
} else if (!values.extensionTestsPath || !values.extensionDevelopmentPath) {
  console.error('Only tests can be run this way (--extensionDevelopmentPath and --extensionTestsPath). To look at the extension, use `npm start`.');
  process.exitCode = 2;
} else {
  process.exitCode = await runExtensionTests({
    tests: values.extensionTestsPath,
    extension: values.extensionDevelopmentPath,
    workspace: values['folder-uri'] ? fileURLToPath(values['folder-uri']) : positionals[0],
    dataFolder: values['user-data-dir'],
    extensionsFolder: values['extensions-dir'],
    trust: !values['disable-workspace-trust'],
    hostVersion,
  });
}
