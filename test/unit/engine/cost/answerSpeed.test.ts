import assert from 'node:assert/strict';
import { answerSpeed } from '../../../../src/engine/cost/answerSpeed.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import { TestClock } from '../../../support/testClock.ts';

describe('How quickly a model answers', () => {
  it('is the wait for the first answer and the pace of all together', () => {
    const answers = [{ firstTokenMs: 800, outputMs: 2_000, outputTokens: 100 }, { firstTokenMs: 400, outputMs: 1_000, outputTokens: 110 }];
    // 210 tokens in 3 s.
    assert.deepEqual(answerSpeed(answers), { time_to_first_token_ms: 800, output_tokens_per_second: 70 });
  });

  it('has no pace where an answer came at once, and nothing where none came', () => {
    assert.deepEqual(answerSpeed([{ firstTokenMs: 800, outputMs: 3, outputTokens: 100 }]), { time_to_first_token_ms: 800, output_tokens_per_second: null });
    assert.deepEqual(answerSpeed([]), { time_to_first_token_ms: null, output_tokens_per_second: null });
  });

  it('is said with the result of each turn, over all its requests, and of the newest in /cost', async () => {
    const clock = new TestClock();
    const usage = { output_tokens: 40 };
    const harness = await EngineHarness.start([
      turn({ reply: { ...message([toolUse('Glob', { pattern: '*' })]), usage } }),
      turn({ reply: { ...message('Done.'), usage } }),
    ]);
    try {
      const session = await harness.open({ clock, includePartialMessages: true });
      const messages = [];
      for await (const each of session.submitMessage('Go')) {
        messages.push(each);
        // Time passes where the test says so: half a second from the beginning of an answer to its end.
        if (each.type === 'stream_event' && each.event.type === 'content_block_start') clock.advance(500);
      }
      // Two answers of 40 tokens in half a second each.
      assert.deepEqual(resultOf(messages).speed, { time_to_first_token_ms: 0, output_tokens_per_second: 80 });
      const told = resultOf(await runTurn(session, '/cost'));
      assert.match(told.result ?? '', /The newest answer began at once and came at 80 tokens a second\./);
      assert.deepEqual(told.speed, { time_to_first_token_ms: null, output_tokens_per_second: null });
    } finally {
      await harness.close();
    }
  });
});
