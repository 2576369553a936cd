// Speed and size, as one table. Nothing here fails a build: figures are beside an alternative measured in the same run.
//   npm run bench [-- sizes activation streaming assembly toolCalls start durability compaction snapshots sessions search …]
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { arch, cpus, loadavg, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from './lib/figures.mjs';
import { startServer } from './lib/processes.mjs';
import { activation } from './sections/activation.mjs';
import { assembly } from './sections/assembly.mjs';
import { compaction } from './sections/compaction.mjs';
import { durability } from './sections/durability.mjs';
import { search } from './sections/search.mjs';
import { sessions } from './sections/sessions.mjs';
import { sizes } from './sections/sizes.mjs';
import { snapshots } from './sections/snapshots.mjs';
import { start } from './sections/start.mjs';
import { streaming } from './sections/streaming.mjs';
import { toolCalls } from './sections/toolCalls.mjs';

const sections = { sizes, activation, streaming, assembly, toolCalls, start, durability, compaction, snapshots, sessions, search };
const chosen = process.argv.slice(2).filter((arg) => Object.hasOwn(sections, arg));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnstone-bench-')));
const server = await startServer();
const rows = [['what', 'figure', 'beside it', 'target']];
try {
  for (const section of chosen.length > 0 ? chosen : Object.keys(sections)) {
    process.stderr.write(`measuring ${section} …\n`);
    try {
      rows.push(...(await sections[section]({ server, folder })));
    } catch (error) {
      rows.push([section, 'could not be measured', '(why: above)', '']);
      process.stderr.write(`${error.stack}\n`);
    }
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`Node ${process.version}, ${platform()} ${arch()}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}\n\n${table(rows)}`);
