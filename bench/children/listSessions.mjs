// Wall time of listing the sessions of a folder.
//   listSessions.mjs <data root> <cwd>
import { listSessions } from '../../src/engine/transcript/sessionList.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';

const [dataRoot, cwd] = process.argv.slice(2);
const start = performance.now();
const cpu = process.cpuUsage();
const sessions = await listSessions(nodeFileSystem, dataRoot, cwd);
const wallMs = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, count: sessions.length, titled: sessions.filter(({ title }) => /^Session \d+$/.test(title)).length }));
