#!/usr/bin/env node
// npm start: whatever is missing is installed, then Turnstone opens on a copy of the sample workspace.
import { ensureDependencies } from './ensure.mjs';
import { runWithProjectNode } from './lib/runCommand.mjs';

try {
  await ensureDependencies();
  process.exitCode = await runWithProjectNode('scripts/start/openSample.mjs', process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
