import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isAborted } from '../../../src/base/errors.ts';
import type { WebAnswer } from '../../../src/engine/ports.ts';
import { createWebFetcher } from '../../../src/platform/nodeWebFetcher.ts';
import type { WebFetcherOptions } from '../../../src/platform/nodeWebFetcher.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('createWebFetcher', function () {
  this.timeout(30_000);
  let handler: Handler = () => {};
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    handler(request, response);
  });
  let base = '';
  const never = new AbortController().signal;

  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });
  beforeEach(() => void (asked.length = 0));

  const fetcher = (options: Partial<WebFetcherOptions> = {}) => createWebFetcher({ userAgent: 'Turnstone/test', allowPrivateAddresses: true, ...options });
  const page = async (url = base, options: Partial<WebFetcherOptions> = {}): Promise<Extract<WebAnswer, { kind: 'page' }>> => {
    const answer = await fetcher(options).fetch(url, never);
    assert.ok(answer.kind === 'page');
    return answer;
  };
  const answerWith = (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): void => {
    handler = (_request, response) => response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  };

  it('gives HTML as Markdown, and other text as it is', async () => {
    answerWith('<title>T</title><h1>Hi</h1><a href="x">x</a>');
    assert.deepEqual(await page(`${base}/a#part`), { kind: 'page', url: `${base}/a`, status: 200, contentType: 'text/html', title: 'T', text: `# Hi\n\n[x](${base}/x)` });
    answerWith('{"a": "<b>"}', { 'content-type': 'application/json' });
    assert.equal((await page()).text, '{"a": "<b>"}');
    answerWith('gone', { 'content-type': 'text/plain' }, 404);
    assert.deepEqual([(await page()).status, (await page()).text], [404, 'gone']);
  });

  it('unpacks, and reads other encodings', async () => {
    for (const [name, pack] of [['gzip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const) {
      answerWith(pack(Buffer.from('päckchen')), { 'content-encoding': name, 'content-type': 'text/plain; charset=utf-8' });
      assert.equal((await page()).text, 'päckchen');
    }
    answerWith(Buffer.from('gr\u00fcn', 'latin1'), { 'content-type': 'text/plain; charset=ISO-8859-1' });
    assert.equal((await page()).text, 'grün');
    answerWith(Buffer.from('<meta charset="windows-1252"><p>gr\u00fcn', 'latin1'), { 'content-type': 'text/html' });
    assert.equal((await page()).text, 'grün');
    answerWith(gzipSync('text').subarray(0, 10), { 'content-encoding': 'gzip' });
    await assert.rejects(page(), /could not be fetched/);
  });

  it('refuses what is not text, and what is too large, packed or not', async () => {
    answerWith('PK', { 'content-type': 'application/zip' });
    await assert.rejects(page(), /is not text but application\/zip\. Nothing was loaded/);
    answerWith('x'.repeat(3_000_000), { 'content-type': 'text/plain' });
    await assert.rejects(page(base, { maxBytes: 2 * 1024 * 1024 }), /larger than 2 MB/);
    answerWith(gzipSync('x'.repeat(3_000_000)), { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    await assert.rejects(page(base, { maxBytes: 2 * 1024 * 1024 }), /larger than 2 MB/);
  });

  it('follows redirects of the same host, ten at most, and reports others', async () => {
    handler = (request, response) => {
      const n = Number(request.url?.slice(1));
      if (n > 0) response.writeHead(302, { location: String(n - 1) }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
    };
    assert.equal((await page(`${base}/10`)).text, 'there');
    assert.equal(asked.length, 11);
    await assert.rejects(page(`${base}/11`), /more than 10 times/);
    answerWith('', { location: 'https://elsewhere.example/x?y=1' }, 301);
    assert.deepEqual(await fetcher().fetch(base, never), { kind: 'redirect', url: `${base}/`, target: 'https://elsewhere.example/x?y=1', status: 301 });
    answerWith('', { location: 'file:///etc/passwd' }, 302);
    await assert.rejects(page(), /only https and http can/);
  });

  it('asks nobody at an address of this machine or of a local network, however it is written', async () => {
    answerWith('secret');
    const { port } = new URL(base);
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '169.254.169.254', '10.0.0.1', '192.168.1.1', '[fd00:ec2::254]', '[fe80::1]', '127。0。0。1'];
    for (const host of hosts) {
      for (const address of [`http://${host}:${port}/`, `https://${host}/`, `http://${host}/`]) {
        await assert.rejects(fetcher({ allowPrivateAddresses: false }).fetch(address, never), /was not asked: its address .* belongs to this machine or a local network/, address);
      }
    }
    assert.deepEqual(asked, []);
  });

  it('refuses a name of which one address is private, and connects to the one it has checked', async () => {
    const resolved: string[] = [];
    const mixed = fetcher({ allowPrivateAddresses: false, resolve: async () => ['93.184.215.14', '10.0.0.5'] });
    await assert.rejects(mixed.fetch('https://mixed.example/', never), /its address 10\.0\.0\.5/);
    // Would be another machine at a second look-up.
    const rebinding = fetcher({ resolve: async (host) => (resolved.push(host), resolved.length === 1 ? ['127.0.0.1'] : ['192.0.2.1']) });
    answerWith('pinned', { 'content-type': 'text/plain' });
    const answer = await rebinding.fetch(`http://rebinding.example:${new URL(base).port}/`, never);
    assert.equal(answer.kind === 'page' && answer.text, 'pinned');
    assert.deepEqual(resolved, ['rebinding.example']);
  });

  it('checks each redirect anew', async () => {
    let lookups = 0;
    answerWith('', { location: '/again' }, 302);
    const turning = fetcher({ allowPrivateAddresses: true, resolve: async () => (++lookups === 1 ? ['127.0.0.1'] : []) });
    await assert.rejects(turning.fetch(`http://turning.example:${new URL(base).port}/`, never), /there is no address for turning\.example/);
    assert.deepEqual(asked, ['/']);
  });

  it('takes https where http is said, unless there is a port', async () => {
    const asks = fetcher({ resolve: async () => ['127.0.0.1'] });
    // Nothing speaks https here, and port 443 is not ours: it must be refused, not answered in the clear.
    await assert.rejects(asks.fetch('http://plain.example/', never), /https?:\/\/plain\.example\/ could not be fetched/);
    assert.deepEqual(asked, []);
  });

  it('refuses what is no address, other protocols and passwords', async () => {
    await assert.rejects(fetcher().fetch('example', never), /is not an address/);
    await assert.rejects(fetcher().fetch('ftp://example.org/', never), /only https and http can/);
    await assert.rejects(fetcher().fetch('https://me:secret@example.org/', never), (error: Error) => /a name and password/.test(error.message) && !/secret/.test(error.message));
  });

  it('gives up after its time, and at once when interrupted', async () => {
    handler = (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('begin');
    await assert.rejects(page(base, { timeoutMs: 100 }), /did not answer in full within 0\.1 s/);
    const controller = new AbortController();
    handler = () => controller.abort();
    await assert.rejects(fetcher().fetch(base, controller.signal), (error) => isAborted(error));
    await assert.rejects(fetcher({ resolve: async () => [] }).fetch('https://none.example/', never), /there is no address/);
  });
});
