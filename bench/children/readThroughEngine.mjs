// One answer through the whole engine, every message drained.
//   readThroughEngine.mjs <server> <characters> <partial|whole>
import { createEngine } from '../../dist/sdk.js';
import { ownCpuMs } from '../lib/cpu.mjs';

const [server, characters, messages] = process.argv.slice(2);

await readAll(20_000);
const start = process.cpuUsage();
const begin = performance.now();
const text = await readAll(characters);
console.log(JSON.stringify({ cpuMs: ownCpuMs(start), wallMs: performance.now() - begin, characters: text.length }));

async function readAll(size) {
  const session = await createEngine({
    cwd: process.cwd(),
    endpoint: { baseUrl: `${server}/chars/${size}`, apiKey: async () => 'bench', apiKeySource: 'bench' },
    model: 'claude-haiku-4-5',
    canUseTool: async () => ({ behavior: 'deny' }),
    includePartialMessages: messages === 'partial',
  });
  let result;
  for await (const message of session.submitMessage('Go.')) if (message.type === 'result') result = message;
  await session.dispose();
  if (result.subtype !== 'success' || result.result.length !== Number(size)) throw new Error(`The answer did not come whole: ${JSON.stringify(result).slice(0, 500)}`);
  return result.result;
}
