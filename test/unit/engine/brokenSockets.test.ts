import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import type { EngineOptions } from '../../../src/sdk/index.ts';
import { EngineHarness, resultOf } from '../../support/engineHarness.ts';
import { message } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

/** What happens to one connection. `prompt` is far more than the buffers between two processes hold. */
type Mishap = (socket: Socket) => void;

const onFirstBytes = (act: Mishap): Mishap => (socket) => void socket.once('data', () => act(socket));
const onceRead = (act: Mishap): Mishap => (socket) => {
  let missing: number | undefined;
  socket.on('data', (bytes: Buffer) => {
    const text = missing === undefined ? bytes.toString('latin1') : '';
    missing ??= Number(/content-length: (\d+)/i.exec(text)?.[1]) + text.indexOf('\r\n\r\n') + 4;
    missing -= bytes.length;
    if (missing <= 0) act(socket);
  });
};
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const begun = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'msg_lost', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 5, output_tokens: 1 } } })}\n\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

const mishaps: { readonly [what: string]: { readonly act: Mishap; readonly reason: RegExp } } = {
  'a reset before a byte was read': { act: (socket) => void socket.resetAndDestroy(), reason: /connection failed \(E(?:CONNRESET|PIPE)\)/ },
  'a reset while a large request is being written': { act: onFirstBytes((socket) => void socket.resetAndDestroy()), reason: /connection failed \(E(?:CONNRESET|PIPE)\)/ },
  'a close while a large request is being written': { act: onFirstBytes((socket) => void socket.destroy()), reason: /connection failed \(E(?:CONNRESET|PIPE)\)/ },
  'a half-close without a word, while the request is still read': { act: (socket) => void socket.end().resume(), reason: /connection failed \(E(?:CONNRESET|PIPE)\)/ },
  'a half-close after the whole request': { act: onceRead((socket) => void socket.end()), reason: /connection failed \(ECONNRESET\)/ },
  'an end within the headers': { act: onceRead((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-ty')), reason: /connection failed \(ECONNRESET\)/ },
  'an end after the headers': { act: onceRead((socket) => void socket.end(head)), reason: /connection failed|broke off|not a model/ },
  'a half-close in mid-stream': { act: onceRead((socket) => void socket.end(head + chunk(begun))), reason: /connection failed|broke off/ },
  'a reset in mid-stream': {
    act: onceRead((socket) => void socket.write(head + chunk(begun), () => setImmediate(() => socket.resetAndDestroy()))),
    reason: /connection failed|broke off/,
  },
  'something that is not HTTP': { act: onceRead((socket) => void socket.end('220 mail.example ESMTP\r\n')), reason: /connection failed \(HPE_/ },
  'chunks that are none': { act: onceRead((socket) => void socket.end(`${head}xyz\r\n`)), reason: /connection failed|broke off/ },
};

/** Stands before the scripted server; the first connections have a mishap, the others go through. */
async function startUnsteadyProxy(target: string, act: Mishap, count: number): Promise<{ readonly url: string; readonly server: Server; connections(): number }> {
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    if (++connections <= count) return act(socket);
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, connections: () => connections };
}

describe('connections that break', () => {
  const prompt = `${'many words '.repeat(300_000)}the end`;
  let harness: EngineHarness;
  let proxy: Awaited<ReturnType<typeof startUnsteadyProxy>> | undefined;

  beforeEach(async () => {
    harness = await EngineHarness.start([turn({ reply: message('well'), times: Infinity })]);
  });
  afterEach(async () => {
    await harness.close();
    proxy?.server.close();
    proxy = undefined;
  });

  /** One turn in which no wait takes time. */
  async function say(baseUrl: string, options: Partial<EngineOptions> = {}): Promise<SDKMessage[]> {
    const session = await harness.open({ endpoint: { baseUrl, apiKey: async () => 'test-key', apiKeySource: 'test' }, model: 'claude-opus-5-5', random: () => 0, ...options });
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(prompt)) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
    }
    await session.dispose();
    return messages;
  }

  const reasonsOf = (messages: readonly SDKMessage[]): string[] => messages.flatMap((each) => (each.type === 'system' && each.subtype === 'api_retry' ? [each.error] : []));

  for (const [what, { act, reason }] of Object.entries(mishaps)) {
    it(`${what}: asked again on a new connection, answered once`, async () => {
      proxy = await startUnsteadyProxy(harness.server.url, act, 1);
      const messages = await say(proxy.url);
      assert.equal(resultOf(messages).subtype, 'success');
      assert.equal(resultOf(messages).result, 'well');
      const reasons = reasonsOf(messages);
      assert.equal(reasons.length, 1);
      assert.match(reasons[0]!, reason);
      assert.deepEqual([proxy.connections(), harness.server.requests.length], [2, 1]);
      assert.ok(harness.server.requests[0]!.raw.includes('the end'), 'the request came whole');
      assert.equal(messages.filter(({ type }) => type === 'assistant').length, 1);
      harness.server.assertClean();
    });
  }

  it('a kept connection that the server has closed meanwhile is no failure that costs the turn', async () => {
    let first: Socket | undefined;
    proxy = await startUnsteadyProxy(harness.server.url, () => {}, 0);
    proxy.server.prependOnceListener('connection', (socket: Socket) => (first = socket));
    const session = await harness.open({ endpoint: { baseUrl: proxy.url, apiKey: async () => 'test-key', apiKeySource: 'test' }, random: () => 0 });
    for (const text of ['one', 'two']) {
      const messages: SDKMessage[] = [];
      for await (const each of session.submitMessage(text)) {
        messages.push(each);
        if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
      }
      assert.equal(resultOf(messages).subtype, 'success');
      first?.resetAndDestroy();
    }
    harness.server.assertClean();
  });

  it('the connection of an answer that was read to its end is used for the next request', async () => {
    proxy = await startUnsteadyProxy(harness.server.url, () => {}, 0);
    const session = await harness.open({ endpoint: { baseUrl: proxy.url, apiKey: async () => 'test-key', apiKeySource: 'test' }, titles: false });
    for (const text of ['one', 'two', 'three']) for await (const each of session.submitMessage(text)) if (each.type === 'result') assert.equal(each.subtype, 'success');
    assert.deepEqual([proxy.connections(), harness.server.requests.length], [1, 3]);
  });

  it('a server that refuses a large request while it is being written is understood', async () => {
    const refuse = onFirstBytes((socket) => void socket.end('HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n').resume());
    proxy = await startUnsteadyProxy(harness.server.url, refuse, Infinity);
    const { subtype, errors } = resultOf(await say(proxy.url));
    assert.equal(subtype, 'error_during_execution');
    assert.match(errors[0]!, /too (?:long|large)|no longer fits|context window/i);
    assert.ok(proxy.connections() <= 12);
  });

  it('a name that does not exist is said, after three tries', async () => {
    const messages = await say('http://no-such-host.invalid');
    assert.equal(reasonsOf(messages).length, 2);
    assert.match(resultOf(messages).errors[0]!, /no-such-host\.invalid could not be reached \((?:ENOTFOUND|EAI_AGAIN)\).*Your message is saved/);
  });

  it('a port on which nobody listens is said, and asked again when somebody does', async () => {
    proxy = await startUnsteadyProxy(harness.server.url, () => {}, 0);
    const { url } = proxy;
    proxy.server.close();
    await once(proxy.server, 'close');
    const refused = await say(url);
    assert.match(resultOf(refused).errors[0]!, /could not be reached \(ECONNREFUSED\).*Your message is saved/);
    assert.equal(resultOf(await say(harness.server.url)).subtype, 'success');
  });
});
