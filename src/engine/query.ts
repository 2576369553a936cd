import { isAborted } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import type { RawStreamEvent, SDKMessage, SDKUserMessage, SessionMessage } from '../protocol/messages.ts';
import type { ReasoningChoice } from '../protocol/reasoning.ts';
import type { TurnCompaction } from './compaction/turnCompaction.ts';
import type { CostNotices } from './cost/costNotices.ts';
import { EarlyCalls } from './earlyCalls.ts';
import { failureMessage } from './model/failureMessage.ts';
import { isApiFailure } from '../protocol/apiFailure.ts';
import type { ApiFailure } from '../protocol/apiFailure.ts';
import { mayBeAboutMessages } from './model/requestRepairs.ts';
import { isMalformed, isPromptTooLong } from './model/retryPolicy.ts';
import { endsInToolUse, requestModel } from './model/requestModel.ts';
import { notice } from './model/retryNews.ts';
import type { ModelCall, ModelReply } from './model/requestModel.ts';
import { RequestTrail } from './requestTrail.ts';
import { requestRoom } from './requestRoom.ts';
import type { TurnLimits } from './requestRoom.ts';
import { runTools } from './runTools.ts';
import type { ToolRunner } from './toolCall.ts';
import type { TurnMessage } from './streamEvents.ts';
import type { SystemBlock } from './context/systemPrompt.ts';
import type { Tool } from './tools/tool.ts';

export interface QueryParams extends TurnLimits {
  /** A snapshot: the loop adds to its own copy. */
  readonly messages: readonly SessionMessage[];
  readonly system: readonly SystemBlock[];
  readonly tools: readonly Tool[];
  readonly call: Omit<ModelCall, 'buildRequest'>;
  /** Sees the events of the answer; those of summaries are not among them. */
  readonly watch?: ((event: RawStreamEvent) => void) | undefined;
  readonly runner: ToolRunner;
  /** Read before each request: the user may choose anew while the turn runs. */
  readonly reasoning?: ReasoningChoice | undefined;
  /** Keeps the conversation within the model's window. */
  readonly compaction: TurnCompaction;
  /** What there is to say about money. */
  readonly costNotices: CostNotices;
  /** For messages: "https://api.anthropic.com". */
  readonly endpointName: string;
  /** Notes that must reach the model before the next request: files changed outside. */
  readonly pendingNotes: () => Promise<readonly string[]>;
}

export interface QueryEnd {
  readonly reason: 'completed' | 'interrupted' | 'max_turns' | 'max_budget' | 'max_output_tokens' | 'failed';
  readonly stopReason: string | null;
  readonly error?: string | undefined;
  /** What is said in place of the assistant's last text. */
  readonly text?: string | undefined;
  readonly iterations: number;
}

/** How often an answer that ran into the output limit is asked to go on. */
const maxContinuations = 3;

interface LoopState {
  readonly messages: readonly SessionMessage[];
  readonly iteration: number;
  readonly continuations: number;
  /** Answers may be as long as the model can make them: one was cut by a lower limit. */
  readonly raised: boolean;
  /** The model that the fallback stands in for until the end of the turn. */
  readonly fellBackFrom: string | undefined;
}

/**
 * The loop of one turn: request, run tools, go on or end. Deliberately plain. Never throws for what the API
 * or a tool did.
 */
export async function* query(params: QueryParams): AsyncGenerator<TurnMessage, QueryEnd, void> {
  let state: LoopState = { messages: params.messages, iteration: 0, continuations: 0, raised: false, fellBackFrom: undefined };
  const trail = new RequestTrail();
  for (;;) {
    const end = (reason: QueryEnd['reason'], stopReason: string | null = null, error?: string): QueryEnd => ({ reason, stopReason, error, iterations: state.iteration });
    const notes = yield* yieldNotes(params);
    const call = callOf(state, params);
    const whole = [...state.messages, ...notes];
    const messages = yield* params.compaction.prepare(whole, call);
    if (messages !== whole) params.costNotices.forget();
    const room = requestRoom({ ...params, call }, state, messages);
    if ('reason' in room) return end(room.reason, null, room.error);

    const early = new EarlyCalls(params.runner);
    const { iteration } = state;
    let reply: ModelReply;
    try {
      reply = yield* requestModel({ ...call, toolStarter: early, watch: params.watch, buildRequest: (model) => params.costNotices.sent(trail.next(params.compaction.requestFor(messages, { model, maxTokens: room.maxTokens }), iteration)) });
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      if (isPromptTooLong(thrown)) {
        const recovery = yield* params.compaction.recover(messages, thrown, call);
        if ('error' in recovery) return end('failed', null, recovery.error);
        params.costNotices.forget();
        state = { ...state, messages: recovery.messages };
        continue;
      }
      const { refusedInARow } = params.call.repairs;
      if (isRefusedAgain(thrown, refusedInARow, call) && (yield* params.compaction.replaceRefused(messages, call))) {
        params.costNotices.forget();
        continue;
      }
      return end('failed', null, failureMessage(thrown, { endpoint: params.endpointName, now: params.call.clock.now(), refusedInARow }));
    }
    params.compaction.replied();
    for (const text of params.costNotices.answered(reply.messages.at(-1)?.message.usage)) yield notice(call, text);
    if (reply.model !== call.model) state = { ...state, fellBackFrom: call.model };
    if (canBeLonger(reply, state, params)) {
      early.discard();
      yield* withdrawCut(reply, params);
      state = { ...state, messages, raised: true };
      continue;
    }
    state = { ...state, messages: [...messages, ...reply.messages], iteration: state.iteration + 1 };
    if (reply.interrupted) {
      yield* closeInterrupted(reply, params);
      return end('interrupted', reply.stopReason);
    }

    const answers = yield* answerReply(reply, { state, early }, params);
    early.discard();
    state = { ...state, messages: [...state.messages, ...answers.messages], continuations: answers.continuations };
    if (params.call.signal.aborted) return end('interrupted', reply.stopReason);
    if (answers.finished && !answers.error && reply.messages.length === 0) yield notice(params.call, 'The model ended its turn without saying or doing anything. Ask it to go on if you expected more.', 'warning');
    if (answers.finished) return end(answers.error ? 'failed' : 'completed', reply.stopReason, answers.error);
  }
}

/** The turn before was refused, too, and whatever could be left out did not help. Once: a summary costs something. */
function isRefusedAgain(failure: ApiFailure, refusedInARow: number, { purpose }: QueryParams['call']): boolean {
  return refusedInARow === 2 && purpose === 'answer' && isMalformed(failure) && mayBeAboutMessages(failure);
}

/** The chosen model, or the fallback for the rest of a turn in which it stepped in; a model chosen meanwhile counts. */
function callOf({ fellBackFrom }: LoopState, { call }: QueryParams): QueryParams['call'] {
  const model = fellBackFrom === call.model && call.fallbackModel !== undefined ? call.fallbackModel : call.model;
  return { ...call, model };
}

/** The first step after an answer was cut: once in a turn the limit is raised to the model's own. */
function canBeLonger(reply: ModelReply, state: LoopState, params: QueryParams): boolean {
  if (reply.stopReason !== 'max_tokens' || reply.interrupted || state.raised) return false;
  const room = requestRoom({ ...params, call: callOf(state, params) }, { iteration: 0, raised: true }, state.messages);
  return 'maxTokens' in room && (room.maxTokens ?? 0) > reply.maxTokens;
}

/** Paid for, but not kept: its calls were not run, its text comes again, whole. */
function* withdrawCut(reply: ModelReply, { call }: QueryParams): Generator<SDKMessage, void, void> {
  const id = reply.messages[0]?.message.id;
  if (id !== undefined) call.cost.withdraw(id);
  yield { type: 'tombstone', uuid: crypto.randomUUID(), session_id: call.sessionId, message_uuids: reply.messages.map((message) => message.uuid) };
  yield notice(call, `The answer ran into the output limit of ${reply.maxTokens} tokens. It is asked for again, with as much room as the model has.`);
}

interface Answers {
  readonly messages: readonly SDKUserMessage[];
  readonly continuations: number;
  readonly finished: boolean;
  readonly error?: string | undefined;
}

/** Decides what follows an answer: results of its calls, a request to go on, or nothing more. */
async function* answerReply(reply: ModelReply, { state, early }: { readonly state: LoopState; readonly early: EarlyCalls }, params: QueryParams): AsyncGenerator<SDKMessage, Answers, void> {
  const cut = reply.stopReason === 'max_tokens';
  if (reply.toolUses.length > 0) {
    const continuations = cut ? state.continuations + 1 : 0;
    const messages = yield* collectUserMessages(runTools(reply.toolUses, callFaults(reply), params.runner, early));
    return { messages, continuations, finished: continuations > maxContinuations, error: continuations > maxContinuations ? outputLimitError : undefined };
  }
  if (reply.stopReason === 'pause_turn') return { messages: [], continuations: state.continuations, finished: false };
  if (!cut) return { messages: [], continuations: 0, finished: true, error: refusalError(reply) };
  if (state.continuations >= maxContinuations) return { messages: [], continuations: state.continuations, finished: true, error: outputLimitError };
  const message = metaMessage(params, 'Your answer was cut by the output limit. Go on exactly where it stopped, without apology or recap. Prefer smaller steps.');
  yield message;
  return { messages: [message], continuations: state.continuations + 1, finished: false };
}

const outputLimitError = 'The answer ran into the output limit again and again. What was written so far is kept; ask for the rest in smaller parts.';

function refusalError(reply: ModelReply): string | undefined {
  if (reply.stopReason === 'refusal') return 'The model declined to answer this. Nothing was changed; rephrase the request, or rewind and try another way.';
  if (reply.stopReason === 'model_context_window_exceeded') return 'The answer filled the model’s context window. What was written so far is kept; start a new session, or rewind to an earlier message.';
  return undefined;
}

/** Calls that must not be run: not JSON, or cut off by the output limit. */
function callFaults(reply: ModelReply): Map<string, string> {
  const faults = new Map<string, string>();
  for (const [id, raw] of reply.invalidInputs) faults.set(id, `Not run: the input is not valid JSON of an object, or nested without end. It began: ${cutText(raw, 200)}`);
  if (reply.stopReason === 'max_tokens' && endsInToolUse(reply.messages)) {
    faults.set(reply.toolUses.at(-1)!.id, 'Not run: the output limit cut this call off. Nothing was changed. Make it smaller: several edits, or the file in parts.');
  }
  return faults;
}

async function* collectUserMessages(run: AsyncGenerator<SDKMessage, void, void>): AsyncGenerator<SDKMessage, SDKUserMessage[], void> {
  const messages: SDKUserMessage[] = [];
  for await (const message of run) {
    if (message.type === 'user') messages.push(message);
    yield message;
  }
  return messages;
}

/** Every call gets a result, and the model will know that its answer was cut short. */
async function* closeInterrupted(reply: ModelReply, params: QueryParams): AsyncGenerator<SDKMessage, void, void> {
  yield* runTools(reply.toolUses, new Map(), params.runner);
  if (reply.messages.length > 0) yield metaMessage(params, 'The user interrupted the answer above.');
}

async function* yieldNotes(params: QueryParams): AsyncGenerator<SDKMessage, SDKUserMessage[], void> {
  const notes = await readNotes(params);
  if (notes.length === 0) return [];
  const message = metaMessage(params, notes.join('\n\n'));
  yield message;
  return [message];
}

async function readNotes(params: QueryParams): Promise<readonly string[]> {
  try {
    return await params.pendingNotes();
  } catch (thrown) {
    if (isAborted(thrown)) return [];
    throw thrown;
  }
}

function metaMessage(params: QueryParams, text: string): SDKUserMessage {
  return {
    type: 'user',
    uuid: crypto.randomUUID(),
    session_id: params.runner.sessionId,
    timestamp: new Date(params.call.clock.now()).toISOString(),
    parent_tool_use_id: null,
    isMeta: true,
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
}
