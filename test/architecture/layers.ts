export interface Layer {
  readonly name: string;
  /** Where its files are, relative to the project. */
  readonly folder: string;
  /** Layers it may import, or single files of them. */
  readonly imports: readonly string[];
  /** Layers of which it may import types only. */
  readonly typeImports?: readonly string[];
  /** Packages it may import; `node:` stands for all of Node's own modules. */
  readonly packages: readonly string[];
}

/** From the bottom to the top: who may know whom. ARCHITECTURE.md says why. */
export const layers: readonly Layer[] = [
  { name: 'base', folder: 'src/base', imports: [], packages: [] },
  { name: 'protocol', folder: 'src/protocol', imports: ['base'], packages: ['zod'] },
  // No I/O of its own: the world comes in through ports.ts.
  { name: 'engine', folder: 'src/engine', imports: ['base', 'protocol'], packages: ['zod', 'diff', 'ignore', 'minimatch', 'unbash'] },
  {
    name: 'platform', folder: 'src/platform', imports: ['base', 'protocol', 'src/engine/ports.ts'],
    packages: ['node:', '@anthropic-ai/sdk', '@modelcontextprotocol/client', '@vscode/ripgrep', 'chardet', 'cross-spawn', 'eventsource-parser', 'iconv-lite', 'ignore', 'minimatch', 's3mini', 'turndown',
      '@opentelemetry/api', '@opentelemetry/exporter-logs-otlp-http', '@opentelemetry/exporter-metrics-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-logs', '@opentelemetry/sdk-metrics'],
  },
  { name: 'demo', folder: 'src/demo', imports: ['base', 'protocol'], packages: ['node:'] },
  { name: 'sdk', folder: 'src/sdk', imports: ['base', 'protocol', 'engine', 'platform', 'demo'], packages: ['node:'] },
  { name: 'vscode', folder: 'src/vscode', imports: ['base', 'protocol', 'sdk', 'demo'], packages: ['node:', 'vscode'] },
  { name: 'acp', folder: 'src/acp', imports: ['base', 'protocol', 'sdk'], packages: ['node:', '@agentclientprotocol/sdk'] },
  { name: 'cli', folder: 'src/cli', imports: ['base', 'protocol', 'sdk', 'demo', 'acp'], packages: ['node:'] },
  // The schemas of the protocol would bring zod into the page.
  {
    name: 'webview-ui', folder: 'webview-ui', imports: ['base'], typeImports: ['protocol'],
    packages: ['preact', '@preact/signals', 'virtua', 'marked', 'highlight.js'],
  },
];

/** Packages that exactly one file imports (as a value or as types), and the layer of that file. */
export const soleImporters: Readonly<Record<string, string>> = { '@anthropic-ai/sdk': 'platform', '@modelcontextprotocol/client': 'platform' };

export const maximumLines = 400;
