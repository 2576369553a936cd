// CPU and heap of reading a session from disk, or of parsing each of its lines.
//   resumeSession.mjs <transcript> load|parse
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadTranscript } from '../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { ownCpuMs } from '../lib/cpu.mjs';

const [path, how] = process.argv.slice(2);
setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc');
collectGarbage();
const heapBefore = process.memoryUsage().heapUsed;
let bytesRead = 0;
const files = {
  ...nodeFileSystem,
  readRange: async (...args) => {
    const bytes = await nodeFileSystem.readRange(...args);
    bytesRead += bytes.length;
    return bytes;
  },
};
const start = process.cpuUsage();
const startedAt = performance.now();
let held;
if (how === 'load') held = await loadTranscript(files, path);
else held = readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)).length;
const figures = { wallMs: performance.now() - startedAt, cpuMs: ownCpuMs(start) };
collectGarbage();
console.log(JSON.stringify({ ...figures, heap: process.memoryUsage().heapUsed - heapBefore, bytesRead, messages: held.messages?.length, notices: held.notices }));
