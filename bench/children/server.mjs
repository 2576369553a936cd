// The model's side, in a process of its own so that its work is not counted. Answers /chars/<n>/v1/messages with n
// characters of text, /input/<n>/… with a call whose input has n, /reads/<total>/<at once>/… with calls of Read until
// there have been so many. Reports each request to its parent, the moment its head is there, with the CPU time of a
// watched process and the time since the last answer's end; or kills that process then.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { cpuMsOf } from '../lib/cpu.mjs';
import { streamedAnswer, streamedInput, streamedReads, wholeAnswer } from '../lib/answer.mjs';

const pieceSize = 16 * 1024;
let watched;
let answeredAt;

process.on('message', (order) => {
  watched = order.watch;
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

async function handle(request, response) {
  const seen = { time: performance.timeOrigin + performance.now(), sinceAnswerMs: answeredAt && performance.now() - answeredAt, cpuMs: watched && cpuMsOf(watched.pid) };
  if (watched?.kill) process.kill(watched.pid, 'SIGKILL');
  watched = undefined;
  try {
    const body = await readJson(request);
    // Titles and other requests on the side bring no tools.
    const isMain = body.tools?.length > 0;
    process.send({ request: { ...seen, isMain } });
    await answer(body, isMain ? request.url : '', response);
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

async function answer(body, url, response) {
  if (body.stream !== true) return response.writeHead(200, { 'content-type': 'application/json' }).end(wholeAnswer(body.model));
  const bytes = bytesFor(body, url);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < bytes.length; at += pieceSize) {
    if (!response.write(bytes.subarray(at, at + pieceSize))) await once(response, 'drain');
  }
  response.end();
  answeredAt = performance.now();
}

function bytesFor(body, url) {
  const [, kind, size, atOnce] = /^\/(chars|input|reads)\/(\d+)(?:\/(\d+))?\//.exec(url) ?? [];
  if (kind === 'chars') return streamedAnswer(Number(size), body.model);
  const results = body.messages.reduce((sum, { content }) => sum + (Array.isArray(content) ? content.filter((block) => block.type === 'tool_result').length : 0), 0);
  if (kind === 'input' && results === 0) return streamedInput(Number(size), body.model);
  if (kind === 'reads' && results < Number(size)) return streamedReads(results, Math.min(Number(atOnce), Number(size) - results), body.model);
  return streamedAnswer(kind ? 200 : 20, body.model);
}
