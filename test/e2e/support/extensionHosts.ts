import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const limitMs = 20_000;

/** Resolves when the server has no extension host left: the next test must not share its settings with the last one's. */
export async function extensionHostsEnd(serverPid: number): Promise<void> {
  const end = Date.now() + limitMs;
  while ((await countExtensionHosts(serverPid)) > 0) {
    if (Date.now() > end) {
      throw new Error(`An extension host is still running ${limitMs / 1000} s after its window was closed.`);
    }
    await sleep(50);
  }
}

async function countExtensionHosts(serverPid: number): Promise<number> {
  const { stdout } = await runFile('ps', ['-A', '-o', 'ppid=,args='], { maxBuffer: 1 << 26 });
  const children = stdout.split('\n').filter((line) => Number.parseInt(line, 10) === serverPid);
  return children.filter((line) => line.includes('--type=extensionHost')).length;
}
