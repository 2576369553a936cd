// The panel in a plain browser page: the same bundle and an equally strict page, with a host that only writes down what it is told.
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const origin = 'http://panel.test';
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium, or an error that says what is missing. */
export function findChromium() {
  const path = process.env.CHROMIUM ?? browsers.find((candidate) => existsSync(candidate));
  if (!path) throw new Error('The panel is shown in Chromium and none was found. Install the package chromium, or set CHROMIUM to its path.');
  return path;
}

/** Opens the panel in the page; its messages to the host are in `window.posted`. */
export async function servePanel(page, files, theme) {
  await page.route(`${origin}/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    const file = name === '' ? { contentType: 'text/html', body: pageFor(theme) } : files.get(name);
    return file ? route.fulfill(file) : route.abort();
  });
  await page.goto(origin);
  await page.getByTestId('header-title').waitFor();
}

/** Bundles the panel in memory: file name → what a server would answer. */
export async function buildPanel() {
  const result = await build({
    entryPoints: { main: 'webview-ui/main.tsx' },
    bundle: true,
    write: false,
    outdir: 'out/panel',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { react: 'preact/compat', 'react-dom': 'preact/compat', 'react/jsx-runtime': 'preact/jsx-runtime' },
  });
  const built = result.outputFiles.map(({ path, text }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return [name, { contentType: name.endsWith('.css') ? 'text/css' : 'text/javascript', body: text }];
  });
  const icons = 'node_modules/@vscode/codicons/dist';
  return new Map([
    ...built,
    ['codicon.css', { contentType: 'text/css', body: await readFile(`${icons}/codicon.css`) }],
    ['codicon.ttf', { contentType: 'font/ttf', body: await readFile(`${icons}/codicon.ttf`) }],
  ]);
}

/** What VS Code puts before a panel's own styles, as far as it concerns what the panel shows. */
const defaultStyle = `@layer vscode-default {
  body { background-color: transparent; padding: 0 20px; }
  code { color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  blockquote { background: var(--vscode-textBlockQuote-background); }
}`;

/** As strict as the page in which VS Code shows the panel. */
function pageFor(theme) {
  const variables = Object.entries(theme.variables).map(([name, value]) => `--vscode-${name}: ${value};`).join(' ');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Turnstone</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'nonce-n'; script-src 'nonce-n'; font-src 'self'; img-src data:">
<style nonce="n">:root { ${variables} } ${defaultStyle}</style>
<link rel="stylesheet" href="codicon.css"><link rel="stylesheet" href="main.css"></head>
<body class="${theme.bodyClass}"><div id="root"></div>
<script nonce="n">window.posted = []; window.acquireVsCodeApi = () => ({ postMessage: (m) => window.posted.push(m) });</script>
<script nonce="n" type="module" src="main.js"></script></body></html>`;
}
