import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process that a later one of the same number is not taken for. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms; empty where that can't be told. */
  readonly startTime: string;
  readonly host: string;
}

export function ownIdentity(): ProcessIdentity {
  return (own ??= { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', host: hostname() });
}

let own: ProcessIdentity | undefined;

/** Undefined for a process of another machine: nobody here can tell. */
export function isAlive({ pid, startTime, host }: ProcessIdentity): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It lives and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const current = startTimeOf(pid);
  return current === undefined || startTime === '' || current === startTime;
}

/** Undefined where the system does not say. */
export function startTimeOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the program's name in brackets and may itself hold brackets and blanks. Counted from boot.
      return `${line.slice(line.lastIndexOf(')') + 2).split(' ')[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
    }
    if (process.platform === 'win32') return undefined;
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined;
  } catch {
    return undefined;
  }
}
