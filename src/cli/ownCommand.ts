import { basename, relative } from 'node:path';

/** How this program is called here, so that it can be typed again: "turnstone" where that is a command, else "node dist/cli.js". */
export function ownCommand(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  if (/^turnstone(\.\w+)?$/.test(basename(script))) return 'turnstone';
  const near = relative(cwd, script);
  const path = near.startsWith('..') ? script : near;
  return `node ${/^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)}`;
}
