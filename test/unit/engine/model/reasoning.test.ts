import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MODELS, modelInfo, smallModel } from '../../../../src/engine/model/modelCatalog.ts';
import { reasoningFields, whyNotTaken } from '../../../../src/engine/model/reasoning.ts';
import type { ReasoningFacts } from '../../../../src/engine/model/reasoning.ts';
import { thinkingChoiceSchema, effortSchema } from '../../../../src/protocol/reasoning.ts';

const fields = (model: string, choice: ReasoningFacts['choice'], rest: Partial<ReasoningFacts> = {}) => reasoningFields({ model, choice, maxTokens: 32_000, isLimited: false, messages: [], ...rest });

describe('reasoningFields', () => {
  for (const [model, thinking, expected] of [
    ['claude-sonnet-5-5', undefined, { max_tokens: 32_000 }],
    ['claude-sonnet-5-5', 'auto', { max_tokens: 32_000, thinking: { type: 'adaptive' } }],
    ['claude-sonnet-5-5', 5_000, { max_tokens: 32_000, thinking: { type: 'adaptive' } }],
    ['claude-opus-4-8', 5_000, { max_tokens: 32_000, thinking: { type: 'adaptive' } }],
    ['claude-sonnet-5-5', 'off', { max_tokens: 32_000, thinking: { type: 'disabled' } }],
    ['claude-opus-4-6', 5_000, { max_tokens: 32_000, thinking: { type: 'enabled', budget_tokens: 5_000 } }],
    ['claude-opus-4-6', 'auto', { max_tokens: 32_000, thinking: { type: 'adaptive' } }],
    ['claude-haiku-4-5', 'auto', { max_tokens: 32_000, thinking: { type: 'enabled', budget_tokens: 10_000 } }],
    ['claude-haiku-4-5-20251001', 30_000, { max_tokens: 38_000, thinking: { type: 'enabled', budget_tokens: 30_000 } }],
    ['claude-haiku-4-5', 500_000, { max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 62_976 } }],
    ['claude-haiku-4-5', 'off', { max_tokens: 32_000 }],
    ['some-other-model', 'auto', { max_tokens: 32_000 }],
    ['turnstone-demo', 5_000, { max_tokens: 32_000 }],
  ] as const) {
    it(`${model} with thinking ${thinking}`, () => assert.deepEqual(fields(model, { thinking }), expected));
  }

  it('sends an effort to models that take one, the nearest that they take', () => {
    assert.deepEqual(fields('claude-sonnet-5-5', { effort: 'max' }).output_config, { effort: 'max' });
    assert.deepEqual(fields('claude-opus-4-5', { effort: 'max' }).output_config, { effort: 'high' });
    assert.deepEqual(fields('claude-haiku-4-5', { effort: 'low' }), { max_tokens: 32_000 });
  });

  it('never raises what can still be paid for', () => {
    assert.deepEqual(fields('claude-haiku-4-5', { thinking: 30_000 }, { maxTokens: 4_000, isLimited: true }), { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_976 } });
    assert.deepEqual(fields('claude-haiku-4-5', { thinking: 30_000 }, { maxTokens: 1_500, isLimited: true }), { max_tokens: 1_500 });
  });

  it('does not turn a budget on between a call and its result', () => {
    const trace = (first: string) => [
      { role: 'assistant' as const, content: [{ type: first }, { type: 'tool_use' }] },
      { role: 'user' as const, content: [{ type: 'tool_result' }, { type: 'text' }] },
    ];
    assert.equal(fields('claude-haiku-4-5', { thinking: 2_000 }, { messages: trace('text') }).thinking, undefined);
    assert.equal(fields('claude-haiku-4-5', { thinking: 2_000 }, { messages: trace('thinking') }).thinking?.type, 'enabled');
    assert.equal(fields('claude-sonnet-5-5', { thinking: 'auto' }, { messages: trace('text') }).thinking?.type, 'adaptive');
  });

  it('gives what the API takes, for every model and choice', () => {
    const thinking = fc.option(fc.oneof(fc.constantFrom('off' as const, 'auto' as const), fc.integer({ min: 1_024, max: 300_000 })), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom(...MODELS.map(({ id }) => id)), thinking, fc.integer({ min: 1_000, max: 64_000 }), fc.boolean(), (model, choice, maxTokens, isLimited) => {
        const made = fields(model, { thinking: choice }, { maxTokens, isLimited });
        assert.ok(made.max_tokens <= modelInfo(model).maxOutput && (!isLimited || made.max_tokens === maxTokens));
        if (made.thinking?.type === 'enabled') assert.ok(made.thinking.budget_tokens >= 1_024 && made.thinking.budget_tokens < made.max_tokens);
        if (modelInfo(model).thinking === 'adaptive') assert.notEqual(made.thinking?.type, 'enabled');
      }),
    );
  });

  it('says what a model does not take', () => {
    assert.equal(whyNotTaken('claude-sonnet-5-5', { thinking: 'auto', effort: 'max' }), undefined);
    assert.match(whyNotTaken('claude-opus-4-5', { effort: 'max' })!, /most .* is high/);
    assert.match(whyNotTaken('unheard-of', { effort: 'low' })!, /not known to take an effort/);
    assert.match(whyNotTaken('unheard-of', { thinking: 'auto' })!, /not known to take a choice of thinking/);
  });

  it('takes only choices that exist', () => {
    assert.deepEqual([0, 1_023, 1_024, 'auto', 'adaptive'].map((each) => thinkingChoiceSchema.safeParse(each).success), [false, false, true, true, false]);
    assert.equal(effortSchema.safeParse('xhigh').success, false);
  });

  it('knows the small model of a provider', () => assert.deepEqual(['claude-opus-5-5', 'turnstone-demo', 'local/model'].map(smallModel), ['claude-haiku-5-5', 'turnstone-demo', 'local/model']));
});
