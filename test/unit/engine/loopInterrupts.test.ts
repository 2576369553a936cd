import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { systemClock } from '../../../src/base/abort.ts';
import { nodeDigest } from '../../../src/platform/nodeDigest.ts';
import { isApiFailure } from '../../../src/protocol/apiFailure.ts';
import { silentLog } from '../../../src/base/log.ts';
import { CostTracker } from '../../../src/engine/cost/costTracker.ts';
import { requestModel } from '../../../src/engine/model/requestModel.ts';
import { RequestRepairs } from '../../../src/engine/model/requestRepairs.ts';
import { AnthropicClient } from '../../../src/platform/anthropicClient.ts';
import type { EngineOptions, Session } from '../../../src/sdk/index.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { message, text, toolUse } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';
import { TestClock } from '../../support/testClock.ts';

const half = message([text('Hello wor'), toolUse('Read', { file_path: 'a.txt' }, { id: 'r1' })]);

const isRetry = (each: SDKMessage): boolean => each.type === 'system' && each.subtype === 'api_retry';

describe('Esc, at any moment', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  async function start(turns: readonly ScriptedTurn[], options: Partial<EngineOptions> = {}): Promise<Session> {
    harness = await EngineHarness.start(turns, { files: { 'a.txt': 'alpha\n' } });
    return harness.open({ random: () => 0, ...options });
  }

  /** The session is whole: the same messages after a restart, and a server that checks everything takes the next turn. */
  async function assertGoesOn(session: Session): Promise<void> {
    harness.server.push(turn({ reply: message('fine') }));
    const again = await harness.open({ resume: session.sessionId });
    assert.equal(JSON.stringify(again.messages.map((each) => each.uuid)), JSON.stringify(session.messages.map((each) => each.uuid)));
    const messages: SDKMessage[] = [];
    for await (const each of again.submitMessage('next')) {
      messages.push(each);
      if (isRetry(each)) setImmediate(() => again.retryNow());
    }
    assert.equal(resultOf(messages).subtype, 'success');
    harness.server.assertClean({ allowUnused: true });
  }

  async function interruptWhen(session: Session, when: (each: SDKMessage) => boolean): Promise<SDKMessage[]> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage('go')) {
      messages.push(each);
      if (when(each)) setImmediate(() => session.interrupt());
    }
    assert.match(resultOf(messages).errors[0]!, /^Interrupted/);
    return messages;
  }

  it('in the countdown of a retry; no time has to pass', async () => {
    const session = await start([fault.overloaded('300')], { clock: new TestClock() });
    const messages = await interruptWhen(session, isRetry);
    assert.equal(messages.filter(isRetry).length, 1);
    assert.equal(harness.server.requests.length, 1);
    await assertGoesOn(session);
  });

  it('in an unattended wait', async () => {
    const session = await start([fault.overloaded('300')], { clock: new TestClock(), unattended: true });
    await interruptWhen(session, isRetry);
    await assertGoesOn(session);
  });

  it('while the user is asked about a long wait, whose signal says so', async () => {
    let told = false;
    const confirmLongWait: EngineOptions['confirmLongWait'] = (_wait, signal) => new Promise(() => signal.addEventListener('abort', () => (told = true)));
    const session = await start([fault.status(429, { headers: { 'retry-after': '9999' } })], { confirmLongWait });
    await interruptWhen(session, isRetry);
    assert.equal(told, true);
    await assertGoesOn(session);
  });

  it('before the headers', async () => {
    const session = await start([turn({ reply: message('late'), delayMs: 60_000 })]);
    const run = runTurn(session, 'go');
    await harness.server.waitForRequest(1);
    session.interrupt();
    assert.match(resultOf(await run).errors[0]!, /^Interrupted/);
    await assertGoesOn(session);
  });

  it('while the key is being fetched', async () => {
    let asked = (): void => {};
    const session = await start([]);
    const hanging = new Promise<void>((resolve) => (asked = resolve));
    const slow = await harness.open({ endpoint: { baseUrl: harness.server.url, apiKey: () => (asked(), new Promise(() => {})), apiKeySource: 'test' } });
    const run = runTurn(slow, 'go');
    await hanging;
    slow.interrupt();
    assert.match(resultOf(await run).errors[0]!, /^Interrupted/);
    await assertGoesOn(slow);
    await session.dispose();
  });

  it('while the answer is fetched in one piece', async () => {
    const broken = turn({ reply: half, cutAfter: { events: 4, how: 'end' }, times: 2 });
    const session = await start([broken, turn({ reply: message('whole'), delayMs: 60_000 })]);
    const run = interruptWhen(session, (each) => {
      if (isRetry(each)) setImmediate(() => session.retryNow());
      return false;
    });
    await harness.server.waitForRequest(3);
    session.interrupt();
    await run;
    await assertGoesOn(session);
  });

  it('O26: in a stream that fell silent; the next message is answered at once', async () => {
    const session = await start([turn({ reply: half, stallAfter: { events: 4, pingEveryMs: 5 } })], { includePartialMessages: true });
    await interruptWhen(session, (each) => each.type === 'stream_event' && each.event.type === 'content_block_delta');
    await assertGoesOn(session);
  });

  it('O26: a stream that falls silent ends after 90 s, pings or not, visibly, and is asked for again', async () => {
    for (const pingEveryMs of [undefined, 2]) {
      const clock = new TestClock();
      const session = await start([turn({ reply: half, stallAfter: { events: 4, ...(pingEveryMs !== undefined && { pingEveryMs }) } }), turn({ reply: message('Hello world') })], { clock, includePartialMessages: true });
      const messages: SDKMessage[] = [];
      for await (const each of session.submitMessage('go')) {
        messages.push(each);
        if (each.type === 'stream_event' && each.event.type === 'content_block_delta') setImmediate(() => clock.advance(90_000));
        if (isRetry(each)) void clock.waitForTimer(500).then(() => clock.advance(500));
      }
      assert.equal(resultOf(messages).result, 'Hello world');
      assert.deepEqual(messages.flatMap((each) => (each.type === 'system' && each.subtype === 'api_retry' ? [each.error] : [])), ['The server stopped sending']);
      await assertGoesOn(session);
      if (pingEveryMs === undefined) await harness.close();
    }
  });

  it('after each message of a turn that has everything in it', async () => {
    const story = (): ScriptedTurn[] => [
      { ...fault.status(500), headers: { 'retry-after-ms': '1' } },
      turn({ reply: half, cutAfter: { events: 9, how: 'end' } }),
      turn({ reply: () => message([text('Looking.'), toolUse('Read', { file_path: harness.path('a.txt') }), toolUse('Read', { file_path: harness.path('b.txt') }), toolUse('Bash', { command: 'echo hi' })]) }),
      turn({ reply: message('Done.') }),
    ];
    for (let place = 0, over = false; !over; place++) {
      const session = await start(story());
      let seen = 0;
      over = true;
      const messages: SDKMessage[] = [];
      for await (const each of session.submitMessage('go')) {
        messages.push(each);
        if (isRetry(each)) setImmediate(() => session.retryNow());
        if (seen++ !== place || each.type === 'result') continue;
        over = false;
        session.interrupt();
      }
      if (over) assert.equal(resultOf(messages).subtype, 'success');
      await assertGoesOn(session);
      await harness.close();
    }
    await start([]);
  }).timeout(30_000);

  it('O22: killed after one of two results: the other is filled in, first in the next message', async () => {
    const session = await start([turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.txt') }, { id: 'r1' }), toolUse('Read', { file_path: harness.path('b.txt') }, { id: 'r2' })]) }), turn({ reply: message('ok') })]);
    await runTurn(session, 'go');
    await session.dispose();
    const lines = (await readFile(session.transcriptPath, 'utf8')).split('\n');
    const first = lines.findIndex((line) => line.includes('"tool_result"'));
    await writeFile(session.transcriptPath, `${lines.slice(0, first + 1).join('\n')}\n`);
    const again = await harness.open({ resume: session.sessionId });
    harness.server.push(turn({ reply: message('hello') }));
    assert.equal(resultOf(await runTurn(again, 'hi')).result, 'hello');
    const last = harness.server.requests.at(-1)!.body.messages.at(-1)!.content as readonly { readonly type: string; readonly tool_use_id?: string; readonly is_error?: boolean; readonly content?: unknown }[];
    assert.deepEqual(last.slice(0, 2).map((block) => [block.type, block.tool_use_id, block.is_error ?? false]), [['tool_result', 'r1', false], ['tool_result', 'r2', true]]);
    assert.match(String(last[1]!.content), /nterrupted/);
    harness.server.assertClean();
  });

  it('O22: interrupted while an approval waits: nothing is written, the call has a result', async () => {
    const session = await start([turn({ reply: message([toolUse('Bash', { command: 'touch never.txt' }, { id: 'b1' })]) })]);
    harness.answer = () => {
      setImmediate(() => session.interrupt());
      return new Promise(() => {});
    };
    assert.match(resultOf(await runTurn(session, 'go')).errors[0]!, /^Interrupted/);
    await assert.rejects(readFile(harness.path('never.txt')));
    await assertGoesOn(session);
    assert.match(JSON.stringify(harness.server.requests.at(-1)!.body.messages), /"tool_use_id":"b1","content":"The user interrupted/);
  });

  it('gives up soon where nobody listens, and says so', async () => {
    const clock = new TestClock();
    const session = await start([], { clock, endpoint: { baseUrl: 'http://127.0.0.1:1', apiKey: async () => 'key', apiKeySource: 'test' } });
    const waits: number[] = [];
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage('go')) {
      messages.push(each);
      if (each.type !== 'system' || each.subtype !== 'api_retry') continue;
      waits.push(each.retry_delay_ms);
      void clock.waitForTimer(each.retry_delay_ms).then(() => clock.advance(each.retry_delay_ms));
    }
    assert.deepEqual(waits, [500, 1_000]);
    assert.match(resultOf(messages).errors[0]!, /127\.0\.0\.1:1 could not be reached \(ECONNREFUSED\).*saved/);
  });

  it('a missing key is said at once', async () => {
    const session = await start([], {});
    const keyless = await harness.open({ endpoint: { baseUrl: harness.server.url, apiKey: async () => undefined, apiKeySource: 'none' } });
    const messages = await runTurn(keyless, 'go');
    assert.match(resultOf(messages).errors[0]!, /There is no API key/);
    assert.equal(messages.filter(isRetry).length, 0);
    await session.dispose();
  });

  it('a background request does not hammer an overloaded model', async () => {
    await start([fault.overloaded()]);
    const client = new AnthropicClient({ baseUrl: harness.server.url, apiKey: async () => 'key' });
    const request = { model: 'claude-haiku-4-5', max_tokens: 100, system: [], messages: [{ role: 'user', content: 'a title, please' }] };
    const run = requestModel({
      client,
      clock: systemClock,
      random: () => 0,
      log: silentLog,
      cost: new CostTracker(() => undefined),
      sessionId: 's',
      signal: new AbortController().signal,
      includePartialMessages: false,
      repairs: new RequestRepairs({ digest: nodeDigest, endpoint: harness.server.url, learned: [], record: () => {} }),
      buildRequest: () => request,
      model: request.model,
      background: true,
    });
    await assert.rejects(async () => {
      for await (const each of run) assert.fail(`nothing is announced, but ${each.type} was`);
    }, isApiFailure);
    assert.equal(harness.server.requests.length, 1);
  });
});
