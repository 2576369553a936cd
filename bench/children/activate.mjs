// Activates the built extension with an editor that does nothing; prints how long it took and what was loaded.
//   activate.mjs <workspace>
import { registerHooks } from 'node:module';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ownCpuMs } from '../lib/cpu.mjs';
import { extensionContext, fakeEditorSource } from '../lib/fakeEditor.mjs';

const [workspace] = process.argv.slice(2);
const dist = new URL('../../dist/', import.meta.url).href;
const loaded = [];

registerHooks({
  resolve: (name, context, next) => (name === 'vscode' ? { url: 'turnstone-bench:vscode', format: 'module', shortCircuit: true } : next(name, context)),
  load(url, context, next) {
    if (url === 'turnstone-bench:vscode') return { format: 'module', source: fakeEditorSource, shortCircuit: true };
    if (url.startsWith(dist)) loaded.push({ file: url.slice(dist.length), bytes: readFileSync(fileURLToPath(url)).length });
    return next(url, context);
  },
});
globalThis.turnstoneBenchWorkspace = workspace;

const cpu = process.cpuUsage();
const begin = performance.now();
const extension = await import(new URL('extension.js', dist).href);
const imported = performance.now();
const activation = extension.activate(extensionContext(workspace));
const returned = performance.now();
await activation;
const settled = performance.now();
const report = { importMs: imported - begin, returnMs: returned - imported, settleMs: settled - imported, cpuMs: ownCpuMs(cpu), loaded };
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
