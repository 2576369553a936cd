import { cutText } from '../../base/text.ts';
import type { Git } from '../ports.ts';

const statusLimit = 2_000;

/** Branch, status and last commits in a few lines; undefined outside a repository. Gathered in parallel, without taking locks. */
export async function gitContext(git: Git, cwd: string, signal: AbortSignal): Promise<string | undefined> {
  const run = (...args: string[]) => git.run(args, cwd, signal);
  const [branch, remoteHead, status, log, user] = await Promise.all([
    run('rev-parse', '--abbrev-ref', 'HEAD'),
    run('rev-parse', '--abbrev-ref', 'origin/HEAD'),
    run('status', '--short'),
    run('log', '--oneline', '-n', '5'),
    run('config', 'user.name'),
  ]);
  if (status === undefined) return undefined;
  return [
    `Branch: ${branch?.trim() || '(no commit yet)'}`,
    ...(remoteHead ? [`Default branch: ${remoteHead.trim().replace(/^origin\//, '')}`] : []),
    ...(user ? [`User: ${user.trim()}`] : []),
    `Status:\n${cutStatus(status)}`,
    ...(log ? [`Last commits:\n${log.trimEnd()}`] : []),
  ].join('\n');
}

function cutStatus(status: string): string {
  const text = status.trimEnd();
  if (text === '') return '(clean)';
  return text.length <= statusLimit ? text : `${cutText(text, statusLimit)}\n… (cut; run git status for all of it)`;
}
