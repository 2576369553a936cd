import { readdirSync, readFileSync } from 'node:fs';

/** CPU milliseconds a process has used so far, all its threads together; undefined where the system does not say (it does on Linux). */
export function cpuMsOf(pid) {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]));
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** CPU milliseconds of this process since `start`, a value of process.cpuUsage(). */
export function ownCpuMs(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
