import assert from 'node:assert/strict';
import fc from 'fast-check';
import { systemClock } from '../../src/base/abort.ts';
import { CACHE_TTL_MS } from '../../src/engine/cost/cacheWatch.ts';
import { partSystemPrompt } from '../../src/engine/compaction/summaryPrompt.ts';
import type { Session } from '../../src/sdk/index.ts';
import type { ContentBlock } from '../../src/protocol/contentBlocks.ts';
import { EngineHarness, resultOf } from '../support/engineHarness.ts';
import { longForm } from '../support/longForm.ts';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import type { WireBlock } from '../support/apiTypes.ts';
import type { LoggedRequest } from '../support/scriptedServer.ts';
import { message, redactedThinking, serverToolUse, text, thinking, toolUse, toolUseWithRawInput, webSearchResult } from '../support/scriptedMessage.ts';
import { fault, turn } from '../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const models = ['claude-opus-5-5', 'claude-haiku-4-5'];

const found = (id: string): WireBlock => webSearchResult(id, [{ type: 'web_search_result', url: 'https://example.org/', title: 'Example', encrypted_content: 'abc', page_age: null }]);

const blockKinds = ['text', 'blank', 'thought', 'read', 'missing', 'image', 'big', 'huge', 'empty', 'change', 'broken', 'unknown', 'task', 'explore', 'search'] as const;
const faults = ['none', 'none', 'none', 'none', 'none', 'cut', 'overloaded', 'limit', 'pause', 'server error', 'too long', 'image refused', 'refused'] as const;

interface AnswerPlan {
  readonly think: 'none' | 'thinking' | 'redacted' | 'only';
  readonly blocks: readonly (typeof blockKinds)[number][];
  readonly fault: (typeof faults)[number];
  /** Events before the cut. */
  readonly place: number;
}

interface TurnPlan {
  readonly answers: readonly AnswerPlan[];
  readonly prompt: 'text' | 'image' | '/compact';
  /** The turn is interrupted when this many messages were seen. */
  readonly interruptAfter: number | undefined;
  readonly before: 'nothing' | 'resume' | 'switch model' | 'both' | 'long pause';
}

const answerPlan: fc.Arbitrary<AnswerPlan> = fc.record({
  think: fc.constantFrom('none', 'none', 'thinking', 'redacted', 'only'),
  blocks: fc.array(fc.constantFrom(...blockKinds), { minLength: 1, maxLength: 6 }),
  fault: fc.constantFrom(...faults),
  place: fc.integer({ min: 0, max: 25 }),
});

const turnPlan: fc.Arbitrary<TurnPlan> = fc.record({
  answers: fc.array(answerPlan, { maxLength: 4 }),
  prompt: fc.constantFrom('text', 'text', 'text', 'image', '/compact'),
  interruptAfter: fc.option(fc.integer({ min: 0, max: 25 }), { nil: undefined, freq: 3 }),
  before: fc.constantFrom('nothing', 'nothing', 'resume', 'switch model', 'both', 'long pause'),
});

/** Anything an engine can go through, played on the real one against the strict server. */
class Play {
  readonly harness: EngineHarness;
  /** How many requests had been made when the conversation was shortened or repaired, and the user told so. */
  readonly breaks: number[] = [];
  /** Requests that were refused: the conversation they belong to, a sub-agent's too, may begin differently from then on. */
  readonly refused: number[] = [];
  readonly #contextWindow: number;
  #session: Session | undefined;
  #resume: string | undefined;
  #model = 0;
  #count = 0;
  #laterMs = 0;

  constructor(harness: EngineHarness, contextWindow: number) {
    this.harness = harness;
    this.#contextWindow = contextWindow;
  }

  async run(plans: readonly TurnPlan[]): Promise<void> {
    for (const plan of plans) {
      this.harness.server.push(...plan.answers.flatMap((answer) => this.#script(answer)));
      await this.#turn(plan);
    }
    this.harness.server.push(turn({ reply: message('the end'), times: Infinity }));
    // What is left of the script may still be refused; not more than that.
    for (let tries = this.harness.server.requests.length; ; tries++) {
      const last = await this.#turn({ answers: [], prompt: 'text', interruptAfter: undefined, before: 'both' });
      if (last.subtype === 'success') break;
      assert.ok(tries < 500, last.errors[0]);
    }
    this.harness.server.assertClean({ allowUnused: true });
  }

  async #turn({ prompt, interruptAfter, before }: TurnPlan) {
    if (before === 'switch model' || before === 'both') this.#model = 1 - this.#model;
    if (before === 'resume' || before === 'both') await this.#close();
    if (before === 'long pause') this.#pause();
    const session = (this.#session ??= await this.#open());
    this.#resume = session.sessionId;
    session.setModel(models[this.#model]!);
    const blocks: ContentBlock[] = [{ type: 'text', text: 'go' }, ...(prompt === 'image' ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } } as ContentBlock] : [])];
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(prompt === '/compact' ? prompt : blocks)) {
      messages.push(each);
      if (saysThatHistoryChanges(each)) this.breaks.push(this.harness.server.requests.length);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
      if (messages.length === interruptAfter) session.interrupt();
    }
    return resultOf(messages);
  }

  #open(): Promise<Session> {
    return this.harness.open({
      ...(this.#resume && { resume: this.#resume }),
      clock: { ...systemClock, now: () => Date.now() + this.#laterMs },
      random: () => 0,
      includePartialMessages: true,
      webSearch: true,
      modelLimits: () => ({ contextWindow: this.#contextWindow, maxOutput: 8_000 }),
    });
  }

  /** So long that the server has forgotten the prefix, and leaving out what is old costs nothing. */
  #pause(): void {
    this.#laterMs += CACHE_TTL_MS + 1_000;
    this.breaks.push(this.harness.server.requests.length);
  }

  async #close(): Promise<void> {
    await this.#session?.dispose();
    this.#session = undefined;
  }

  #script(plan: AnswerPlan): ScriptedTurn[] {
    const thoughts = plan.think === 'none' ? [] : [this.#thought(plan.think)];
    const blocks = plan.think === 'only' ? thoughts : [...thoughts, ...plan.blocks.flatMap((block) => this.#block(block))];
    const stopReason = plan.fault === 'limit' ? 'max_tokens' : plan.fault === 'pause' ? 'pause_turn' : undefined;
    const reply = turn({ reply: message(blocks, { stopReason }) });
    switch (plan.fault) {
      case 'cut':
        return [{ ...reply, cutAfter: { events: plan.place, how: 'end' } }];
      case 'overloaded':
        return [fault.overloaded(), reply];
      case 'server error':
        return [fault.status(500), reply];
      case 'too long':
        return [this.#refusal({ message: `prompt is too long: ${this.#contextWindow + 900} tokens > ${this.#contextWindow} maximum` }), reply];
      case 'image refused':
        return [this.#refusal({ message: 'Could not process image' }), reply];
      case 'refused':
        return [this.#refusal({ message: 'tools.0.name: String should match pattern' }), reply];
      default:
        return [reply];
    }
  }

  #refusal(options: { readonly message: string }): ScriptedTurn {
    return fault.status(400, { ...options, when: () => this.refused.push(this.harness.server.requests.length - 1) > 0 });
  }

  #thought(think: AnswerPlan['think']): WireBlock {
    const n = (this.#count += 1);
    return think === 'redacted' ? redactedThinking(`hidden ${n}`) : thinking(`thought ${n}`, `signature ${n}`);
  }

  #block(block: AnswerPlan['blocks'][number]): WireBlock[] {
    const n = (this.#count += 1);
    const reading = (name: string): WireBlock[] => [toolUse('Read', { file_path: this.harness.path(name) })];
    const task = (subagent_type: string): WireBlock[] => [toolUse('Task', { description: 'Look', prompt: `Task ${n}`, subagent_type })];
    switch (block) {
      case 'text':
        return [text('Some words.')];
      case 'blank':
        return [text(' \n')];
      case 'thought':
        return [this.#thought('thinking'), ...reading('a.txt')];
      case 'read':
        return reading('a.txt');
      case 'missing':
        return reading('nowhere.txt');
      case 'image':
        return reading('logo.png');
      case 'big':
        return reading('big.txt');
      case 'huge':
        return [toolUse('Bash', { command: 'cat big.txt big.txt big.txt' })];
      case 'empty':
        return [toolUse('Bash', { command: 'true' })];
      case 'change':
        return [toolUse('Bash', { command: 'date +%s%N > a.txt' })];
      case 'broken':
        return [toolUseWithRawInput('Read', '{"file_path": "/a')];
      case 'unknown':
        return [toolUse('Teleport', { to: 'Mars' })];
      case 'task':
        return task('general-purpose');
      case 'explore':
        return task('explore');
      case 'search':
        return [serverToolUse('web_search', { query: 'x' }, `srvtoolu_${n}`), found(`srvtoolu_${n}`)];
    }
  }
}

/** A summary, output that is left out, a repair: the only things after which a request may begin differently, and each is told. */
function saysThatHistoryChanges(each: SDKMessage): boolean {
  // What a sub-agent has learnt of a refused image holds for the session.
  if (each.type === 'progress') return each.data.text.startsWith('The server refused');
  if (each.type !== 'system') return false;
  return each.subtype === 'compact_boundary' || (each.subtype === 'notice' && /left out of what the model sees|^The server refused/.test(each.text));
}

describe('any history the engine can produce', function () {
  this.timeout(3_600_000);

  it('makes requests that the strict server takes, each beginning with the bytes of the one before', () =>
    fc.assert(
      fc.asyncProperty(fc.array(turnPlan, { minLength: 1, maxLength: 6 }), fc.constantFrom(34_000, 60_000, 200_000), async (plans, contextWindow) => {
        const harness = await EngineHarness.start([], { files: { 'a.txt': 'alpha\n', 'big.txt': 'all work and no play\n'.repeat(800) } });
        try {
          await harness.write('logo.png', Buffer.from(PNG, 'base64'));
          const play = new Play(harness, contextWindow);
          await play.run(withEnds(plans));
          assertPrefixes(harness.server.requests, play);
        } finally {
          await harness.close();
        }
      }),
      { numRuns: longForm ? 2_000 : 60 },
    ));
});

/** Each turn's script is long enough for whatever was left over or interrupted before. */
function withEnds(plans: readonly TurnPlan[]): TurnPlan[] {
  const plain: AnswerPlan = { think: 'none', blocks: ['text'], fault: 'none', place: 0 };
  return plans.map((plan) => ({ ...plan, answers: [...plan.answers, ...Array<AnswerPlan>(8).fill(plain)] }));
}

/** Block by block, because a prompt may join the message that was last; the cache mark moves on and is left out. */
function assertPrefixes(requests: readonly LoggedRequest[], { breaks, refused }: Pick<Play, 'breaks' | 'refused'>): void {
  const lastOf = new Map<string, readonly string[]>();
  for (const [index, { body }] of requests.entries()) {
    const kind = kindOf(body);
    if (breaks.includes(index) || kind === 'part summary') lastOf.clear();
    if (kind === 'part summary') continue;
    const all = body.messages.flatMap(({ role, content }) => (content as readonly WireBlock[]).map(({ cache_control: _mark, ...block }) => `${role} ${JSON.stringify(block)}`));
    // A request for a summary begins like the turn's own, and nothing begins like it.
    const blocks = asksForSummary(body) ? all.slice(0, -1) : all;
    // A sub-agent has a conversation of its own, known by its task, which stays in it word for word.
    const conversation = kind === 'sub-agent' ? `${body.model} ${/Task \d+/.exec(all.join('\n'))![0]}` : body.model;
    const before = lastOf.get(conversation) ?? [];
    assert.deepEqual(blocks.slice(0, before.length), before, `messages of request ${index + 1} (${conversation}) changed after they were sent`);
    // When a sub-agent's conversation is shortened is told to nobody but its own transcript.
    if (kind === 'sub-agent' && (asksForSummary(body) || refused.includes(index))) lastOf.delete(conversation);
    else lastOf.set(conversation, blocks);
  }
}

function kindOf({ system, tools }: LoggedRequest['body']): 'turn' | 'part summary' | 'sub-agent' {
  if (JSON.stringify(system).includes(partSystemPrompt)) return 'part summary';
  return tools?.some(({ name }) => name === 'Task') ? 'turn' : 'sub-agent';
}

function asksForSummary({ messages }: LoggedRequest['body']): boolean {
  return JSON.stringify((messages.at(-1)!.content as readonly WireBlock[]).at(-1)).includes('The conversation is about to be shortened');
}
