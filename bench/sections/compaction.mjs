import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

const turns = 2_000;
const runs = 3;

/** What a compaction frees, and what preparing a request costs as the conversation grows. */
export async function compaction({ server, folder }) {
  const heap = await measure('compactedHeap.mjs', [server.url, turns], { cwd: folder, env: { TURNSTONE_HOME: `${folder}/compaction` } });
  server.forgetRequests();
  const cpu = { 50: [], 5_000: [] };
  for (let run = 0; run < runs; run++) {
    for (const count of Object.keys(cpu)) cpu[count].push((await measure('prepareRequest.mjs', [count], { cwd: folder })).cpuMs);
  }
  const large = median(cpu[5_000]);
  return [
    [`heap of a session of ${turns} turns, before`, megabytes(heap.before), `${heap.beforeCount} messages, ${megabytes(heap.bytes)} on disk`, ''],
    ['the same, compacted', megabytes(heap.after), `${heap.afterCount} messages, ${times(heap.after, heap.before)}`, ''],
    ['preparing a request, 5,000 messages', `${ms(large)} CPU`, `${ms(median(cpu[50]))} with 50`, 'under 10 ms'],
  ];
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
