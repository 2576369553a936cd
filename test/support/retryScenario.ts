import type { EngineOptions, Session } from '../../src/sdk/index.ts';
import { textOf } from '../../src/protocol/contentBlocks.ts';
import type { SDKMessage, SessionMessage } from '../../src/protocol/messages.ts';
import { EngineHarness, resultOf } from './engineHarness.ts';
import { message } from './scriptedMessage.ts';
import { turn } from './scriptedTurn.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';
import { TestClock } from './testClock.ts';

export interface RetryScenario {
  readonly turns: readonly ScriptedTurn[];
  readonly options?: Partial<EngineOptions>;
  /** The server falls silent after this many events (pings not counted) of the first so many answers: time is moved on then. */
  readonly silentAfter?: { readonly requests: number; readonly events: number };
  readonly onMessage?: (message: SDKMessage, session: Session, clock: TestClock) => void;
}

/** What one turn with faults comes to, for everybody concerned. */
export interface RetryOutcome {
  /** Model of each request; ` whole` for one without streaming. */
  readonly requests: readonly string[];
  /** Milliseconds of each announced wait. */
  readonly waits: readonly number[];
  readonly reasons: readonly string[];
  /** Types of the messages in order, raw events left out. */
  readonly yielded: readonly string[];
  /** Texts and calls on the screen when the turn is over: what was withdrawn is gone. */
  readonly shown: readonly string[];
  /** The same from the transcript, as a new process reads it. */
  readonly kept: readonly string[];
  /** What the model is shown of it in the next turn. */
  readonly modelSees: readonly string[];
  /** Input and output tokens of the turn, attempts that failed included. */
  readonly charged: readonly [number, number];
  /** `success`, or the first error. */
  readonly result: string;
}

/** Plays one turn on a clock that jumps over every announced wait, then one more to see that the session goes on. */
export async function playRetries(scenario: RetryScenario): Promise<RetryOutcome & { readonly messages: readonly SDKMessage[]; readonly harness: EngineHarness }> {
  const clock = new TestClock();
  const harness = await EngineHarness.start(scenario.turns);
  try {
    const session = await harness.open({ model: 'claude-opus-5-5', clock, random: () => 0, includePartialMessages: true, ...scenario.options });
    const messages = await drain(session, { scenario, clock, harness });
    const requests = harness.server.requests.map(({ body }) => `${body.model}${body.stream === true ? '' : ' whole'}`);
    harness.server.push(turn({ reply: message('fine') }));
    const next = await drain(session, { scenario: { turns: [] }, clock, harness });
    if (resultOf(next).result !== 'fine') throw new Error(`the session did not go on: ${resultOf(next).errors[0]}`);
    harness.server.assertClean();
    const again = await harness.open({ resume: session.sessionId });
    const said = harness.server.requests.at(-1)!.body.messages;
    const retries = messages.flatMap((each) => (each.type === 'system' && each.subtype === 'api_retry' ? [each] : []));
    const { usage, subtype, errors } = resultOf(messages);
    return {
      requests,
      waits: retries.map((each) => each.retry_delay_ms),
      reasons: [...new Set(retries.map((each) => each.error))],
      yielded: messages.flatMap((each) => (each.type === 'stream_event' ? [] : [each.type === 'system' ? each.subtype : each.type])),
      shown: shownBlocks(messages),
      kept: blocksOf(again.messages).slice(0, -1),
      modelSees: said.flatMap(({ role, content }) => (role === 'assistant' && Array.isArray(content) ? content.map(describe) : [])),
      charged: [usage.input_tokens, usage.output_tokens],
      result: subtype === 'success' ? 'success' : errors[0]!,
      messages,
      harness,
    };
  } finally {
    await harness.close();
  }
}

interface Stage {
  readonly scenario: RetryScenario;
  readonly clock: TestClock;
  readonly harness: EngineHarness;
}

async function drain(session: Session, { scenario, clock, harness }: Stage): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  let events = 0;
  let request = 0;
  const silence = scenario.silentAfter;
  for (let n = 1; silence?.events === 0 && n <= silence.requests; n++) void harness.server.waitForRequest(n).then(() => clock.advance(90_000));
  for await (const each of session.submitMessage('go')) {
    messages.push(each);
    scenario.onMessage?.(each, session, clock);
    if (each.type === 'system' && each.subtype === 'api_retry' && !each.needs_confirmation) {
      const slice = each.max_retries === 0 ? Math.min(30_000, each.retry_delay_ms) : each.retry_delay_ms;
      void clock.waitForTimer(slice).then(() => clock.advance(slice));
    }
    if (each.type !== 'stream_event') continue;
    if (request !== harness.server.requests.length) events = 0;
    request = harness.server.requests.length;
    events++;
    if (silence && request <= silence.requests && events === silence.events) setImmediate(() => clock.advance(90_000));
  }
  return messages;
}

function shownBlocks(messages: readonly SDKMessage[]): string[] {
  const withdrawn = new Set(messages.flatMap((each) => (each.type === 'tombstone' ? each.message_uuids : [])));
  return blocksOf(messages.filter((each): each is SDKMessage & SessionMessage => each.type === 'assistant' && !withdrawn.has(each.uuid)));
}

function blocksOf(messages: readonly SessionMessage[]): string[] {
  return messages.flatMap((each) => (each.type === 'assistant' && !each.isApiErrorMessage ? each.message.content.map(describe) : []));
}

function describe(block: { readonly type: string; readonly [field: string]: unknown }): string {
  return block.type === 'text' ? textOf([block]) : `${block.type} ${String(block['name'] ?? '')}`.trim();
}
