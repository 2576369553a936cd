import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { nodeFetch } from '../../../src/platform/nodeFetch.ts';

describe('nodeFetch', () => {
  let server: Server | undefined;
  const serve = async (answer: (...exchange: Parameters<RequestListener>) => unknown): Promise<string> => {
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('sends method, headers and body, and gives back status, headers and text', async () => {
    const url = await serve(async (request, response) => {
      const { method, url: path, headers } = request;
      const seen = { method, path, length: headers['content-length'], key: headers['x-key'], body: await text(request) };
      response.writeHead(429, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] }).end(JSON.stringify(seen));
    });
    const response = await nodeFetch(`${url}/v1/messages?x=1`, { method: 'POST', headers: new Headers({ 'X-Key': 'k' }), body: '“äöü”' });
    assert.deepEqual([response.ok, response.status, response.headers.get('Retry-After'), response.headers.get('set-cookie')], [false, 429, '7', 'a=1, b=2']);
    assert.deepEqual(await response.json(), { method: 'POST', path: '/v1/messages?x=1', length: '12', key: 'k', body: '“äöü”' });
  });

  it('gives a body that can be read as it comes', async () => {
    let finish = (): void => {};
    const url = await serve((_request, response) => {
      response.write('one');
      finish = () => response.end('two');
    });
    const response = await nodeFetch(url);
    assert.equal(response.ok, true);
    const pieces: string[] = [];
    for await (const piece of response.body as unknown as AsyncIterable<Buffer>) {
      pieces.push(String(piece));
      finish();
    }
    assert.deepEqual(pieces, ['one', 'two']);
  });

  it('keeps connections, but not when told to take a new one', async () => {
    const ports: (number | undefined)[] = [];
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      response.end();
    });
    for (const headers of [{}, {}, { connection: 'close' }]) {
      await (await nodeFetch(url, { headers })).text();
      // The socket goes back to where it is kept in a later step.
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(new Set(ports).size, 2);
    assert.equal(ports[0], ports[1]);
  });

  it('rejects with AbortError before the answer and ends the body with it after', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/begins') response.write('one');
    });
    const isAbort = { name: 'AbortError' };
    await assert.rejects(nodeFetch(url, { signal: AbortSignal.abort() }), isAbort);
    const waiting = new AbortController();
    const request = nodeFetch(url, { signal: waiting.signal });
    waiting.abort();
    await assert.rejects(request, isAbort);
    const reading = new AbortController();
    const response = await nodeFetch(`${url}/begins`, { signal: reading.signal });
    await assert.rejects(async () => {
      for await (const piece of response.body as unknown as IncomingMessage) if (piece) reading.abort();
    }, isAbort);
  });

  it('tells by its code what broke', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/begins') response.write('one', () => response.destroy());
      else response.destroy();
    });
    await assert.rejects(nodeFetch(url), { code: 'ECONNRESET' });
    await assert.rejects(async () => (await nodeFetch(`${url}/begins`)).text(), { code: 'ECONNRESET' });
    server?.close();
    server?.closeAllConnections();
    await assert.rejects(nodeFetch(url, { headers: { connection: 'close' } }), { code: 'ECONNREFUSED' });
    await assert.rejects(nodeFetch('ftp://127.0.0.1/'), /https: or http:/);
  });
});
