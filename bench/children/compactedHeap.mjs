// Heap of a long session, before and after it is compacted. The session is written down and resumed: what is held is
// the same as if it had gone on, and two thousand growing requests would take minutes.
//   compactedHeap.mjs <server> <turns>
import { mkdirSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEngine } from '../../dist/sdk.js';

const [server, turns] = process.argv.slice(2);
setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc');

const sessionId = crypto.randomUUID();
const folder = `${process.env.TURNSTONE_HOME}/projects/bench`;
const path = `${folder}/${sessionId}.jsonl`;
mkdirSync(folder, { recursive: true });
const { bytes, messages } = writeTranscript(Number(turns));

// What is loaded with the first request is no part of the session.
const first = await open({});
for await (const message of first.submitMessage('Go.')) void message;
const empty = await heapWith(() => first.dispose());
const session = await open({ resume: path });
const before = (await heapWith(async () => session.contextUse)) - empty;
const beforeCount = session.messages.length;
const after = (await heapWith(compact)) - empty;
if (beforeCount !== messages || session.messages.length > messages / 4) throw new Error(`The session was not compacted: ${session.messages.length} of ${beforeCount} messages are held.`);
console.log(JSON.stringify({ before, after, bytes, beforeCount, afterCount: session.messages.length }));
await session.dispose();

function open(options) {
  return createEngine({
    cwd: process.cwd(),
    endpoint: { baseUrl: `${server}/chars/4000`, apiKey: async () => 'bench', apiKeySource: 'bench' },
    model: 'claude-haiku-4-5',
    modelLimits: () => ({ contextWindow: 20_000_000, maxOutput: 64_000 }),
    canUseTool: async () => ({ behavior: 'deny' }),
    ...options,
  });
}

async function compact() {
  let result;
  for await (const message of session.compact()) if (message.type === 'result') result = message;
  if (result.is_error) throw new Error(`Compacting failed: ${result.errors[0]}`);
}

/** Bytes of living objects after `work`. */
async function heapWith(work) {
  await work();
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Turns with one call and its result each, about 6 kB a turn. */
function writeTranscript(count) {
  const lines = [];
  let parentUuid = null;
  const add = (type, message) => {
    const uuid = crypto.randomUUID();
    const timestamp = new Date(Date.now() - (count * 4 - lines.length) * 1000).toISOString();
    lines.push(JSON.stringify({ parentUuid, isSidechain: false, sessionId, timestamp, cwd: process.cwd(), version: 'bench', type, uuid, message }));
    parentUuid = uuid;
  };
  const answer = (id, content) => ({ id, type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content, stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 10 } });
  for (let turn = 0; turn < count; turn++) {
    add('user', { role: 'user', content: `Prompt ${turn}: ${'what the user wants '.repeat(5)}` });
    add('assistant', answer(`msg_a${turn}`, [{ type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: { command: `run ${turn}` } }]));
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${turn}`, content: `line ${turn} of the output of a command\n`.repeat(120) }] });
    add('assistant', answer(`msg_b${turn}`, [{ type: 'text', text: `Answer ${turn}. ${'The quick brown fox jumps over the lazy dog. '.repeat(20)}` }]));
  }
  const text = `${lines.join('\n')}\n`;
  writeFileSync(path, text);
  return { bytes: text.length, messages: lines.length };
}
