import { readFileSync } from 'node:fs';
import { kilobytes } from '../lib/figures.mjs';

const heavy = ['@anthropic-ai/sdk', 'highlight.js', 'zod', 'diff', 'minimatch', 'marked'];

/** Sizes of the last build, from esbuild's own report. */
export async function sizes() {
  const outputs = JSON.parse(readFileSync(new URL('../../out/metafile.json', import.meta.url), 'utf8'));
  const all = Object.keys(outputs).filter((file) => /\.(js|css)$/.test(file));
  const host = all.filter((file) => !file.startsWith('dist/webview/') && file.startsWith('dist/'));
  const total = (files) => files.reduce((sum, file) => sum + outputs[file].bytes, 0);
  const row = (what, file, target) => {
    if (!outputs[file]) return [what, 'not built', '', target];
    const atStart = readAtStart(outputs, file);
    return [what, kilobytes(total(atStart)), `${atStart.length} files${contents(outputs, atStart)}`, target];
  };
  const webview = all.filter((file) => file.startsWith('dist/webview/'));
  return [
    row('host, read at activation', 'dist/extension.js', ''),
    ['host with the engine', kilobytes(total(union(outputs, ['dist/extension.js', 'dist/sdk.js']))), 'without what loads when it is used', 'under 1500 kB'],
    ['host, everything', kilobytes(total(host)), 'command line, encodings, telemetry, mirror and the rest included', ''],
    row('panel script, at start', 'dist/webview/main.js', 'under 500 kB'),
    ['panel, scripts and styles', kilobytes(total(webview)), '', 'under 500 kB'],
    row('command line, first file', 'dist/cli.js', ''),
  ];
}

/** The file and everything it imports at once; what is imported later is left out. */
function readAtStart(outputs, entry) {
  const files = new Set();
  const visit = (file) => {
    if (files.has(file) || !outputs[file]) return;
    files.add(file);
    for (const { path, kind } of outputs[file].imports) if (kind === 'import-statement') visit(path);
  };
  visit(entry);
  return [...files];
}

function union(outputs, entries) {
  return [...new Set(entries.flatMap((entry) => readAtStart(outputs, entry)))];
}

function contents(outputs, files) {
  const inputs = files.flatMap((file) => Object.keys(outputs[file].inputs));
  const found = heavy.filter((name) => inputs.some((input) => input.includes(`node_modules/${name}/`)));
  return found.length > 0 ? `, with ${found.join(', ')}` : ', none of them heavy';
}
