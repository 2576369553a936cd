// The bare reader that streaming is compared with: the SDK's raw stream, every event dropped.
//   readRaw.mjs <server> <characters>
import Anthropic from '@anthropic-ai/sdk';
import { ownCpuMs } from '../lib/cpu.mjs';

const [server, characters] = process.argv.slice(2);

await readAll(20_000);
const start = process.cpuUsage();
const begin = performance.now();
const events = await readAll(characters);
console.log(JSON.stringify({ cpuMs: ownCpuMs(start), wallMs: performance.now() - begin, events }));

async function readAll(size) {
  const client = new Anthropic({ baseURL: `${server}/chars/${size}`, apiKey: 'bench', maxRetries: 0 });
  const tools = [{ name: 'Nothing', input_schema: { type: 'object', properties: {} } }];
  const stream = await client.messages.create({ model: 'claude-haiku-4-5', max_tokens: 64_000, messages: [{ role: 'user', content: 'Go.' }], tools, stream: true });
  let count = 0;
  for await (const event of stream) count += event.type === 'ping' ? 0 : 1;
  return count;
}
