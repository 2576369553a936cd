import assert from 'node:assert/strict';
import type { DemoModel } from '../../../src/demo/startDemoModel.ts';
import { startDemoModel } from '../../../src/demo/startDemoModel.ts';
import { foldEvents, parseEventStream } from '../../support/readEventStream.ts';

describe('startDemoModel', () => {
  let model: DemoModel;
  before(async () => {
    model = await startDemoModel({ pace: 'instant' });
  });
  after(() => model.close());

  const body = { model: 'turnstone-demo', max_tokens: 1000, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const post = (value: unknown, { headers = { authorization: `Bearer ${model.apiKey}` } as Record<string, string>, path = '/v1/messages' } = {}): Promise<Response> =>
    fetch(`${model.url}${path}`, { method: 'POST', headers, body: typeof value === 'string' ? value : JSON.stringify(value) });

  it('streams in the framing of the API and answers the same as JSON', async () => {
    const streamed = foldEvents(parseEventStream(await (await post(body)).text()));
    const { content, ...rest } = (await (await post({ ...body, stream: false })).json()) as { content: unknown; usage: Record<string, number>; id: string };
    assert.deepEqual(content, streamed.content);
    assert.equal(streamed.model, 'turnstone-demo');
    assert.ok(Number(streamed.usage['input_tokens']) > 20 && Number(streamed.usage['output_tokens']) > 50);
    assert.equal(rest.usage['output_tokens'], streamed.usage['output_tokens']);
    assert.match(rest.id, /^msg_demo_[0-9a-f]{24}$/);
  });

  it('gives the same answer to the same request, byte for byte', async () => {
    assert.equal(await (await post(body)).text(), await (await post(body)).text());
  });

  it('serves only who has the key, in either header', async () => {
    assert.equal((await post(body, { headers: { 'x-api-key': model.apiKey } })).status, 200);
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': `${model.apiKey}x` }]) {
      const response = await post(body, { headers });
      assert.equal(response.status, 401);
      assert.match(await response.text(), /authentication_error/);
    }
  });

  it('has a different key each time', async () => {
    const other = await startDemoModel();
    assert.notEqual(other.apiKey, model.apiKey);
    await other.close();
    await other.close();
  });

  it('answers whatever model is asked for, under its own name', async () => {
    assert.match(await (await post({ ...body, model: 'claude-opus-5-5' })).text(), /"model":"turnstone-demo"/);
  });

  it('refuses what is no request to it', async () => {
    assert.deepEqual([(await post('{"half')).status, (await post('[]')).status], [400, 400]);
    assert.equal((await post(body, { path: '/v1/other' })).status, 404);
  });

  it('counts tokens, makes titles and summaries', async () => {
    assert.ok(((await (await post(body, { path: '/v1/messages/count_tokens' })).json()) as { input_tokens: number }).input_tokens > 10);
    const said = async (system: string, ...prompts: string[]): Promise<string> => {
      const messages = prompts.flatMap((content, index) => [...(index > 0 ? [{ role: 'assistant', content: 'Yes.' }] : []), { role: 'user', content }]);
      return String(foldEvents(parseEventStream(await (await post({ ...body, system, messages })).text())).content[0]?.['text']);
    };
    assert.match(await said('Give this conversation a short title.', 'rename `total` to `sum` in cart.ts and run'), /Rename total to sum in cart\.ts$/);
    assert.match(await said('', 'run the tests', 'Summarise the conversation'), /- run the tests$/);
  });

  it('survives any shape of messages', async () => {
    for (const messages of [undefined, [], [{}], [{ role: 'user', content: 3 }], [{ role: 'assistant' }], [{ role: 'user', content: [{ type: 'tool_result' }] }]]) {
      assert.equal((await post({ ...body, messages })).status, 200);
    }
  });

  it('closes while an answer is being written', async () => {
    const calm = await startDemoModel({ pace: 'calm' });
    const response = await fetch(`${calm.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': calm.apiKey }, body: JSON.stringify({ ...body, messages: [{ role: 'user', content: 'write a long answer' }] }) });
    await calm.close();
    await assert.rejects(response.text());
  });
});
