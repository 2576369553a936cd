import assert from 'node:assert/strict';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { message } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';

describe('settings with which no request can be made', () => {
  let harness: EngineHarness;
  beforeEach(async () => void (harness = await EngineHarness.start()));
  afterEach(() => harness.close());

  for (const baseUrl of ['nonsense', 'ftp://example.org', 'http://', 'https://a b', 'example.org:443', '//example.org']) {
    it(`the address “${baseUrl}”: said at once, with what to do`, async () => {
      const session = await harness.open({ endpoint: { baseUrl, apiKey: async () => 'key', apiKeySource: 'test' } });
      const messages = await runTurn(session, 'hi');
      assert.match(resultOf(messages).errors[0]!, /is not an address of the API.*ANTHROPIC_BASE_URL.*saved/);
      assert.ok(!messages.some((each) => each.type === 'system' && each.subtype === 'api_retry'));
    });
  }

  for (const [name, key, said] of [['blank', ' \n', /^There is no API key/], ['with a character that no key has', 'sk-ü secret', /^The API key holds/], ['with a line break inside', 'sk-1\nsk-2', /^The API key holds/]] as const) {
    it(`a key ${name}: said at once, without the key`, async () => {
      const session = await harness.open({ endpoint: { baseUrl: harness.server.url, apiKey: async () => key, apiKeySource: 'test' } });
      const messages = await runTurn(session, 'hi');
      assert.match(resultOf(messages).errors[0]!, said);
      assert.ok(!JSON.stringify(messages).includes('secret') && !JSON.stringify(messages).includes('sk-2'));
      assert.equal(harness.server.requests.length, 0);
    });
  }

  it('a line break at the end of a key is none of it', async () => {
    harness.server.push(turn({ reply: message('fine') }));
    const session = await harness.open({ endpoint: { baseUrl: harness.server.url, apiKey: async () => 'sk-1\n', apiKeySource: 'test' } });
    assert.equal(resultOf(await runTurn(session, 'hi')).result, 'fine');
    assert.equal(harness.server.requests[0]!.headers.authorization, 'Bearer sk-1');
  });
});
