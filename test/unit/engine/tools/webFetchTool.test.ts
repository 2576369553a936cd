import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineOptions } from '../../../../src/sdk/index.ts';
import type { MessagesRequest } from '../../../support/apiTypes.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';

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

  describe('with a prompt', () => {
    const isQuestion = (body: MessagesRequest): boolean => JSON.stringify(body.system).includes('You read one page');
    const options: Partial<EngineOptions> = { webFetch: { allowPrivateAddresses: true } };
    const asked = (path: string) => turn({ when: (body) => !isQuestion(body), reply: () => message([toolUse('WebFetch', { url: `${base}${path}`, prompt: 'What is bold?' }, { id: 'page' })]) });
    const resultOfFetch = (): string => toolResults(harness.server.requests.at(-1)!.body)['page']!;

    it('gives what the small model finds in the page, and counts what that costs', async () => {
      harness = await EngineHarness.start([asked('/long'), turn({ when: isQuestion, reply: message('“you” is bold.', { usage: { input_tokens: 40, output_tokens: 7 } }) }), turn({ reply: message('ok') })]);
      const result = resultOf(await runTurn(await harness.open(options), 'look'));
      const { body } = harness.server.requests[1]!;
      assert.deepEqual([body.model, body.messages.length, body.tools], ['claude-haiku-5-5', 1, undefined]);
      const sent = JSON.stringify(body.messages);
      assert.ok(sent.includes('<page>') && sent.includes('x'.repeat(100_000)) && !sent.includes('x'.repeat(100_001)) && sent.includes('What is bold?'));
      assert.match(resultOfFetch(), /^http.*small model found in the page.*\n“you” is bold\.\n\n\(The first 100000 of 150000 characters\.\)$/s);
      assert.equal(result.modelUsage['claude-haiku-5-5']?.outputTokens, 7);
      harness.server.assertClean();
    });

    it('gives the page where the small model fails, is overloaded or has no words, and does not ask it again', async () => {
      for (const failure of [fault.overloaded(), fault.status(400, { message: 'no' }), fault.status(500), turn({ reply: message([]) })]) {
        await harness?.close();
        harness = await EngineHarness.start([asked('/'), { ...failure, when: isQuestion }, turn({ reply: message('ok') })]);
        assert.equal(resultOf(await runTurn(await harness.open(options), 'look')).subtype, 'success');
        assert.match(resultOfFetch(), /\(The small model .*his is the page\.\)\n\nHello \*\*you\*\*$/);
        assert.equal(harness.server.requests.length, 3);
        harness.server.assertClean();
      }
    });

    it('asks nothing that could go beyond the cost limit', async () => {
      harness = await EngineHarness.start([asked('/'), turn({ reply: message('ok') })]);
      const session = await harness.open({ ...options, maxBudgetUsd: 5, prices: { 'claude-haiku-5-5': { input: 1_000, output: 10_000 } } });
      assert.equal(resultOf(await runTurn(session, 'look')).subtype, 'success');
      assert.match(resultOfFetch(), /could not be asked: the cost limit has no room for it\. This is the page/);
      harness.server.assertClean();
    });

    it('ends with the turn when that is interrupted', async () => {
      harness = await EngineHarness.start([asked('/'), { ...fault.stall(message('never'), { events: 1 }), when: isQuestion }]);
      const session = await harness.open(options);
      void harness.server.waitForRequest(2).then(() => session.interrupt());
      assert.equal(resultOf(await runTurn(session, 'look')).subtype, 'error_during_execution');
      harness.server.assertClean();
    });
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
