import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EngineHarness } from '../support/engineHarness.ts';
import type { AgentOrder, Said } from './agent.ts';
import { firstFiles, modelIn, slowAnswer } from './scenario.ts';

/** How a process ends: at a place that it passes, as its nth request arrives at the server, or after so many milliseconds. */
export type Death = { readonly killAt: string } | { readonly atRequest: number } | { readonly afterMs: number } | 'lives';

export interface AgentRun {
  readonly harness: EngineHarness;
  readonly sessionId: string;
  readonly said: readonly Said[];
  readonly wasKilled: boolean;
  /** Milliseconds. */
  readonly duration: number;
}

/** What happens while the agent runs. */
type Beside = (run: Pick<AgentRun, 'harness' | 'sessionId'>) => Promise<void>;

interface More {
  readonly beside?: Beside | undefined;
  /** False: what files held is not kept. */
  readonly fileHistory?: boolean | undefined;
}

/** Bundles the agent, so that each of its many processes starts quickly. */
export async function bundleAgent(): Promise<{ run(death: Death, more?: More): Promise<AgentRun>; dispose(): void }> {
  const outdir = mkdtempSync(join(tmpdir(), 'turnstone-kill-'));
  await build({
    entryPoints: { agent: join(import.meta.dirname, 'agent.ts') },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['@vscode/ripgrep'],
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return { run: (death, more) => run(join(outdir, 'agent.mjs'), death, more), dispose: () => rmSync(outdir, { recursive: true, force: true }) };
}

async function run(script: string, death: Death, { beside = async () => {}, fileHistory }: More = {}): Promise<AgentRun> {
  let kill = (): void => {};
  let requests = 0;
  const harness = await EngineHarness.start([], {
    files: firstFiles,
    aside: [slowAnswer],
    onRequest: () => {
      requests += 1;
      if (typeof death === 'object' && 'atRequest' in death && death.atRequest === requests) kill();
    },
  });
  harness.respectsLocks = true;
  harness.server.push(modelIn(harness.cwd));
  const sessionId = crypto.randomUUID();
  const order: AgentOrder = { cwd: harness.cwd, dataRoot: harness.dataRoot, baseUrl: harness.server.url, sessionId, killAt: typeof death === 'object' && 'killAt' in death ? death.killAt : undefined, fileHistory };
  const started = performance.now();
  const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } });
  kill = () => void child.kill('SIGKILL');
  const timer = typeof death === 'object' && 'afterMs' in death ? setTimeout(kill, death.afterMs) : undefined;
  const [[code, signal], output, errors] = await Promise.all([once(child, 'close') as Promise<[number | null, string | null]>, text(child.stdout), text(child.stderr), beside({ harness, sessionId })]);
  clearTimeout(timer);
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the agent ended with ${code}: ${errors.slice(0, 2_000)}`);
  return { harness, sessionId, said: linesIn(output), wasKilled: signal === 'SIGKILL', duration: performance.now() - started };
}

/** A killed process may leave its last line unfinished. */
function linesIn(output: string): Said[] {
  return output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Said);
}
