import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from '../engine/ports.ts';
import { childEnvironment } from './childEnvironment.ts';

const timeoutMs = 5_000;
const maxOutput = 4 * 1024 * 1024;

/** Reads from git repositories; never takes a lock that the user's own git would trip over. */
export function createNodeGit(): Git {
  return {
    async run(args, cwd, signal) {
      if (!(await mayBeInRepository(cwd))) return undefined;
      return new Promise((resolve) => {
        const options = { cwd, signal, timeout: timeoutMs, maxBuffer: maxOutput, env: childEnvironment(), encoding: 'utf8' as const };
        // No git, no repository, too slow: to the caller it is all the same, there is nothing to tell.
        execFile('git', ['--no-optional-locks', ...args], options, (error, stdout) => resolve(error ? undefined : stdout));
      });
    },
  };
}

/** Processes are dear, also those that only say no. */
async function mayBeInRepository(folder: string): Promise<boolean> {
  if (process.env['GIT_DIR'] !== undefined) return true;
  const isThere = await access(join(folder, '.git')).then(() => true, () => false);
  const parent = dirname(folder);
  return isThere || (parent !== folder && (await mayBeInRepository(parent)));
}
