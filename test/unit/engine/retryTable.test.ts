import assert from 'node:assert/strict';
import { completeMessage } from '../../support/completeMessage.ts';
import { frameEvent, messageEvents } from '../../support/messageEvents.ts';
import { playRetries } from '../../support/retryScenario.ts';
import type { RetryOutcome, RetryScenario } from '../../support/retryScenario.ts';
import { message, text, toolUse } from '../../support/scriptedMessage.ts';
import type { ScriptedMessage } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const A = 'claude-opus-5-5';
const B = 'claude-haiku-4-5';
const usage = { input_tokens: 10, output_tokens: 5 };
/** The answer that goes wrong on its way: a text and a call. */
const reply = message([text('Hello'), toolUse('Read', { file_path: 'missing.txt' }, { id: 'r1' })], { usage });
let ids = 0;
const good = turn({ reply: message('Hello world', { usage }) });
/** What a turn without any fault comes to: one request, its text, its tokens. */
const smooth: RetryOutcome = {
  requests: [A],
  waits: [],
  reasons: [],
  yielded: ['init', 'assistant', 'result'],
  shown: ['Hello world'],
  kept: ['Hello world'],
  modelSees: ['Hello world'],
  charged: [10, 5],
  result: 'success',
};
const nothingSaid = { shown: [], kept: [], modelSees: [], charged: [0, 0] } as const;
const retried = { yielded: ['init', 'api_retry', 'assistant', 'result'] } as const;

interface Row extends RetryScenario {
  readonly name: string;
  readonly comesTo: Partial<Omit<RetryOutcome, 'result'>> & { readonly result?: string | RegExp };
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 30) + seconds * 1_000).toUTCString();
}

const rateLimited = (retryAfter?: string, times = 1) => fault.status(429, { times, ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }) });
const inStream = (type: string) => broken({ after: 0, error: type });

const rows: Row[] = [
  { name: 'no fault', turns: [good], comesTo: {} },
  { name: 'O29: 429 with retry-after in seconds', turns: [rateLimited('30'), good], comesTo: { ...retried, requests: [A, A], waits: [30_000], reasons: ['Rate limit reached'] } },
  { name: '429 with more than a minute', turns: [rateLimited('75'), good], comesTo: { ...retried, requests: [A, A], waits: [75_000], reasons: ['Rate limit reached'] } },
  { name: 'O29: 429 with retry-after as a date', turns: [rateLimited(at(45)), good], comesTo: { ...retried, requests: [A, A], waits: [45_000], reasons: ['Rate limit reached'] } },
  { name: '429 with a date gone by', turns: [rateLimited(at(-45)), good], comesTo: { ...retried, requests: [A, A], waits: [0], reasons: ['Rate limit reached'] } },
  {
    name: '429 without a time, four times',
    turns: [rateLimited(undefined, 4), good],
    comesTo: { requests: [A, A, A, A, A], waits: [500, 1_000, 2_000, 4_000], reasons: ['Rate limit reached'], yielded: ['init', 'api_retry', 'api_retry', 'api_retry', 'api_retry', 'assistant', 'result'] },
  },
  {
    name: '429 for ever',
    turns: [rateLimited(undefined, 11)],
    comesTo: { ...nothingSaid, requests: Array(11).fill(A), waits: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000, 32_000], reasons: ['Rate limit reached'], yielded: ['init', ...Array(10).fill('api_retry'), 'assistant', 'result'], result: /rate limit.*saved/ },
  },
  { name: '429 with an absurd time and nobody to ask', turns: [rateLimited('9999')], comesTo: { ...nothingSaid, yielded: ['init', 'assistant', 'result'], result: /asks to wait 167 min/ } },
  {
    name: 'O29: 429 with an absurd time and a yes',
    turns: [rateLimited('9999'), good],
    options: { confirmLongWait: async ({ delayMs, reason }) => delayMs === 9_999_000 && reason === 'Rate limit reached' },
    comesTo: { requests: [A, A], waits: [9_999_000, 9_999_000], reasons: ['Rate limit reached'], yielded: ['init', 'api_retry', 'api_retry', 'assistant', 'result'] },
  },
  {
    name: '429 with an absurd time and a no',
    turns: [rateLimited('9999')],
    options: { confirmLongWait: async () => false },
    comesTo: { ...nothingSaid, waits: [9_999_000], reasons: ['Rate limit reached'], yielded: ['init', 'api_retry', 'assistant', 'result'], result: /asks to wait 167 min/ },
  },
  {
    name: '429 with an absurd time and “retry now” for an answer',
    turns: [rateLimited('9999'), good],
    options: { confirmLongWait: () => new Promise(() => {}) },
    onMessage: (each, session) => void (each.type === 'system' && each.subtype === 'api_retry' && each.needs_confirmation && setImmediate(() => session.retryNow())),
    comesTo: { requests: [A, A], waits: [9_999_000, 0], reasons: ['Rate limit reached'], yielded: ['init', 'api_retry', 'api_retry', 'assistant', 'result'] },
  },
  {
    name: '429 with an absurd time and a fallback: another model has room',
    turns: [rateLimited('9999'), good],
    options: { fallbackModel: B },
    comesTo: { requests: [A, B], yielded: ['init', 'notice', 'assistant', 'result'] },
  },
  { name: '529, twice', turns: [fault.overloaded(), fault.overloaded(), good], comesTo: { requests: [A, A, A], waits: [500, 1_000], reasons: ['The model is overloaded'], yielded: ['init', 'api_retry', 'api_retry', 'assistant', 'result'] } },
  {
    name: '529 three times and a fallback',
    turns: [fault.overloaded(), fault.overloaded(), fault.overloaded(), good],
    options: { fallbackModel: B },
    comesTo: { requests: [A, A, A, B], waits: [500, 1_000], reasons: ['The model is overloaded'], yielded: ['init', 'api_retry', 'api_retry', 'notice', 'assistant', 'result'] },
  },
  {
    name: 'overloaded inside the stream, once by status, once more inside, and a fallback',
    turns: [inStream('overloaded_error'), fault.overloaded(), broken({ after: 3, error: 'overloaded_error' }), good],
    options: { fallbackModel: B },
    // Two attempts had reported 10 and 1 before they failed, the last one all of it.
    comesTo: { requests: [A, A, A, B], waits: [500, 1_000], reasons: ['The model is overloaded'], yielded: ['init', 'api_retry', 'api_retry', 'tombstone', 'notice', 'assistant', 'result'], charged: [20, 6] },
  },
  {
    name: 'O29: 529 four times without a fallback',
    turns: [fault.overloaded(), fault.overloaded(), fault.overloaded(), fault.overloaded(), good],
    comesTo: { requests: Array(5).fill(A), waits: [500, 1_000, 2_000, 4_000], reasons: ['The model is overloaded'], yielded: ['init', ...Array(4).fill('api_retry'), 'assistant', 'result'] },
  },
  {
    name: '529 for ever, unattended: up to five minutes, a sign of life every 30 s',
    turns: [{ ...fault.overloaded(), times: 12 }, good],
    options: { unattended: true },
    comesTo: {
      requests: Array(13).fill(A),
      waits: [500, 1_000, 2_000, 4_000, 8_000, 16_000, ...slices(32_000), ...slices(64_000), ...slices(128_000), ...slices(256_000), ...slices(300_000), ...slices(300_000)],
      reasons: ['The model is overloaded'],
      yielded: ['init', ...Array(6 + 2 + 3 + 5 + 9 + 10 + 10).fill('api_retry'), 'assistant', 'result'],
    },
  },
  {
    name: '429 of half an hour, unattended: nobody is asked',
    turns: [rateLimited('1800'), good],
    options: { unattended: true, confirmLongWait: async () => false },
    comesTo: { requests: [A, A], waits: slices(1_800_000), reasons: ['Rate limit reached'], yielded: ['init', ...Array(60).fill('api_retry'), 'assistant', 'result'] },
  },
  { name: '401, then a good key', turns: [fault.status(401), good], comesTo: { requests: [A, A] } },
  { name: '401 twice', turns: [fault.status(401), fault.status(401)], comesTo: { ...nothingSaid, requests: [A, A], yielded: ['init', 'assistant', 'result'], result: /API key was refused.*Set API Key/ } },
  { name: '403 for a token that was revoked', turns: [fault.status(403, { message: 'OAuth token has been revoked' }), good], comesTo: { requests: [A, A] } },
  { name: '403 otherwise', turns: [fault.status(403)], comesTo: { ...nothingSaid, yielded: ['init', 'assistant', 'result'], result: /Access was refused/ } },
  { name: 'a 200 that is a page', turns: [fault.html200(), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['What came was not a model’s reply'] } },
  { name: 'a 200 that is empty', turns: [fault.empty200(), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['What came was not a model’s reply'] } },
  { name: 'a stream that holds a page', turns: [turn({ raw: '<html>\n\n</html>\n\n' }), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['What came was not a model’s reply'] } },
  { name: 'a reset before the headers', turns: [turn({ reply: message('x'), cutAfter: { events: 0, how: 'hardReset' } }), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['The connection failed (ECONNRESET)'] } },
  ...[408, 409, 500, 502, 503, 504].map((status): Row => ({ name: `${status}`, turns: [fault.status(status), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: [`The server answered ${status}`] } })),
  { name: 'a 200 that is a page, for ever', turns: [{ ...fault.html200(), times: 3 }], comesTo: { ...nothingSaid, requests: [A, A, A], waits: [500, 1_000], reasons: ['What came was not a model’s reply'], yielded: ['init', 'api_retry', 'api_retry', 'assistant', 'result'], result: /not with a model’s reply.*asked again/ } },
  { name: 'a message that begins with nothing', turns: [turn({ raw: frameEvent({ event: 'message_start', data: { type: 'message_start', message: null } }) }), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['What came was not a model’s reply'] } },
  { name: '429 with a time of no meaning', turns: [rateLimited('1e30')], comesTo: { ...nothingSaid, yielded: ['init', 'assistant', 'result'], result: /asks to wait a very long time \(429/ } },
  { name: '502 with a page for a body', turns: [turn({ status: 502, body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } }), good], comesTo: { ...retried, requests: [A, A], waits: [500], reasons: ['The server answered 502'] } },
  ...[400, 402, 404, 405, 410, 422].map((status): Row => ({ name: `${status}`, turns: [fault.status(status)], comesTo: { ...nothingSaid, yielded: ['init', 'assistant', 'result'], result: new RegExp(`${status}.*saved`) } })),
];

/** The announcements of one wait in slices of 30 s. */
function slices(ms: number): number[] {
  return Array.from({ length: Math.ceil(ms / 30_000) }, (_, i) => ms - i * 30_000);
}

describe('retries, row by row', () => {
  for (const row of rows) {
    it(row.name, async () => assertOutcome(await playRetries(row), row.comesTo));
  }

  it('opens a new connection after a reset', async () => {
    const { harness } = await playRetries({ turns: [turn({ reply: message('x'), cutAfter: { events: 0, how: 'hardReset' } }), good] });
    assert.deepEqual(harness.server.requests.slice(0, 2).map(({ headers }) => headers.connection), ['keep-alive', 'close']);
  });

  it('computes max_tokens so that the prompt and the answer fit', async () => {
    const refusal = fault.status(400, { message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again' });
    const { harness, ...outcome } = await playRetries({ turns: [refusal, good] });
    assertOutcome(outcome, { requests: [A, A] });
    assert.deepEqual(harness.server.requests.slice(0, 2).map(({ body }) => body.max_tokens), [32_000, 10_000]);
  });
});

/** Places in `reply`, by the events that have arrived; pings are not counted. */
const places = { 'before the first event': 0, 'after message_start': 1, 'after the first delta': 3, 'inside a tool input': 7, 'after message_delta': 11 } as const;

describe('a stream that breaks off', () => {
  for (const [place, after] of Object.entries(places)) {
    const begun = after > 0;
    const withdrawn = begun ? ['tombstone'] : [];
    const partial = after > 3 ? ['assistant'] : [];
    const calls = after > 9 ? ['assistant'] : [];
    // Output is 1 token when the message starts, and 5 once message_delta has said so.
    const charged = { charged: [begun ? 20 : 10, begun ? (after > 9 ? 10 : 6) : 5] } as const;
    const yielded = ['init', ...partial, ...calls, ...withdrawn, 'api_retry', 'assistant', 'result'];

    for (const how of ['reset', 'end'] as const) {
      it(`${place}, by ${how === 'reset' ? 'a reset' : 'an end without message_stop'}`, async () => {
        const outcome = await playRetries({ turns: [broken({ after, how }), good] });
        assertOutcome(outcome, { requests: [A, A], waits: [500], reasons: [reasonOf(how, begun)], yielded, ...charged });
      });
    }

    for (const type of ['overloaded_error', 'api_error', 'rate_limit_error']) {
      it(`${place}, by ${type}`, async () => {
        const outcome = await playRetries({ turns: [broken({ after, error: type }), good] });
        assertOutcome(outcome, { requests: [A, A], waits: [500], reasons: outcome.reasons, yielded, ...charged });
      });
    }

    for (const pings of [false, true]) {
      it(`${place}, by silence${pings ? ', pings or not' : ''}`, async () => {
        const outcome = await playRetries({ turns: [{ ...broken({ after, how: 'silence' }), ...(pings && stallWithPings(after)) }, good], silentAfter: { requests: 1, events: after } });
        assertOutcome(outcome, { requests: [A, A], waits: [500], reasons: ['The server stopped sending'], yielded, ...charged });
      });
    }

    it(`${place}, by something that is not JSON`, async () => {
      const outcome = await playRetries({ turns: [turn({ raw: `${framed(after)}data: {"type":"content_bl\n\n` }), good] });
      assertOutcome(outcome, { requests: [A, A], waits: [500], reasons: ['The answer broke off'], yielded, ...charged });
    });
  }

  it('headers that never come', async () => {
    const outcome = await playRetries({ turns: [turn({ reply, delayMs: 60_000 }), good], silentAfter: { requests: 1, events: 0 } });
    assertOutcome(outcome, { ...retried, requests: [A, A], waits: [500], reasons: ['The server stopped sending'] });
  });

  it('asks once without streaming after two breaks in the middle, and shows it once', async () => {
    const outcome = await playRetries({ turns: [broken({ after: 3, how: 'reset' }), broken({ after: 7, how: 'end' }), good] });
    assertOutcome(outcome, {
      requests: [A, A, `${A} whole`],
      waits: [500, 1_000],
      reasons: ['The connection failed (ECONNRESET)', 'The answer broke off'],
      yielded: ['init', 'tombstone', 'api_retry', 'assistant', 'tombstone', 'api_retry', 'notice', 'assistant', 'result'],
      charged: [30, 7],
    });
    const events = outcome.messages.flatMap((each) => (each.type === 'stream_event' ? [each.event.type] : []));
    assert.equal(events.filter((type) => type === 'message_stop').length, 0, 'no event is made up for an answer that was not streamed');
  });

  it('streams again when that fails too, and does not ask for the whole a second time', async () => {
    const outcome = await playRetries({ turns: [broken({ after: 3, how: 'end' }), broken({ after: 3, how: 'end' }), fault.status(500), broken({ after: 3, how: 'end' }), good] });
    assertOutcome(outcome, { requests: [A, A, `${A} whole`, A, A], waits: [500, 1_000, 2_000, 4_000], reasons: ['The answer broke off', 'The server answered 500'], yielded: outcome.yielded, charged: [40, 8] });
  });

  it('asks once more when the server does not say how its answer ended, then takes it as it is', async () => {
    const unsaid = (): ScriptedTurn => turn({ raw: framesOf(message('Hello world', { usage })).filter((frame) => !frame.includes('message_delta')).join('') });
    const outcome = await playRetries({ turns: [unsaid(), unsaid()] });
    assertOutcome(outcome, { requests: [A, A], waits: [500], reasons: ['The answer broke off'], yielded: ['init', 'assistant', 'tombstone', 'api_retry', 'assistant', 'notice', 'result'], charged: outcome.charged });
  });

  it('says so when the model ends its turn without a word', async () => {
    const outcome = await playRetries({ turns: [turn({ reply: message([], { usage }) })] });
    assertOutcome(outcome, { requests: [A], yielded: ['init', 'notice', 'result'], shown: [], kept: [], modelSees: [] });
  });

  it('keeps the text of the last try when every one broke', async () => {
    const outcome = await playRetries({ turns: Array.from({ length: 11 }, () => broken({ after: 3, error: 'api_error' })) });
    assertOutcome(outcome, { requests: Array(11).fill(A), waits: outcome.waits, reasons: ['The server reported api_error'], yielded: outcome.yielded, shown: ['Hello'], kept: ['Hello'], modelSees: ['Hello'], charged: [110, 11], result: /reported an error/ });
  });
});

function assertOutcome({ messages: _messages, harness: _harness, ...outcome }: RetryOutcome & { readonly messages?: unknown; readonly harness?: unknown }, { result = 'success', ...rest }: Row['comesTo']): void {
  if (result instanceof RegExp) assert.match(outcome.result, result);
  assert.deepEqual(outcome, { ...smooth, ...rest, result: result instanceof RegExp ? outcome.result : result });
}

function reasonOf(how: 'reset' | 'end', begun: boolean): string {
  if (how === 'reset') return 'The connection failed (ECONNRESET)';
  return begun ? 'The answer broke off' : 'What came was not a model’s reply';
}

function framesOfReply(): string[] {
  return framesOf(reply);
}

function framesOf(said: ScriptedMessage): string[] {
  const complete = completeMessage(said, { request: { model: A } as never, id: nextId(), promptUsage: undefined, nextCallId: () => 'unused' });
  return messageEvents(complete).filter(({ event }) => event !== 'ping').map(frameEvent);
}

function nextId(): string {
  return `msg_broken_${(ids += 1)}`;
}

function framed(after: number): string {
  return framesOfReply().slice(0, after).join('');
}

/** An answer that goes wrong after so many events (pings not counted). */
function broken({ after, how, error }: { readonly after: number; readonly how?: 'reset' | 'end' | 'silence'; readonly error?: string }): ScriptedTurn {
  if (error !== undefined) return turn({ raw: `${framed(after)}${frameEvent({ event: 'error', data: { type: 'error', error: { type: error, message: error } } })}` });
  const events = after > 1 ? after + 1 : after;
  if (how === 'silence') return turn({ reply, stallAfter: { events } });
  return turn({ reply, cutAfter: { events, how: how ?? 'end' } });
}

function stallWithPings(after: number): ScriptedTurn {
  return { stallAfter: { events: after > 1 ? after + 1 : after, pingEveryMs: 5 } };
}
