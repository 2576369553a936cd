import { spawn } from 'node:child_process';
import path from 'node:path';
import { inProject, projectNode, projectRoot } from './project.mjs';
import { whenOrphaned } from './whenOrphaned.mjs';

/**
 * Runs a command with this terminal's output and resolves to its exit code (1 when a signal ended it).
 * Rejects only when the command cannot be started at all.
 */
export function runCommand(command, args, { cwd = projectRoot, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
    // Ctrl+C reaches the child through the terminal; a signal sent to this process alone has to be handed on.
    const handOn = (signal) => child.kill(signal);
    process.on('SIGINT', handOn).on('SIGTERM', handOn);
    const stopWatching = whenOrphaned(() => handOn('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGINT', handOn).off('SIGTERM', handOn);
      stopWatching();
      resolve(code ?? 1);
    });
  });
}

/** Runs a script under the project's own Node, so that a machine with an older Node behaves the same. */
export function runWithProjectNode(script, args = [], { env = {} } = {}) {
  return runCommand(projectNode, ['--no-warnings', inProject(script), ...args], { env: projectEnvironment(env) });
}

/** This process's environment with the project's tools and its Node first on the PATH. */
export function projectEnvironment(extra = {}) {
  const tools = inProject('node_modules', '.bin');
  const others = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== tools);
  return { ...process.env, ...extra, PATH: [tools, ...others].join(path.delimiter) };
}

/** An environment for a nested npm: what the outer npm says about its own package would lead it astray. */
export function nestedNpmEnvironment() {
  const foreign = /^(npm_lifecycle_|npm_package_|npm_config_(local_prefix|global_prefix|prefix|ignore_scripts)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
