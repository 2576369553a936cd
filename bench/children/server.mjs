// The model's side, in a process of its own so that its work is not counted. Answers /chars/<n>/v1/messages with n
// characters. Reports each request to its parent, the moment its head is there, with the CPU time of a watched
// process; or kills that process then.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { cpuMsOf } from '../lib/cpu.mjs';
import { streamedAnswer, wholeAnswer } from '../lib/answer.mjs';

const pieceSize = 16 * 1024;
let watched;

process.on('message', (order) => {
  watched = order.watch;
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

async function handle(request, response) {
  const seen = { time: performance.timeOrigin + performance.now(), cpuMs: watched && cpuMsOf(watched.pid) };
  if (watched?.kill) process.kill(watched.pid, 'SIGKILL');
  watched = undefined;
  try {
    const body = await readJson(request);
    // Titles and other requests on the side bring no tools.
    const isMain = body.tools?.length > 0;
    process.send({ request: { ...seen, isMain } });
    await answer(body, isMain ? Number(/^\/chars\/(\d+)\//.exec(request.url)?.[1] ?? 200) : 20, response);
  } catch (error) {
    if (!request.destroyed && !response.destroyed) throw error;
    process.send({ request: seen });
  }
}

async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function answer(body, characters, response) {
  if (body.stream !== true) return response.writeHead(200, { 'content-type': 'application/json' }).end(wholeAnswer(body.model));
  const bytes = streamedAnswer(characters, body.model);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < bytes.length; at += pieceSize) {
    if (!response.write(bytes.subarray(at, at + pieceSize))) await once(response, 'drain');
  }
  response.end();
}
