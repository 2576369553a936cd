// Builds what ships (extension host, command line, chat panel) and, with --tests, the extension-host tests.
//   node esbuild.mjs [--watch] [--production] [--tests]
import { build, context } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const flags = new Set(process.argv.slice(2));
const production = flags.has('--production');
const { version } = JSON.parse(await readFile('package.json', 'utf8'));

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  define: { 'process.env.TURNSTONE_VERSION': JSON.stringify(version) },
  logLevel: 'warning',
  metafile: true,
};

/**
 * Node's own modules are loaded when something of them is first used. An `import` would load them all at the start, and
 * read every export of theirs, some of which load half of Node.
 */
const lateNodeModules = {
  name: 'late-node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) => (kind === 'import-statement' ? { path, namespace: 'late-node-module' } : undefined));
    onLoad({ filter: /^node:/, namespace: 'late-node-module' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      return { contents: `let loaded; for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => (loaded ??= require('${path}'))[name] });` };
    });
  },
};

/**
 * What most chunks share stands in one of its own that all of them load. By itself, esbuild makes one for each set of
 * chunks that share something: twenty small files, and each file costs a start half a millisecond of CPU.
 */
const sharedChunk = {
  name: 'shared-chunk',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^shared-chunk$/ }, ({ path }) => ({ path, namespace: 'shared-chunk' }));
    onLoad({ filter: /.*/, namespace: 'shared-chunk' }, async () => {
      const shared = [...(await readdir('src/base')).map((name) => `./src/base/${name}`), './src/protocol/apiFailure.ts', './src/protocol/contentBlocks.ts', './src/engine/transcript/transcriptPath.ts', './src/platform/nodeFetch.ts', ...nodeModules];
      return { contents: shared.map((path) => `import '${path}';`).join('\n'), resolveDir: process.cwd() };
    });
  },
};

/** Of Node's own modules those that a start uses; others stay with what uses them. */
const nodeModules = ['node:child_process', 'node:crypto', 'node:fs', 'node:fs/promises', 'node:module', 'node:os', 'node:path', 'node:stream/consumers', 'node:timers/promises', 'node:util'];

/**
 * What loads late (the model SDK, the demo model) is split off, so that activation reads only what it needs.
 * esbuild splits ES modules only: both hosts load ESM (VS Code since 1.100).
 */
const host = {
  ...common,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  outdir: 'dist',
  // Optional, and of use only where npm has installed it.
  external: ['vscode', '@vscode/ripgrep'],
  // The model SDK touches global Headers with each request, which would load all of Node's fetch.
  inject: ['src/platform/leanHeaders.ts', 'shared-chunk'],
  // A checker of JSON Schemas, larger than the rest of the MCP client: results are taken as they come.
  alias: { '@modelcontextprotocol/client/_shims': './src/platform/mcp/leanShims.ts' },
  plugins: [lateNodeModules, sharedChunk],
  define: { ...common.define, ...(production && { READY_INPUT_SCHEMAS: JSON.stringify(JSON.stringify(await inputSchemas())) }) },
  // Bundled CommonJS packages call require; ES modules have none.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
};

const builds = [
  { ...host, entryPoints: { extension: 'src/vscode/extension.ts', cli: 'src/cli/main.ts', sdk: 'src/sdk/index.ts' }, chunkNames: 'chunks/[name]-[hash]' },
  {
    ...common,
    platform: 'browser',
    target: 'chrome128',
    format: 'esm',
    entryPoints: { main: 'webview-ui/main.tsx' },
    outdir: 'dist/webview',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.ttf': 'file' },
    define: { ...common.define, 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
    alias: { react: 'preact/compat', 'react-dom': 'preact/compat', 'react/jsx-runtime': 'preact/jsx-runtime' },
  },
  ...(flags.has('--tests')
    ? [{ ...common, platform: 'node', target: 'node20', format: 'cjs', define: { ...common.define, 'import.meta.url': '__importMetaUrl' }, banner: { js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;" }, entryPoints: { 'host-tests': 'test/host/index.ts' }, outExtension: { '.js': '.cjs' }, outdir: 'out', external: ['vscode'] }]
    : []),
];

await mkdir('dist/webview', { recursive: true });
await copyFile('node_modules/@vscode/codicons/dist/codicon.css', 'dist/webview/codicon.css');
await copyFile('node_modules/@vscode/codicons/dist/codicon.ttf', 'dist/webview/codicon.ttf');

if (flags.has('--watch')) {
  for (const options of builds) await (await context({ ...options, logLevel: 'info' })).watch();
} else {
  const results = await Promise.all(builds.map((options) => build(options)));
  const outputs = Object.assign({}, ...results.map((result) => result.metafile.outputs));
  await mkdir('out', { recursive: true });
  await writeFile('out/metafile.json', JSON.stringify(outputs));
  await removeOldChunks(outputs);
}

/** Of the tools, by name. Not while developing: a build that watches would keep those of its start. */
async function inputSchemas() {
  const { builtInTools } = await import('./src/engine/tools/registry.ts');
  return Object.fromEntries(builtInTools.map(({ name, inputJsonSchema }) => [name, inputJsonSchema]));
}

/** Chunks are named by content; those of earlier builds would be packed for nothing. */
async function removeOldChunks(outputs) {
  for (const name of await readdir('dist/chunks')) {
    const path = join('dist/chunks', name);
    if (!(path in outputs)) await rm(path);
  }
}
