import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Session } from '../../../src/sdk/index.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import { EngineHarness, resultOf } from '../../support/engineHarness.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import type { WireBlock } from '../../support/apiTypes.ts';
import type { LoggedRequest } from '../../support/scriptedServer.ts';
import { message, redactedThinking, text, thinking, toolUse, toolUseWithRawInput } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const models = ['claude-opus-5-5', 'claude-haiku-4-5'];

type BlockPlan = 'text' | 'blank' | 'read' | 'missing' | 'image' | 'empty' | 'change' | 'broken' | 'unknown';

interface AnswerPlan {
  readonly think: 'none' | 'thinking' | 'redacted' | 'only';
  readonly blocks: readonly BlockPlan[];
  readonly fault: 'none' | 'cut' | 'overloaded' | 'limit' | 'pause' | 'server error';
  /** Events before the cut. */
  readonly place: number;
}

interface TurnPlan {
  readonly answers: readonly AnswerPlan[];
  readonly prompt: 'text' | 'image';
  /** The turn is interrupted when this many messages were seen. */
  readonly interruptAfter: number | undefined;
  readonly before: 'nothing' | 'resume' | 'switch model' | 'both';
}

const answerPlan: fc.Arbitrary<AnswerPlan> = fc.record({
  think: fc.constantFrom('none', 'none', 'thinking', 'redacted', 'only'),
  blocks: fc.array(fc.constantFrom<BlockPlan>('text', 'blank', 'read', 'missing', 'image', 'empty', 'change', 'broken', 'unknown'), { minLength: 1, maxLength: 5 }),
  fault: fc.constantFrom('none', 'none', 'none', 'none', 'cut', 'overloaded', 'limit', 'pause', 'server error'),
  place: fc.integer({ min: 0, max: 25 }),
});

const turnPlan: fc.Arbitrary<TurnPlan> = fc.record({
  answers: fc.array(answerPlan, { maxLength: 4 }),
  prompt: fc.constantFrom('text', 'text', 'image'),
  interruptAfter: fc.option(fc.integer({ min: 0, max: 25 }), { nil: undefined }),
  before: fc.constantFrom('nothing', 'nothing', 'resume', 'switch model', 'both'),
});

/** Anything an engine can go through, played on the real one against the strict server. */
class Play {
  readonly harness: EngineHarness;
  #session: Session | undefined;
  #resume: string | undefined;
  #model = 0;
  #thoughts = 0;

  constructor(harness: EngineHarness) {
    this.harness = harness;
  }

  async run(plans: readonly TurnPlan[]): Promise<void> {
    for (const plan of plans) {
      this.harness.server.push(...plan.answers.flatMap((answer) => this.#script(answer)));
      await this.#turn(plan);
    }
    this.harness.server.push(turn({ reply: message('the end'), times: Infinity }));
    const last = await this.#turn({ answers: [], prompt: 'text', interruptAfter: undefined, before: 'both' });
    assert.equal(last.subtype, 'success', last.errors[0]);
    this.harness.server.assertClean({ allowUnused: true });
  }

  async #turn({ prompt, interruptAfter, before }: TurnPlan) {
    if (before === 'switch model' || before === 'both') this.#model = 1 - this.#model;
    if (before === 'resume' || before === 'both') await this.#close();
    const session = (this.#session ??= await this.harness.open({ ...(this.#resume && { resume: this.#resume }), random: () => 0, includePartialMessages: true }));
    this.#resume = session.sessionId;
    session.setModel(models[this.#model]!);
    const blocks: ContentBlock[] = [{ type: 'text', text: 'go' }, ...(prompt === 'image' ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } } as ContentBlock] : [])];
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(blocks)) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
      if (messages.length === interruptAfter) session.interrupt();
    }
    return resultOf(messages);
  }

  async #close(): Promise<void> {
    await this.#session?.dispose();
    this.#session = undefined;
  }

  #script(plan: AnswerPlan): ScriptedTurn[] {
    const thoughts = this.#thinking(plan.think);
    const blocks = plan.think === 'only' ? thoughts : [...thoughts, ...plan.blocks.map((block) => this.#block(block))];
    const stopReason = plan.fault === 'limit' ? 'max_tokens' : plan.fault === 'pause' ? 'pause_turn' : undefined;
    const reply = turn({ reply: message(blocks, { stopReason }) });
    if (plan.fault === 'cut') return [{ ...reply, cutAfter: { events: plan.place, how: 'end' } }];
    if (plan.fault === 'overloaded') return [fault.overloaded(), reply];
    if (plan.fault === 'server error') return [fault.status(500), reply];
    return [reply];
  }

  #thinking(think: AnswerPlan['think']): WireBlock[] {
    if (think === 'none') return [];
    const n = (this.#thoughts += 1);
    return think === 'redacted' ? [redactedThinking(`hidden ${n}`)] : [thinking(`thought ${n}`, `signature ${n}`)];
  }

  #block(block: BlockPlan): WireBlock {
    switch (block) {
      case 'text':
        return text('Some words.');
      case 'blank':
        return text(' \n');
      case 'read':
        return toolUse('Read', { file_path: this.harness.path('a.txt') });
      case 'missing':
        return toolUse('Read', { file_path: this.harness.path('nowhere.txt') });
      case 'image':
        return toolUse('Read', { file_path: this.harness.path('logo.png') });
      case 'empty':
        return toolUse('Bash', { command: 'true' });
      case 'change':
        return toolUse('Bash', { command: 'date +%s%N > a.txt' });
      case 'broken':
        return toolUseWithRawInput('Read', '{"file_path": "/a');
      case 'unknown':
        return toolUse('Teleport', { to: 'Mars' });
    }
  }
}

describe('any history the engine can produce (SPEC Q5)', function () {
  this.timeout(120_000);

  it('makes requests that the strict server takes, each beginning with the bytes of the one before', () =>
    fc.assert(
      fc.asyncProperty(fc.array(turnPlan, { minLength: 1, maxLength: 5 }), async (plans) => {
        const harness = await EngineHarness.start([], { files: { 'a.txt': 'alpha\n' } });
        try {
          await harness.write('logo.png', Buffer.from(PNG, 'base64'));
          await new Play(harness).run(withEnds(plans));
          assertPrefixes(harness.server.requests);
        } finally {
          await harness.close();
        }
      }),
      { numRuns: Number(process.env['TURNSTONE_PROPERTY_RUNS'] ?? 60) },
    ));
});

/** Each turn's script is long enough for whatever was left over or interrupted before. */
function withEnds(plans: readonly TurnPlan[]): TurnPlan[] {
  const plain: AnswerPlan = { think: 'none', blocks: ['text'], fault: 'none', place: 0 };
  return plans.map((plan) => ({ ...plan, answers: [...plan.answers, ...Array<AnswerPlan>(8).fill(plain)] }));
}

/** Block by block, because a prompt may join the message that was last; the cache mark moves on and is left out. */
function assertPrefixes(requests: readonly LoggedRequest[]): void {
  const lastOf = new Map<string, readonly string[]>();
  for (const { body } of requests) {
    const blocks = body.messages.flatMap(({ role, content }) => (content as readonly WireBlock[]).map(({ cache_control: _mark, ...block }) => `${role} ${JSON.stringify(block)}`));
    const before = lastOf.get(body.model) ?? [];
    assert.deepEqual(blocks.slice(0, before.length), before, `messages of ${body.model} changed after they were sent`);
    lastOf.set(body.model, blocks);
  }
}
