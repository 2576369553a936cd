// One turn with many calls of Read; prints how long it took.
//   toolTurn.mjs <server> <calls> <at once>
import { writeFileSync } from 'node:fs';
import { createEngine } from '../../dist/sdk.js';
import { ownCpuMs } from '../lib/cpu.mjs';

const [server, calls, atOnce] = process.argv.slice(2);
writeFileSync('small.txt', 'a line of text\n'.repeat(20));
await turn(1, 1);
const start = process.cpuUsage();
const begin = performance.now();
await turn(calls, atOnce);
console.log(JSON.stringify({ cpuMs: ownCpuMs(start), wallMs: performance.now() - begin }));

async function turn(total, together) {
  const session = await createEngine({
    cwd: process.cwd(),
    endpoint: { baseUrl: `${server}/reads/${total}/${together}`, apiKey: async () => 'bench', apiKeySource: 'bench' },
    model: 'claude-haiku-4-5',
    canUseTool: async () => ({ behavior: 'deny' }),
  });
  let result;
  for await (const message of session.submitMessage('Read.')) if (message.type === 'result') result = message;
  const answered = session.messages.filter((message) => message.type === 'user' && JSON.stringify(message.message.content).includes('a line of text')).length;
  await session.dispose();
  if (result.subtype !== 'success' || answered !== Number(total)) throw new Error(`Of ${total} calls ${answered} were answered: ${JSON.stringify(result).slice(0, 300)}`);
}
