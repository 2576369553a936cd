import { execFile } from 'node:child_process';
import type { Git } from '../engine/ports.ts';
import { childEnvironment } from './childEnvironment.ts';

const timeoutMs = 5_000;
const maxOutput = 4 * 1024 * 1024;

/** Reads from git repositories; never takes a lock that the user's own git would trip over. */
export function createNodeGit(): Git {
  return {
    run(args, cwd, signal) {
      return new Promise((resolve) => {
        const options = { cwd, signal, timeout: timeoutMs, maxBuffer: maxOutput, env: childEnvironment(), encoding: 'utf8' as const };
        // No git, no repository, too slow: to the caller it is all the same, there is nothing to tell.
        execFile('git', ['--no-optional-locks', ...args], options, (error, stdout) => resolve(error ? undefined : stdout));
      });
    },
  };
}
