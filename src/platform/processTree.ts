import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** A process, told apart from a later one of the same id by when it started (in the system's own terms). */
interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
}

export interface EndTreeOptions {
  /** Milliseconds between asking (SIGTERM) and forcing (SIGKILL). Default: 2,000. */
  readonly graceMs?: number | undefined;
  /** `NAME=value` that all processes of the tree have in their environment: finds those that left the family. */
  readonly mark?: string | undefined;
}

const pollMs = 30;
const killRounds = 20;

/**
 * Ends the process group `pid` and all descendants, those in sessions of their own too. Resolves when they are gone,
 * or when even force did not help (a process stuck in the kernel). Never throws.
 */
export async function endProcessTree(pid: number, options: EndTreeOptions = {}): Promise<void> {
  if (process.platform === 'win32') return endWindowsTree(pid);
  await endMembers(pid, await membersOf(pid, [], options.mark), options);
}

/**
 * Ends what a command of a process that was killed left running: its shell `pid`, if that is known to be the same
 * process still, and whatever carries its mark. False when there was nothing. Never throws.
 */
export async function endLeftOver(pid: number | undefined, mark: string): Promise<boolean> {
  // There it can't be seen whose a process is.
  if (process.platform === 'win32') return false;
  const isOurs = pid !== undefined && (process.platform !== 'linux' || (await hasMark(pid, mark)));
  const root = isOurs ? pid : noProcess;
  const members = await membersOf(root, [], mark);
  await endMembers(root, members, { mark });
  return members.length > 0;
}

/** No process and no group has this number. */
const noProcess = -1;

async function endMembers(pid: number, found: readonly ProcessInfo[], options: EndTreeOptions): Promise<void> {
  let members = found;
  signalAll(pid, members, 'SIGTERM');
  const deadline = performance.now() + (options.graceMs ?? 2_000);
  while (performance.now() < deadline) {
    members = await membersOf(pid, members, undefined);
    // Reading every environment is dear: only when the family seems to be gone.
    if (members.length === 0) members = await membersOf(pid, [], options.mark);
    if (members.length === 0) return;
    await wait(pollMs);
  }
  // Repeated, because a process may have forked between the look and the blow.
  for (let round = 0; round < killRounds && members.length > 0; round++) {
    signalAll(pid, members, 'SIGKILL');
    await wait(pollMs);
    members = await membersOf(pid, members, options.mark);
  }
}

/** Ends what a finished command left running in its process group. */
export function endProcessGroup(pid: number): void {
  if (process.platform !== 'win32') trySignal(-pid, 'SIGKILL');
}

function signalAll(group: number, members: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  if (members.some((member) => member.group === group)) trySignal(-group, signal);
  for (const member of members) trySignal(member.pid, signal);
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile, which is what was wanted.
  }
}

/** Living members: the group, descendants of `root` and of members known before, and those with the mark. */
async function membersOf(root: number, known: readonly ProcessInfo[], mark: string | undefined): Promise<ProcessInfo[]> {
  const all = await listProcesses();
  const isKnown = (info: ProcessInfo): boolean => known.some((other) => other.pid === info.pid && other.startTime === info.startTime);
  const found = new Map<number, ProcessInfo>();
  for (const info of all) {
    if (info.pid === root || info.group === root || isKnown(info) || (await hasMark(info.pid, mark))) found.set(info.pid, info);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const info of all) {
      if (found.has(info.pid) || !found.has(info.parent)) continue;
      found.set(info.pid, info);
      grown = true;
    }
  }
  found.delete(process.pid);
  return [...found.values()];
}

/** Without zombies: they are gone but for their parent's noticing. */
async function listProcesses(): Promise<ProcessInfo[]> {
  if (process.platform !== 'linux') return listByPs();
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const infos = await Promise.all(names.map((name) => readProcess(Number(name))));
  return infos.filter((info) => info !== undefined);
}

async function readProcess(pid: number): Promise<ProcessInfo | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets and may itself hold brackets and blanks.
  const [state, parent, group, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (!state || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), startTime: rest[16] ?? '' };
}

/** Only Linux lets us look; elsewhere families are found by parent and group alone. */
async function hasMark(pid: number, mark: string | undefined): Promise<boolean> {
  if (mark === undefined || process.platform !== 'linux') return false;
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').includes(mark);
}

function listByPs(): Promise<ProcessInfo[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], (_error, output) => {
      const infos = output.split('\n').flatMap((line) => {
        const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
        if (!match || match[4]?.startsWith('Z')) return [];
        return [{ pid: Number(match[1]), parent: Number(match[2]), group: Number(match[3]), startTime: match[5] ?? '' }];
      });
      resolve(infos);
    });
  });
}

function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/T', '/F', '/PID', String(pid)], () => resolve());
  });
}
