import { spawn } from 'node:child_process';
import { childEnvironment } from './childEnvironment.ts';

/** Milliseconds. A repository that takes longer is treated as a folder without git. */
const timeoutMs = 5_000;
/** Bytes of one answer. */
const maxOutput = 512 * 1024 * 1024;
/** A file monitor is a program that a repository can name; none is started for a look. */
const quietly = ['--no-optional-locks', '--no-replace-objects', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false'];

/** So that every change of a file shows in what git compares: it must not be told by a repository to look away. */
export const strictTimes = ['core.trustctime=true', 'core.checkStat=default', 'core.ignoreStat=false', 'core.preloadIndex=true'].flatMap((setting) => ['-c', setting]);
/** By these a hook of git's, or who started us, speaks of another repository, index or set of rules than the one in the folder. */
const aboutRepository = /^GIT_(?:(?:COMMON_)?DIR|WORK_TREE|INDEX_FILE|(?:ALTERNATE_)?OBJECT_DIRECTOR(?:Y|IES)|NAMESPACE|PREFIX|(?:GRAFT|SHALLOW)_FILE|REPLACE_REF_BASE|ATTR_SOURCE|\w+_PATHSPECS)$/i;

/** stdout of a git command that only reads: no index is refreshed, no lock taken, no file monitor started. Undefined when it failed, in whatever way. */
export function runGit(folder: string, args: readonly string[], input?: string): Promise<Uint8Array | undefined> {
  return new Promise((settle) => {
    const child = spawn('git', [...quietly, ...args], { cwd: folder, env: environment(), stdio: ['pipe', 'pipe', 'ignore'], timeout: timeoutMs, windowsHide: true });
    const chunks: Uint8Array[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxOutput) child.kill();
    });
    child.on('error', () => settle(undefined));
    child.on('close', (code) => settle(code === 0 && length <= maxOutput ? Buffer.concat(chunks) : undefined));
    // One that has died takes no more input; its exit code says so.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}

function environment(): ReturnType<typeof childEnvironment> {
  return Object.fromEntries(Object.entries(childEnvironment()).filter(([name]) => !aboutRepository.test(name)));
}
