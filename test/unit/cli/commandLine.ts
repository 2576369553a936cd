import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line, bundled as it ships, in a folder of its own that `dispose` removes. */
export interface CommandLine {
  /** The working folder of its processes. */
  readonly folder: string;
  /** How it calls itself. */
  readonly command: string;
  start(args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams;
  run(args: readonly string[], options?: { readonly env?: NodeJS.ProcessEnv; readonly input?: string | Uint8Array }): Promise<Finished>;
  /** Every line of every transcript, parsed. */
  transcriptLines(): readonly { readonly [field: string]: unknown }[];
  dispose(): void;
}

/** What {@link ./sharedCommandLine.ts} has bundled for all files, where they run together; else one of the caller's own. */
export async function bundleCommandLine(): Promise<{ readonly open: () => CommandLine; readonly dispose: () => void }> {
  const shared = process.env['TURNSTONE_TEST_CLI'];
  if (shared !== undefined) return { open: () => openCommandLine(shared), dispose: () => {} };
  const script = await bundleScript();
  return { open: () => openCommandLine(script), dispose: () => rmSync(dirname(script), { recursive: true, force: true }) };
}

/** The command line in a folder of its own, without its dependencies beside it. */
export async function bundleScript(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'turnstone-cli-'));
  await build({
    absWorkingDir: project,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    splitting: true,
    define: { 'process.env.TURNSTONE_VERSION': '"1.2.3"' },
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return join(outdir, 'cli.mjs');
}

function openCommandLine(script: string): CommandLine {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnstone-cli-run-')));
  const home = join(root, 'home');
  const folder = mkdtempSync(join(root, 'work-'));
  const start: CommandLine['start'] = (args, env = {}) => {
    const clean = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', TURNSTONE_HOME: home, HOME: root, NODE_OPTIONS: '', ...env };
    return spawn(process.execPath, [script, ...args], { cwd: folder, env: clean });
  };
  return {
    folder,
    command: `node ${script}`,
    start,
    run: async (args, { env, input = '' } = {}) => {
      const child = start(args, env);
      // One that needs no input may have ended already.
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      return finish(child);
    },
    transcriptLines: () =>
      readdirSync(home, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.jsonl'))
        .flatMap((file) => readFileSync(join(home, file), 'utf8').trim().split('\n'))
        .map((line) => JSON.parse(line) as { readonly [field: string]: unknown }),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close') as Promise<[number | null]>, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
