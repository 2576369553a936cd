import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EngineHarness, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

describe('WebFetch', () => {
  const server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'https://other.example/' }).end();
    else if (request.url === '/long') response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(150_000));
    else if (request.url === '/none') response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Docs</title><p>Hello <b>you</b></p>');
  });
  let base = '';
  let harness: EngineHarness;
  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after((done) => void server.close(() => done()));
  afterEach(() => harness.close());

  it('asks with the host named, in plan mode too, and gives the page', async () => {
    const fetch = (id: string, url: string) => toolUse('WebFetch', { url }, { id });
    harness = await EngineHarness.start([
      turn({ reply: () => message([fetch('page', `${base}/`), fetch('away', `${base}/away`), fetch('long', `${base}/long`), fetch('none', `${base}/none`), fetch('bad', 'nonsense')]) }),
      turn({ reply: message('ok') }),
    ]);
    const session = await harness.open({ permissionMode: 'plan', webFetch: { allowPrivateAddresses: true } });
    await runTurn(session, 'look');
    assert.deepEqual([...new Set(harness.requests.map(({ title }) => title))], [`from ${new URL(base).host}`]);
    const results = toolResults(harness.server.requests[1]!.body);
    assert.equal(results['page'], `${base}/\nTitle: Docs\n\nHello **you**`);
    assert.match(results['away']!, /leads to another host \(status 302\): https:\/\/other\.example\/\nIt was not followed/);
    assert.match(results['long']!, /\(The first 100000 of 150000 characters\.\)$/);
    assert.equal(results['none'], `${base}/none (status 404)\n\nnothing here`);
    assert.match(results['bad']!, /nonsense is not an address/);
    harness.server.assertClean();
  });

  it('does not fetch what the user refuses, nor from this machine unless that is allowed', async () => {
    harness = await EngineHarness.start([
      turn({ reply: () => message([toolUse('WebFetch', { url: `${base}/` }, { id: 'local' }), toolUse('WebFetch', { url: 'https://example.org/' }, { id: 'denied' })]) }),
      turn({ reply: message('ok') }),
    ]);
    harness.answer = ({ input }) => (String(input['url']).includes('example.org') ? { behavior: 'deny', reason: 'no web' } : { behavior: 'allow' });
    await runTurn(await harness.open(), 'look');
    const results = toolResults(harness.server.requests[1]!.body);
    assert.match(results['local']!, /was not asked: its address 127\.0\.0\.1/);
    assert.match(results['denied']!, /rejected this.*no web/);
    harness.server.assertClean();
  });

  it('is not offered where it is switched off', async () => {
    harness = await EngineHarness.start([turn({ reply: message('hi') })]);
    await runTurn(await harness.open({ webFetch: false }), 'hi');
    assert.ok(!harness.server.requests[0]!.body.tools?.some((tool) => tool['name'] === 'WebFetch'));
  });
});
