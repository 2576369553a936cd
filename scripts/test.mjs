#!/usr/bin/env node
// npm test: whatever is missing is installed, then the stages named on the command line run, or all of them.
import { ensureDependencies } from './ensure.mjs';
import { runWithProjectNode } from './lib/runCommand.mjs';

try {
  await ensureDependencies();
  process.exitCode = await runWithProjectNode('scripts/test/runStages.mjs', process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
