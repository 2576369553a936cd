// Reads one streamed message in one of four ways; prints CPU and how much the heap has grown.
//   assemble.mjs <server> <chars|input> <characters> <raw|ours|sdk|sdk-live>
import Anthropic from '@anthropic-ai/sdk';
import { MessageAssembler } from '../../src/engine/model/messageAssembler.ts';
import { ownCpuMs } from '../lib/cpu.mjs';

const [server, kind, characters, way] = process.argv.slice(2);
const request = { model: 'claude-haiku-4-5', max_tokens: 64_000, messages: [{ role: 'user', content: 'Go.' }], tools: [{ name: 'Write', input_schema: { type: 'object', properties: {} } }] };
const ways = { raw, ours, sdk: (client) => sdk(client, false), 'sdk-live': (client) => sdk(client, true) };

await read(20_000);
globalThis.gc?.();
const heap = process.memoryUsage().heapUsed;
const start = process.cpuUsage();
const kept = await read(Number(characters));
const cpuMs = ownCpuMs(start);
const heapBytes = process.memoryUsage().heapUsed - heap;
console.log(JSON.stringify({ cpuMs, heapBytes, blocks: kept.length }));

function read(size) {
  return ways[way](new Anthropic({ baseURL: `${server}/${kind}/${size}`, apiKey: 'bench', maxRetries: 0 }));
}

async function raw(client) {
  for await (const event of await client.messages.create({ ...request, stream: true })) if (event.type === 'message_stop') return [];
  throw new Error('The message did not end.');
}

async function ours(client) {
  const assembler = new MessageAssembler();
  const blocks = [];
  for await (const event of await client.messages.create({ ...request, stream: true })) {
    const step = assembler.push(event);
    if (step?.type === 'block') blocks.push(step.block);
  }
  return blocks;
}

async function sdk(client, live) {
  const stream = client.messages.stream(request);
  if (live) stream.on('inputJson', () => {});
  return (await stream.finalMessage()).content;
}
