import assert from 'node:assert/strict';
import fc from 'fast-check';
import { systemClock } from '../../../src/base/abort.ts';
import { isApiFailure } from '../../../src/protocol/apiFailure.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { ApiAssistantMessage, RawStreamEvent } from '../../../src/protocol/messages.ts';
import { MessageAssembler } from '../../../src/engine/model/messageAssembler.ts';
import { readStream } from '../../../src/engine/model/readStream.ts';
import { AnthropicClient } from '../../../src/platform/anthropicClient.ts';
import type { Chunking } from '../../support/chunking.ts';
import { corpusFiles } from '../../support/corpus.ts';
import { startScriptedServer } from '../../support/scriptedServer.ts';
import type { ScriptedServer } from '../../support/scriptedServer.ts';
import { turn } from '../../support/scriptedTurn.ts';

/** What a stream comes to. */
interface Assembled {
  readonly blocks: readonly ContentBlock[];
  readonly invalid: readonly string[];
  readonly message: Omit<ApiAssistantMessage, 'content'> | undefined;
  readonly failure: string | undefined;
}

class Folding {
  readonly #assembler = new MessageAssembler();
  #blocks: ContentBlock[] = [];
  readonly #invalid: string[] = [];

  push(event: RawStreamEvent): void {
    const step = this.#assembler.push(event);
    if (step?.type === 'started') this.#blocks = [];
    if (step?.type !== 'block') return;
    this.#blocks.push(step.block);
    if (step.invalidInput !== undefined) this.#invalid.push(step.invalidInput);
  }

  result(failure: string | undefined): Assembled {
    const { content: _content, ...message } = this.#assembler.message ?? { content: [] };
    return { blocks: this.#blocks, invalid: this.#invalid, message: this.#assembler.message && (message as Assembled['message']), failure };
  }
}

const fixtureEvents: RawStreamEvent[] = [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '北京 🙂' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'Write', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"content":"北' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '京 🙂\\n"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
];

/** How a server may write events down. All mean the same. */
const framings: { readonly [name: string]: (event: RawStreamEvent) => string } = {
  'as the API does': (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  'with CRLF': (event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`,
  'with CR alone': (event) => `event: ${event.type}\rdata: ${JSON.stringify(event)}\r\r`,
  'without names, without blanks, with comments': (event) => `: hello\ndata:${JSON.stringify(event)}\n\n`,
  'over several data lines': (event) => `event: ${event.type}\nid: 7\n${JSON.stringify(event, null, 1).split('\n').map((line) => `data: ${line}`).join('\n')}\n\n`,
};

describe('streams over HTTP, cut anywhere', function () {
  this.timeout(60_000);
  let server: ScriptedServer;
  let client: AnthropicClient;

  before(async () => {
    server = await startScriptedServer();
    client = new AnthropicClient({ baseUrl: server.url, apiKey: async () => 'key' });
  });
  after(() => server.close());

  async function read(raw: string, chunking: Chunking): Promise<Assembled> {
    server.push(turn({ raw, chunking }));
    const folding = new Folding();
    const request = { model: 'claude-haiku-4-5', max_tokens: 100, system: [], messages: [{ role: 'user', content: 'hi' }] };
    try {
      for await (const events of readStream(client, request, { signal: new AbortController().signal, clock: systemClock })) events.forEach((event) => folding.push(event));
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      return folding.result(thrown.errorType ?? thrown.code);
    }
    return folding.result(undefined);
  }

  const expected: Assembled = {
    blocks: [
      { type: 'text', text: '北京 🙂' },
      { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { content: '北京 🙂\n' } },
    ],
    invalid: [],
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 9, output_tokens: 12 } },
    failure: undefined,
  };

  for (const [name, frame] of Object.entries(framings)) {
    const raw = fixtureEvents.map(frame).join('');

    it(`O25: the same text and the same call, written ${name}, byte by byte and in one piece`, async () => {
      assert.deepEqual(await read(raw, 'byte'), expected);
      assert.deepEqual(await read(raw, [Buffer.byteLength(raw)]), expected);
      assert.deepEqual(await read(raw, 2), expected);
      assert.deepEqual(await read(raw, 3), expected);
    });

    it(`O25: written ${name}, cut at any places`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.nat(Buffer.byteLength(raw)), { maxLength: 12 }), async (cuts) => assert.deepEqual(await read(raw, cuts), expected)),
        { numRuns: 40 },
      ));
  }

  it('O25: cut once, at every single byte', async () => {
    const raw = fixtureEvents.map(framings['with CRLF']!).join('');
    for (let cut = 1; cut < Buffer.byteLength(raw); cut++) assert.deepEqual(await read(raw, [cut]), expected, `cut at byte ${cut}`);
  });

  it('an input of an empty string is an empty object', async () => {
    const call = [
      fixtureEvents[0]!,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'Now', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'content_block_stop', index: 0 },
      ...fixtureEvents.slice(-2),
    ];
    const { blocks, invalid } = await read(call.map(framings['as the API does']!).join(''), 'byte');
    assert.deepEqual([blocks, invalid], [[{ type: 'tool_use', id: 'toolu_1', name: 'Now', input: {} }], []]);
  });

  it('says what an error in the stream was, with or without a name', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    for (const frame of Object.values(framings)) assert.equal((await read([...fixtureEvents.slice(0, 4), error].map(frame).join(''), 5)).failure, 'overloaded_error');
    assert.equal((await read('event: error\ndata: upstream went away\n\n', 5)).failure, 'api_error');
  });

  it('takes what is not JSON, and an end before message_stop, for a stream that was cut', async () => {
    const begun = fixtureEvents.slice(0, 4).map(framings['as the API does']!).join('');
    assert.equal((await read(`${begun}data: {"type":"content_bl\n\n`, 7)).failure, 'STREAM_CUT');
    assert.equal((await read(begun, 7)).failure, 'STREAM_CUT');
    assert.equal((await read('', 7)).failure, 'STREAM_EMPTY');
  });

  it('reads every real stream the same, however it is cut', async () => {
    for (const { name, text } of corpusFiles('streams', /\.(sse|chunks\.txt)$/)) {
      const raw = name.endsWith('.sse') ? text : lines(text).map((line) => `data: ${line}\n\n`).join('');
      const whole = directly(raw);
      const sizes: Chunking[] = raw.length < 8_000 ? ['byte', 7, 64] : [61, 4_001];
      for (const chunking of sizes) assert.deepEqual(await read(`${raw.trimEnd()}\n\n`, chunking), whole, `${name} in pieces of ${JSON.stringify(chunking)}`);
    }
  });

  it('comes to the recorded message where one is recorded', async () => {
    const files = new Map(corpusFiles('streams', /^anthropic-fallback\./).map(({ name, text }) => [name, text]));
    const stream = files.get('anthropic-fallback.chunks.txt');
    if (stream === undefined) return;
    const { blocks } = await read(lines(stream).map((line) => `data: ${line}\n\n`).join(''), 11);
    assert.deepEqual(blocks, (JSON.parse(files.get('anthropic-fallback.json')!) as ApiAssistantMessage).content);
  });
});

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The payloads, read without anything in between. A stream ends at its first error or at `message_stop`. */
function directly(raw: string): Assembled {
  const folding = new Folding();
  for (const line of lines(raw).filter((each) => each.startsWith('data:'))) {
    const event = JSON.parse(line.slice(5)) as RawStreamEvent;
    if (event.type === 'error') return folding.result((event.error as { readonly type: string }).type);
    folding.push(event);
    if (event.type === 'message_stop') return folding.result(undefined);
  }
  return folding.result('STREAM_CUT');
}
