import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const patienceMs = 5_000;
const limitMs = 20_000;

/**
 * Resolves when the server has no extension host left: the next test must not share its settings with the last one's.
 * VS Code 1.106 keeps an extension host for a while in case its window comes back; such a one is ended here.
 */
export async function extensionHostsEnd(serverPid: number): Promise<void> {
  const started = Date.now();
  for (;;) {
    const running = await extensionHosts(serverPid);
    const waited = Date.now() - started;
    if (running.length === 0) {
      return;
    }
    if (waited > limitMs) {
      throw new Error(`An extension host is still running ${limitMs / 1000} s after its window was closed.`);
    }
    if (waited > patienceMs) {
      running.forEach(endProcess);
    }
    await sleep(50);
  }
}

/** The process ids of the extension hosts among the children of the server. */
async function extensionHosts(serverPid: number): Promise<number[]> {
  const { stdout } = await runFile('ps', ['-A', '-o', 'ppid=,pid=,args='], { maxBuffer: 1 << 26 });
  return stdout.split('\n').flatMap((line) => {
    const [, parent, pid, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === serverPid && command?.includes('--type=extensionHost') ? [Number(pid)] : [];
  });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It ended by itself meanwhile.
  }
}
