import { argv } from 'node:process';
import { createEngine } from '../../src/sdk/index.ts';
import { fixtureServer } from './mcpHarness.ts';

/** A session with a stubborn server, in a process that can be killed: `mcpSessionMain.ts cwd data-root pids-file`. Lives until then. */
const [cwd = '', dataRoot = '', pids = ''] = argv.slice(2);
await createEngine({
  cwd,
  dataRoot,
  endpoint: { apiKey: async () => undefined, apiKeySource: 'test' },
  canUseTool: async () => ({ behavior: 'deny' }),
  mcp: { servers: () => ({ fix: fixtureServer('--stubborn', '--pids', pids) }) },
});
setInterval(() => {}, 1_000);
