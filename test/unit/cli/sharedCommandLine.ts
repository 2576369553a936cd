// Loaded by mocha before the tests (--require) where all files run: those that try the command line share one bundle of it.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { bundleScript } from './commandLine.ts';

export async function mochaGlobalSetup(): Promise<void> {
  process.env['TURNSTONE_TEST_CLI'] = await bundleScript();
}

export function mochaGlobalTeardown(): void {
  rmSync(dirname(process.env['TURNSTONE_TEST_CLI']!), { recursive: true, force: true });
}
