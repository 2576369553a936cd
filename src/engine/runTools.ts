import { childController } from '../base/abort.ts';
import { mergeGenerators } from '../base/mergeGenerators.ts';
import { plural } from '../base/text.ts';
import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { SDKMessage, SDKUserMessage, ToolProgress } from '../protocol/messages.ts';
import { EditCalls, gatherEdits, isEdit, isGathered } from './editCalls.ts';
import { notice } from './model/retryNews.ts';
import { askUser, broken, decisionsOf, failed, isRefusal, judge, planCall, refused, timed } from './toolCall.ts';
import type { CallFaults, FinishedCall, ToolRunner } from './toolCall.ts';
import type { Tool, ToolOutcome } from './tools/tool.ts';

/** Read-only calls at work at the same time. */
export const maxParallel = 10;

/** Calls that may have been started before their message was complete; the others are run when they are taken. */
export interface EarlyRuns {
  take(call: ToolUseBlock): AsyncGenerator<ToolProgress, FinishedCall, void>;
}

/**
 * Runs the calls of one answer: neighbouring read-only ones together, all edits as one set of changes that is decided
 * at the place of the first, the others one by one. Yields progress and one user message per call, in source order. Never throws for what a tool or the
 * user did: each call gets a result, also when the turn is interrupted.
 */
export async function* runTools(calls: readonly ToolUseBlock[], faults: CallFaults, runner: ToolRunner, early?: EarlyRuns): AsyncGenerator<SDKMessage, void, void> {
  let rejected = false;
  const once = calls.filter((call, index) => calls.findIndex((other) => other.id === call.id) === index);
  if (once.length < calls.length) yield notice(runner, repeatedIdText(calls.length - once.length), 'warning');
  const edits = new EditCalls(gatherEdits(once, runner.tools), faults, runner);
  for (const group of groupCalls(once, runner.tools)) {
    if (isEdit(group[0]!, runner.tools)) {
      const set = isGathered(group[0]!, runner.tools) ? edits : EditCalls.alone(group[0]!, faults, runner);
      for (const call of group) {
        // What was accepted with the others of its answer is written, whatever was rejected since.
        const result: FinishedCall = rejected && !set.isDecided(call) ? skippedCall : await set.finish(call);
        rejected ||= result.rejected;
        yield* newsOf(runner);
        yield resultMessage(call, result.outcome, runner);
      }
      continue;
    }
    const skip: boolean = rejected && !isConcurrencySafe(group[0]!, runner.tools);
    const runs: AsyncGenerator<ToolProgress, FinishedCall, void>[] = group.map((call) => {
      if (skip) return skipped();
      return early && !faults.has(call.id) ? early.take(call) : runCall(call, faults.get(call.id), runner);
    });
    const finished = new Map<number, FinishedCall>();
    let next = 0;
    for await (const step of mergeGenerators(runs, maxParallel)) {
      if (!step.done) {
        yield progressMessage(group[step.index]!, step.value, runner);
        continue;
      }
      finished.set(step.index, step.value);
      rejected ||= step.value.rejected;
      yield* newsOf(runner);
      for (let result = finished.get(next); result; result = finished.get(++next)) yield resultMessage(group[next]!, result.outcome, runner);
    }
  }
}

/** What the user has to hear beside the results: a rule that could not be kept. */
function* newsOf(runner: ToolRunner): Generator<SDKMessage, void, void> {
  for (const text of runner.permissions?.takeNews() ?? []) yield notice(runner, text, 'warning');
}

function groupCalls(calls: readonly ToolUseBlock[], tools: readonly Tool[]): ToolUseBlock[][] {
  const groups: ToolUseBlock[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const isTogether = (test: typeof isGathered): boolean => last !== undefined && test(call, tools) && test(last[0]!, tools);
    if (last && (isTogether(isConcurrencySafe) || isTogether(isGathered))) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

function isConcurrencySafe(call: ToolUseBlock, tools: readonly Tool[]): boolean {
  const safe = tools.find((tool) => tool.name === call.name)?.concurrencySafe ?? false;
  return typeof safe === 'function' ? safe(call.input) : safe;
}

/** Results are told apart by the ids of their calls: of two with one id only one can be answered. */
function repeatedIdText(count: number): string {
  return `${plural(count, 'call')} of this answer had the id of another call in it. Only the first call with an id was made; the model is not shown the others and can ask again.`;
}

const skippedCall = failed('Not run: the user rejected an earlier call of the same message.');

async function* skipped(): AsyncGenerator<ToolProgress, FinishedCall, void> {
  return skippedCall;
}

/** One call from its input to its outcome. Never throws for what the tool or the user did. */
export async function* runCall(call: ToolUseBlock, fault: string | undefined, runner: ToolRunner): AsyncGenerator<ToolProgress, FinishedCall, void> {
  const controller = childController(runner.signal);
  try {
    const planned = await planCall(call, fault, { ...runner.context, signal: controller.signal, toolUseId: call.id }, runner);
    if ('outcome' in planned) return planned;
    const judgement = await judge(planned, runner);
    const answers = judgement.kind === 'ask' ? await askUser(judgement.requests, runner) : judgement.kind === 'denied' ? [judgement.answer] : [];
    for (const decision of decisionsOf(judgement, answers)) runner.onDecision(call, decision);
    const refusal = answers.find(isRefusal);
    if (refusal) return refused(refusal);
    const outcome = yield* timed(planned.tool.run(planned, planned.context), runner);
    for (const denial of outcome.denials ?? []) runner.onDenied(denial);
    return { outcome, rejected: false };
  } catch (thrown) {
    return broken(call, thrown, runner);
  } finally {
    controller.dispose();
  }
}

function progressMessage(call: ToolUseBlock, data: ToolProgress, runner: ToolRunner): SDKMessage {
  return { type: 'progress', uuid: crypto.randomUUID(), session_id: runner.sessionId, tool_use_id: call.id, data, parent_tool_use_id: null };
}

function resultMessage(call: ToolUseBlock, outcome: ToolOutcome, runner: ToolRunner): SDKUserMessage {
  return {
    type: 'user',
    uuid: crypto.randomUUID(),
    session_id: runner.sessionId,
    timestamp: new Date(runner.clock.now()).toISOString(),
    parent_tool_use_id: null,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call.id, content: outcome.content === '' ? '(no output)' : outcome.content, ...(outcome.isError && { is_error: true }) }],
    },
    ...(outcome.result && { tool_use_result: outcome.result }),
  };
}
