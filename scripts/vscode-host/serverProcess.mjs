// The process of the server: server-main.js as it is, and the promise that nothing of it outlives whoever started it.
//   node serverProcess.mjs <server-main.js> [its arguments]
import { pathToFileURL } from 'node:url';
import { whenOrphaned } from '../lib/whenOrphaned.mjs';

const [node, , serverMain, ...rest] = process.argv;
process.argv = [node, serverMain, ...rest];
// It leads a process group of its own: extension hosts, terminals and watchers go with it.
whenOrphaned(() => process.kill(-process.pid, 'SIGKILL'));
await import(pathToFileURL(serverMain));
