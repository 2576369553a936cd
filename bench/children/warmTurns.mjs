// Short turns in one session; prints when each prompt was given, so that the server's clock can be held against it.
//   warmTurns.mjs <server> <turns>
import { createEngine } from '../../dist/sdk.js';

const [server, turns] = process.argv.slice(2);
const session = await createEngine({
  cwd: process.cwd(),
  endpoint: { baseUrl: `${server}/chars/200`, apiKey: async () => 'bench', apiKeySource: 'bench' },
  model: 'claude-haiku-4-5',
  canUseTool: async () => ({ behavior: 'deny' }),
});
const times = [];
for (let turn = 0; turn < Number(turns); turn++) {
  // Apart from each other, so that what is done after a turn is not counted to the next.
  await new Promise((resolve) => setTimeout(resolve, 150));
  times.push(performance.timeOrigin + performance.now());
  for await (const message of session.submitMessage(`Prompt ${turn}`)) {
    if (message.type === 'result' && message.is_error) throw new Error(`A turn failed: ${message.errors[0]}`);
  }
}
await session.dispose();
console.log(JSON.stringify({ times }));
