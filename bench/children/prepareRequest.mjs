// CPU of what happens to the messages before a request, when nothing but its end has changed. Reads the sources, which
// are the same code as in the bundle: the engine's door does not open that far.
//   prepareRequest.mjs <messages>
import { NormalizeCache } from '../../src/engine/compaction/normalizeCache.ts';
import { prepareMessages } from '../../src/engine/compaction/pipeline.ts';
import { markForCache } from '../../src/engine/model/promptCache.ts';
import { ownCpuMs } from '../lib/cpu.mjs';

const count = Number(process.argv[2]);
const rounds = 40;
const cache = new NormalizeCache();
const messages = Array.from({ length: count }, (_, index) => message(index));
const times = [];
for (let round = 0; round < rounds; round++) {
  messages.push(...[0, 1, 2, 3].map((step) => message(messages.length + step)));
  const start = process.cpuUsage();
  const prepared = prepareMessages([...messages], { resultFolder: '/sessions/bench/tool-results', collapses: [] });
  markForCache(cache.normalize(prepared.messages, 'claude-haiku-4-5'));
  times.push(ownCpuMs(start));
}
console.log(JSON.stringify({ cpuMs: times.slice(rounds / 2).toSorted((a, b) => a - b)[rounds / 4] }));

function message(index) {
  const base = { uuid: `u${index}`, session_id: 's', parent_tool_use_id: null, timestamp: new Date(1e12 + index * 1000).toISOString() };
  const id = Math.floor(index / 4);
  const answer = (content) => ({ ...base, type: 'assistant', message: { id: `m${index}`, type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content, stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 9 } } });
  switch (index % 4) {
    case 0:
      return { ...base, type: 'user', message: { role: 'user', content: `Prompt ${index}` } };
    case 1:
      return answer([{ type: 'tool_use', id: `t${id}`, name: 'Read', input: { file_path: `file${id}.ts` } }]);
    case 2:
      return { ...base, type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${id}`, content: 'a line of text\n'.repeat(100) }] } };
    default:
      return answer([{ type: 'text', text: 'Done.' }]);
  }
}
