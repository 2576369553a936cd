import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

const sizes = [200_000, 2_000_000];
const runs = 3;

/** CPU of one answer in 20-character deltas through the engine, beside the SDK's raw stream reading the same bytes. */
export async function streaming({ server, folder }) {
  const rows = [];
  const perCharacter = [];
  for (const size of sizes) {
    const seen = { bare: [], whole: [], partial: [] };
    // In turns, so that a busy moment of the machine hits all alike.
    for (let run = 0; run < runs; run++) {
      seen.bare.push((await measure('readRaw.mjs', [server.url, size], { cwd: folder })).cpuMs);
      for (const messages of ['partial', 'whole']) {
        const options = { cwd: folder, env: { TURNSTONE_HOME: `${folder}/streaming` } };
        seen[messages].push((await measure('readThroughEngine.mjs', [server.url, size, messages], options)).cpuMs);
      }
    }
    const bare = median(seen.bare);
    const partial = median(seen.partial);
    perCharacter.push(partial / size);
    const name = `${size / 1000}k characters`;
    rows.push([`${name}, engine, each delta yielded`, `${ms(partial)} CPU`, `${times(partial, bare)} a bare reader (${ms(bare)})`, 'within 1.5 ×']);
    rows.push([`${name}, engine, whole messages only`, `${ms(median(seen.whole))} CPU`, `${times(median(seen.whole), bare)} a bare reader`, 'within 1.5 ×']);
  }
  rows.push(['CPU per character, 2000k against 200k', times(perCharacter[1], perCharacter[0]), '', 'at most 1.2 ×']);
  server.forgetRequests();
  return rows;
}
