import assert from 'node:assert/strict';
import type { AnswerSpeed } from '../../../../src/protocol/usage.ts';
import { countOf, formatAge, formatDuration, formatTokens, modelLabel, turnDetails } from '../../../../webview-ui/text/format.ts';

describe('format', () => {
  it('durations', () => {
    assert.deepEqual([0, 20, 4210, 9960, 59_400, 59_600, 65_000, 3_600_000, 5_400_000].map(formatDuration), ['0.0 s', 'under 0.1 s', '4.2 s', '10 s', '59 s', '1 min 0 s', '1 min 5 s', '1 h 0 min', '1 h 30 min']);
  });

  it('tokens', () => {
    assert.deepEqual([0, 310, 999, 1000, 1214, 99_949, 120_400, 999_499, 999_500, 2_400_000].map(formatTokens), ['0', '310', '999', '1k', '1.2k', '99.9k', '120k', '999k', '1M', '2.4M']);
  });

  it('the details of a turn, with the share of its prompts that the cache had', () => {
    assert.equal(
      turnDetails({ costUsd: 0.0022192, inputTokens: 17_111, outputTokens: 100, cacheReadTokens: 17_102, cacheWriteTokens: 0 }),
      'This turn: $0.002219\nPrompts: 17,111 tokens, of these 17,102 (100 %) from the cache, 0 written to it, 9 new\nAnswers: 100 tokens\n/cost shows the whole session',
    );
    assert.match(turnDetails({ costUsd: null, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }), /^This turn: price unknown\nPrompts: 0 tokens, of these 0 from the cache/);
  });

  it('the speed of a turn, where there is one to tell', () => {
    const details = (speed: AnswerSpeed): string[] => turnDetails({ costUsd: 0, inputTokens: 0, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, speed }).split('\n').slice(2, -1);
    assert.deepEqual(details({ time_to_first_token_ms: 812, output_tokens_per_second: 63.1 }), ['Answers: 100 tokens, 63 a second', 'First words after 0.8 s']);
    assert.deepEqual(details({ time_to_first_token_ms: null, output_tokens_per_second: null }), ['Answers: 100 tokens']);
  });

  it('ages', () => {
    const now = new Date(2026, 10, 30, 12).getTime();
    const ages = [0, 5 * 60_000, 3 * 3_600_000, 25 * 3_600_000, 3 * 86_400_000].map((ms) => formatAge(now - ms, now));
    assert.deepEqual(ages, ['just now', '5 min ago', '3 h ago', 'yesterday', '3 days ago']);
    assert.equal(formatAge(new Date(2026, 10, 12).getTime(), now), '12 Nov');
    assert.equal(formatAge(new Date(2025, 10, 12).getTime(), now), '12 Nov 2025');
    assert.equal(formatAge(Number.NaN, now), '');
  });

  it('models by the name people use', () => {
    assert.deepEqual(
      ['claude-sonnet-5-5', 'claude-opus-5', 'claude-sonnet-4-5-20250929', 'claude-opus-5-5[1m]', 'turnstone-demo', 'gpt-x'].map(modelLabel),
      ['Sonnet 5.5', 'Opus 5', 'Sonnet 4.5', 'Opus 5.5 · 1M', 'Demo model', 'gpt-x'],
    );
  });

  it('counts', () => {
    assert.deepEqual([countOf(1, 'message'), countOf(2, 'message')], ['1 message', '2 messages']);
  });
});
