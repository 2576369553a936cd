// Wall time until the first session with some words in it is found, and until all are.
//   searchSessions.mjs <folder of transcripts> <words> stream | whole
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { searchSessions } from '../../src/engine/transcript/searchSessions.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';

const [folder, words, how] = process.argv.slice(2);
const names = readdirSync(folder).sort();
const cpu = process.cpuUsage();
const start = performance.now();
let firstMs;
let found = 0;
const note = (count) => {
  firstMs ??= performance.now() - start;
  found += count;
};
if (how === 'stream') {
  const sessions = names.map((name) => ({ sessionId: name, title: 'Nothing', modified: '', messageCount: 1 }));
  for await (const match of searchSessions({ files: nodeFileSystem, sessions, pathOf: async ({ sessionId }) => join(folder, sessionId), words }, new AbortController().signal)) note(match.excerpt ? 1 : 0);
} else {
  // Each file whole, each line parsed, and the words looked for in all that is in it; results when all are read.
  const hits = [];
  for (const name of names) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n').filter(Boolean);
    if (lines.some((line) => JSON.stringify(JSON.parse(line)).toLowerCase().includes(words))) hits.push(name);
  }
  note(hits.length);
}
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ firstMs, wallMs: performance.now() - start, cpuMs: (user + system) / 1000, found }));
