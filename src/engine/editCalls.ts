import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ToolProgress } from '../protocol/messages.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { planChangeSet, writeChangeSet } from './review/changeSet.ts';
import type { DecidedCall } from './review/changeSet.ts';
import { utf8 } from './text/encoding.ts';
import { askUser, broken, decisionsOf, failed, interruptedText, isRefusal, judge, planCall, proposalsOf, refused, timed } from './toolCall.ts';
import type { CallFaults, FinishedCall, Judgement, PlannedToolCall, ToolRunner } from './toolCall.ts';
import type { ProposedFile, ToolContext, ToolOutcome } from './tools/tool.ts';

/** A planned call and everything that was said about it; no answers where nothing had to be asked. */
interface AnsweredCall {
  readonly planned: PlannedToolCall;
  readonly judgement: Judgement;
  readonly answers: readonly PermissionAnswer[];
}

/**
 * Edit calls that stand together in an answer: all are planned, each on what the ones before it propose, then all are
 * asked about at once, then what was accepted is written, all or nothing. Never rejects for what a tool or the user did.
 */
export async function runEdits(calls: readonly ToolUseBlock[], faults: CallFaults, runner: ToolRunner): Promise<FinishedCall[]> {
  const planned = await planAll(calls, faults, runner);
  const answered = await askAll(planned, runner);
  const decided = answered.map((each) => ('outcome' in each ? nothingDecided : decidedCall(each, runner)));
  const writes = planChangeSet(decided, runner.context.cwd);
  for (const [index, each] of answered.entries()) {
    const write = writes[index]!;
    // Written down only now: a set that is cut short in the middle of its questions is asked about again as a whole.
    if ('outcome' in each) continue;
    const decisions = decisionsOf(each.judgement, each.answers, (at) => (write.kind === 'write' ? write.writes[at]?.hunks : undefined));
    for (const decision of decisions) runner.onDecision(each.planned.call, decision);
  }
  const paths = decided.flatMap(({ proposals }) => proposals.map(({ targetPath }) => targetPath));
  const outcomes = runner.signal.aborted ? [] : await writeChangeSet(writes, paths, runner.context);
  return answered.map((each, index) => {
    if ('outcome' in each) return each;
    const refusal = each.answers.find(isRefusal);
    const outcome = outcomes[index];
    return refusal ? refused(refusal) : outcome ? { outcome, rejected: false } : failed(interruptedText);
  });
}

async function planAll(calls: readonly ToolUseBlock[], faults: CallFaults, runner: ToolRunner): Promise<(PlannedToolCall | FinishedCall)[]> {
  const proposedFiles = new Map<string, ProposedFile>();
  const planned: (PlannedToolCall | FinishedCall)[] = [];
  for (const call of calls) {
    const context: ToolContext = { ...runner.context, signal: runner.signal, toolUseId: call.id, proposedFiles };
    const each = await planCall(call, faults.get(call.id), context, runner).catch((thrown: unknown) => broken(call, thrown, runner));
    planned.push(each);
    if ('outcome' in each) continue;
    for (const { targetPath, after } of proposalsOf(each.plan)) proposedFiles.set(targetPath, { text: after, encoding: each.plan.encoding ?? utf8 });
  }
  return planned;
}

async function askAll(planned: readonly (PlannedToolCall | FinishedCall)[], runner: ToolRunner): Promise<(AnsweredCall | FinishedCall)[]> {
  const judged = await Promise.all(planned.map(async (each) => ('outcome' in each ? each : judge(each, runner).catch((thrown: unknown) => broken(each.call, thrown, runner)))));
  const asking = inOneSet(judged);
  return Promise.all(
    planned.map(async (each, index): Promise<AnsweredCall | FinishedCall> => {
      const judgement = asking[index]!;
      if ('outcome' in each) return each;
      if ('outcome' in judgement) return judgement;
      if (judgement.kind !== 'ask') return { planned: each, judgement, answers: judgement.kind === 'denied' ? [judgement.answer] : [] };
      return askUser(judgement.requests, runner).then((answers) => ({ planned: each, judgement, answers }), (thrown: unknown) => broken(each.call, thrown, runner));
    }),
  );
}

/** Tells each request its place among those that are asked about together. */
function inOneSet(judged: readonly (Judgement | FinishedCall)[]): readonly (Judgement | FinishedCall)[] {
  const count = judged.reduce((sum, each) => sum + ('kind' in each && each.kind === 'ask' ? each.requests.length : 0), 0);
  if (count < 2) return judged;
  const id = crypto.randomUUID();
  let index = 0;
  return judged.map((each) => ('kind' in each && each.kind === 'ask' ? { ...each, requests: each.requests.map((request) => ({ ...request, changeSet: { id, index: index++, count } })) } : each));
}

const nothingDecided: DecidedCall = { proposals: [], answers: undefined, run: () => Promise.reject(new Error('a call without a decision is not run')) };

function decidedCall({ planned, answers }: AnsweredCall, runner: ToolRunner): DecidedCall {
  const { plan, tool, context } = planned;
  const allowed = answers.filter((answer) => answer.behavior === 'allow');
  const isRefused = allowed.length < answers.length;
  return {
    proposals: proposalsOf(plan),
    answers: isRefused ? undefined : proposalsOf(plan).map((_, index) => allowed[index] ?? { behavior: 'allow' }),
    run: (writes) => outcomeOf(timed(tool.run({ ...planned, writes }, context), runner)),
  };
}

/** Edits report no progress: they are done before anybody could read it. */
async function outcomeOf(run: AsyncGenerator<ToolProgress, ToolOutcome, void>): Promise<ToolOutcome> {
  for (;;) {
    const step = await run.next();
    if (step.done) return step.value;
  }
}
