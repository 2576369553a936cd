import assert from 'node:assert/strict';
import { apiFailure } from '../../../../src/protocol/apiFailure.ts';
import { decideRetry, retryAfterMs } from '../../../../src/engine/model/retryPolicy.ts';
import type { RetryState } from '../../../../src/engine/model/retryPolicy.ts';

const fresh: RetryState = { failures: 1, overloadedInARow: 0, credentialsRefreshed: false, maxTokensReduced: false, hasFallback: false, background: false, unattended: false, now: Date.UTC(2026, 10, 30), random: 0 };

type Case = [name: string, failure: Parameters<typeof apiFailure>[0], state: Partial<RetryState>, expected: object];

const cases: Case[] = [
  ['429 with seconds', { message: '', status: 429, headers: { 'retry-after': '30' } }, {}, { action: 'wait', delayMs: 30_000, newConnection: false }],
  ['429 with over a minute', { message: '', status: 429, headers: { 'retry-after': '75' } }, {}, { action: 'wait', delayMs: 75_000, newConnection: false }],
  ['429 with a date', { message: '', status: 429, headers: { 'retry-after': 'Mon, 30 Nov 2026 00:00:45 GMT' } }, {}, { action: 'wait', delayMs: 45_000, newConnection: false }],
  ['429 with an absurd time', { message: '', status: 429, headers: { 'retry-after': '9999' } }, {}, { action: 'ask', delayMs: 9_999_000, otherwise: { action: 'give-up' } }],
  ['429 with an absurd time and a fallback', { message: '', status: 429, headers: { 'retry-after': '9999' } }, { hasFallback: true }, { action: 'ask', delayMs: 9_999_000, otherwise: { action: 'fall-back' } }],
  ['429 with an absurd time in the background', { message: '', status: 429, headers: { 'retry-after': '9999' } }, { background: true }, { action: 'give-up' }],
  ['429 with an absurd time, unattended', { message: '', status: 429, headers: { 'retry-after': '9999' } }, { unattended: true }, { action: 'wait', delayMs: 9_999_000, newConnection: false }],
  ['429 inside the stream', { message: '', errorType: 'rate_limit_error' }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['429 without a time, late, most jitter', { message: '', status: 429 }, { failures: 10, random: 1 }, { action: 'wait', delayMs: 24_000, newConnection: false }],
  ['429 after the last retry, with a fallback', { message: '', status: 429 }, { failures: 11, hasFallback: true }, { action: 'fall-back' }],
  ['429 for the hundredth time, unattended', { message: '', status: 429 }, { failures: 100, unattended: true }, { action: 'wait', delayMs: 300_000, newConnection: false }],
  ['529 for the hundredth time, unattended', { message: '', status: 529 }, { failures: 100, overloadedInARow: 100, unattended: true }, { action: 'wait', delayMs: 300_000, newConnection: false }],
  ['500 after the last retry, unattended', { message: '', status: 500 }, { failures: 11, unattended: true }, { action: 'give-up' }],
  ['429 without a time, first', { message: '', status: 429 }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['429 without a time, fourth, most jitter', { message: '', status: 429 }, { failures: 4, random: 1 }, { action: 'wait', delayMs: 5_000, newConnection: false }],
  ['429 without a time, late', { message: '', status: 429 }, { failures: 10 }, { action: 'wait', delayMs: 32_000, newConnection: false }],
  ['429 after the last retry', { message: '', status: 429 }, { failures: 11 }, { action: 'give-up' }],
  ['529 in the foreground', { message: '', status: 529 }, { overloadedInARow: 1 }, { action: 'wait', delayMs: 500, newConnection: false }],
  ['529 in the background', { message: '', status: 529 }, { background: true, overloadedInARow: 1 }, { action: 'give-up' }],
  ['third 529 with a fallback', { message: '', status: 529 }, { failures: 3, overloadedInARow: 3, hasFallback: true }, { action: 'fall-back' }],
  ['third 529 without a fallback', { message: '', status: 529 }, { failures: 3, overloadedInARow: 3 }, { action: 'wait', delayMs: 2_000, newConnection: false }],
  ['overloaded inside the stream', { message: '', errorType: 'overloaded_error' }, { overloadedInARow: 1 }, { action: 'wait', delayMs: 500, newConnection: false }],
  ['401, first', { message: '', status: 401 }, {}, { action: 'refresh-credentials' }],
  ['401, again', { message: '', status: 401 }, { credentialsRefreshed: true }, { action: 'give-up' }],
  ['403 revoked', { message: 'OAuth token has been revoked', status: 403 }, {}, { action: 'refresh-credentials' }],
  ['403', { message: 'not allowed', status: 403 }, {}, { action: 'give-up' }],
  ['ECONNRESET', { message: '', code: 'ECONNRESET' }, {}, { action: 'wait', delayMs: 500, newConnection: true }],
  ['EPIPE', { message: '', code: 'EPIPE' }, {}, { action: 'wait', delayMs: 500, newConnection: true }],
  ['cut stream', { message: '', code: 'STREAM_CUT' }, {}, { action: 'wait', delayMs: 500, newConnection: true }],
  ['silent stream', { message: '', code: 'STREAM_STALLED' }, {}, { action: 'wait', delayMs: 500, newConnection: true }],
  ['nobody listens, first', { message: '', code: 'ECONNREFUSED' }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['an address that is none', { message: 'Invalid URL', code: 'ERR_INVALID_URL' }, {}, { action: 'give-up' }],
  ['a key that no header can hold', { message: '', code: 'ERR_INVALID_CHAR' }, {}, { action: 'give-up' }],
  ['a certificate for another name, first', { message: '', code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['a page in place of an answer, first', { message: '', code: 'STREAM_EMPTY' }, {}, { action: 'wait', delayMs: 500, newConnection: true }],
  ['a page in place of an answer, third', { message: '', code: 'STREAM_EMPTY' }, { failures: 3 }, { action: 'give-up' }],
  ['a request that would be the last one again', { message: '', code: 'REQUEST_REPEATED' }, {}, { action: 'give-up' }],
  ['nobody listens, third', { message: '', code: 'ECONNREFUSED' }, { failures: 3 }, { action: 'give-up' }],
  [
    '400 input and max_tokens',
    { message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again', status: 400 },
    {},
    { action: 'reduce-max-tokens', maxTokens: 10_000 },
  ],
  [
    '400 input and max_tokens, again',
    { message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again', status: 400 },
    { maxTokensReduced: true },
    { action: 'give-up' },
  ],
  ['400 anything else', { message: 'messages.1: bad', status: 400 }, {}, { action: 'repair' }],
  ['400 prompt too long', { message: 'prompt is too long: 205030 tokens > 200000 maximum', status: 400 }, {}, { action: 'give-up' }],
  ['404', { message: '', status: 404 }, {}, { action: 'give-up' }],
  ['408', { message: '', status: 408 }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['409', { message: '', status: 409 }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['413', { message: '', status: 413 }, {}, { action: 'give-up' }],
  ['500', { message: '', status: 500 }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['api_error inside the stream', { message: '', errorType: 'api_error' }, {}, { action: 'wait', delayMs: 500, newConnection: false }],
  ['invalid_request_error inside the stream', { message: '', errorType: 'invalid_request_error' }, {}, { action: 'repair' }],
  ['authentication_error inside the stream', { message: '', errorType: 'authentication_error' }, {}, { action: 'give-up' }],
];

describe('decideRetry', () => {
  for (const [name, failure, state, expected] of cases) {
    it(name, () => assert.deepEqual(decideRetry(apiFailure(failure), { ...fresh, ...state }), expected));
  }

  it('takes nonsense in retry-after for nothing said', () => {
    assert.equal(retryAfterMs({ 'retry-after': 'soon' }, 0), undefined);
    assert.equal(retryAfterMs({ 'retry-after': '-5' }, 0), undefined);
    assert.equal(retryAfterMs({ 'retry-after-ms': '12' }, 0), 12);
  });
});
