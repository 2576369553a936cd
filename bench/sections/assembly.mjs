import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

const runs = 3;

/** Folding a stream into a message: ours beside the raw stream and beside the SDK's own helper. */
export async function assembly({ server, folder }) {
  const rows = [];
  for (const [kind, size, ways] of [
    ['chars', 400_000, ['raw', 'ours', 'sdk']],
    ['input', 100_000, ['raw', 'ours', 'sdk', 'sdk-live']],
    ['input', 200_000, ['raw', 'ours', 'sdk', 'sdk-live']],
  ]) {
    const cpu = Object.fromEntries(ways.map((way) => [way, []]));
    const heap = Object.fromEntries(ways.map((way) => [way, []]));
    for (let run = 0; run < runs; run++) {
      for (const way of ways) {
        const seen = await measure('assemble.mjs', [server.url, kind, size, way], { cwd: folder });
        cpu[way].push(seen.cpuMs);
        heap[way].push(seen.heapBytes);
      }
    }
    const base = median(cpu.raw);
    const name = `${size / 1000}k characters of ${kind === 'chars' ? 'text' : 'tool input'}`;
    for (const way of ways.slice(1)) {
      rows.push([`${name}, ${labels[way]}`, `${ms(median(cpu[way]))} CPU`, `${times(median(cpu[way]), base)} the raw stream, heap +${(median(heap[way]) / 1e6).toFixed(1)} MB`, way === 'ours' ? 'linear' : '']);
    }
  }
  server.forgetRequests();
  return rows;
}

const labels = { ours: 'our assembler', sdk: "the SDK's helper", 'sdk-live': "the SDK's helper, shown live" };
