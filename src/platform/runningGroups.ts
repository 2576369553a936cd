import type { ChildProcess } from 'node:child_process';
import { endProcessGroup } from './processTree.ts';

/** Process groups that run, by the id of their first process. */
const runningGroups = new Set<number>();

/** A child with a group of its own must not outlive us, however we end, as long as we are told. */
export function endWithThisProcess(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (runningGroups.size === 0) process.once('exit', endRunningGroups);
  runningGroups.add(pid);
  child.once('exit', () => {
    runningGroups.delete(pid);
    if (runningGroups.size === 0) process.off('exit', endRunningGroups);
  });
}

function endRunningGroups(): void {
  for (const pid of runningGroups) endProcessGroup(pid);
}
