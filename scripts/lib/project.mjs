// Where things are. Scripts are started from anywhere; nothing depends on the working directory.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
export const inProject = (...parts) => path.join(projectRoot, ...parts);

/** Everything that is downloaded or made while trying the extension, ignored by git. */
export const cacheFolder = inProject('.vscode-test');

/** The Node of the devDependency `node`: the same on every machine, whatever Node started the script. */
export const projectNode = inProject('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
