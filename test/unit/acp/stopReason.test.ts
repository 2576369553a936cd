import assert from 'node:assert/strict';
import { message } from '../../support/scriptedMessage.ts';
import { EngineHarness, resultOf, runTurn } from '../../support/engineHarness.ts';
import { stopReason } from '../../../src/acp/stopReason.ts';
import { fault } from '../../support/scriptedTurn.ts';

describe('stopReason', () => {
  it('puts the end of a real turn into the words of the protocol, and has none for a failure', async () => {
    const harness = await EngineHarness.start([
      { reply: message('Done.') },
      { reply: message('I will not.', { stopReason: 'refusal' }) },
      fault.status(400, { message: 'No.' }),
    ]);
    try {
      const session = await harness.open();
      const results = [];
      for (const prompt of ['one', 'two', 'three']) results.push(resultOf(await runTurn(session, prompt)));
      assert.deepEqual(results.map((result) => stopReason(result, false)), ['end_turn', 'refusal', undefined]);
      assert.deepEqual(results.map((result) => stopReason(result, true)), ['cancelled', 'cancelled', 'cancelled']);
    } finally {
      await harness.close();
    }
  });

  it('tells the limit of an answer from the limit of requests', async () => {
    const harness = await EngineHarness.start([{ reply: message('Cut', { stopReason: 'max_tokens' }), times: Number.POSITIVE_INFINITY }]);
    try {
      const result = resultOf(await runTurn(await harness.open(), 'Go'));
      assert.equal(stopReason(result, false), 'max_tokens');
      assert.equal(stopReason({ ...result, subtype: 'error_max_turns' }, false), 'max_turn_requests');
    } finally {
      await harness.close();
    }
  });
});
