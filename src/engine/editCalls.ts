import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ToolProgress } from '../protocol/messages.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { errorText } from '../base/errors.ts';
import { late } from '../base/late.ts';
import { planChangeSet, writeChangeSet } from './review/changeSet.ts';
import type { DecidedCall, PlannedCall } from './review/changeSet.ts';
import { utf8 } from './text/encoding.ts';
import { askUser, broken, decisionsOf, failed, interruptedText, isRefusal, judge, planCall, proposalsOf, refused, timed } from './toolCall.ts';
import type { CallFaults, FinishedCall, Judgement, PlannedToolCall, ToolRunner } from './toolCall.ts';
import type { ProposedFile, Tool, ToolContext, ToolOutcome } from './tools/tool.ts';

/** A planned call and everything that was said about it; no answers where nothing had to be asked. */
interface AnsweredCall {
  readonly planned: PlannedToolCall;
  readonly judgement: Judgement;
  readonly answers: readonly PermissionAnswer[];
}

/** An edit call of an answer. Edits with the same `part` have no call between them that may change files. */
interface GatheredEdit {
  readonly call: ToolUseBlock;
  /** Calls of other kinds that stand before it, and those among them that may change files. */
  readonly othersBefore: number;
  readonly part: number;
}

type Planned = PlannedToolCall | FinishedCall;

/**
 * The edit calls of one answer: all are planned, each on what the ones before it propose, then all are asked about at once.
 * What was accepted is written in its place, all or nothing; where a call that may change files stands between edits, what
 * stands before it is written before it runs, and what follows afterwards. Never rejects for what a tool or the user did.
 */
export class EditCalls {
  readonly #faults: CallFaults;
  readonly #runner: ToolRunner;
  /** Not decided yet, in source order. */
  #waiting: readonly GatheredEdit[];
  /** What became of those that are decided; the first one that is asked for of a part writes all of it. */
  readonly #decided = new Map<string, () => Promise<FinishedCall>>();

  /** `edits` of one answer, in source order. */
  constructor(edits: readonly GatheredEdit[], faults: CallFaults, runner: ToolRunner) {
    this.#faults = faults;
    this.#runner = runner;
    this.#waiting = edits;
  }

  /** For an edit that is a set by itself. */
  static alone(call: ToolUseBlock, faults: CallFaults, runner: ToolRunner): EditCalls {
    return new EditCalls([{ call, othersBefore: 0, part: 0 }], faults, runner);
  }

  isDecided(call: ToolUseBlock): boolean {
    return this.#decided.has(call.id);
  }

  /** To be called in source order. */
  async finish(call: ToolUseBlock): Promise<FinishedCall> {
    if (!this.isDecided(call)) await this.#decide();
    return this.#decided.get(call.id)!();
  }

  /** Asks about all that wait, but for those that can be decided only in their place. */
  async #decide(): Promise<void> {
    const here = this.#waiting[0]!;
    const planned = await this.#plan();
    const judged = await Promise.all(planned.map(async (each) => ('outcome' in each ? each : judge(each, this.#runner).catch((thrown: unknown) => broken(each.call, thrown, this.#runner)))));
    const isReady = this.#waiting.map((edit, index) => edit.othersBefore === here.othersBefore || isReadyAhead(judged[index]!, edit.part === here.part));
    const ready = <Each>(all: readonly Each[]): Each[] => all.filter((_, index) => isReady[index]);
    const edits = ready(this.#waiting);
    this.#waiting = this.#waiting.filter((_, index) => !isReady[index]);
    const answered = await askAll(ready(planned), ready(judged), this.#runner);
    const decided = answered.map((each, index) => ('outcome' in each ? nothingDecided : decidedCall(each, edits[index]!.part > here.part, this.#runner)));
    const writes = planChangeSet(decided, this.#runner.context.cwd);
    for (const part of new Set(edits.map((edit) => edit.part))) {
      const own = edits.flatMap((edit, index) => (edit.part === part ? [{ call: edit.call, answered: answered[index]!, write: writes[index]! }] : []));
      // One that stands behind a command is offered again with it, should the process end before its turn comes.
      if (part === here.part) noteDecisions(own, this.#runner);
      const outcomes = late(() => {
        if (part !== here.part && !this.#runner.signal.aborted) noteDecisions(own, this.#runner);
        return writePart(own, this.#runner);
      });
      for (const [index, { call }] of own.entries()) this.#decided.set(call.id, async () => (await outcomes())[index]!);
    }
  }

  async #plan(): Promise<Planned[]> {
    const runner = this.#runner;
    const proposedFiles = new Map<string, ProposedFile>();
    const planned: Planned[] = [];
    for (const { call, othersBefore } of this.#waiting) {
      const context: ToolContext = { ...runner.context, signal: runner.signal, toolUseId: call.id, proposedFiles };
      // What fails only because its turn has not come is planned again then, and nothing is written down of it.
      const isAhead = othersBefore > this.#waiting[0]!.othersBefore;
      const each = await planCall(call, this.#faults.get(call.id), context, runner).catch((thrown: unknown) => (isAhead ? failed(errorText(thrown)) : broken(call, thrown, runner)));
      planned.push(each);
      if ('outcome' in each) continue;
      for (const { targetPath, after } of proposalsOf(each.plan)) proposedFiles.set(targetPath, { text: after, encoding: each.plan.encoding ?? utf8 });
    }
    return planned;
  }
}

export function isEdit(call: ToolUseBlock, tools: readonly Tool[]): boolean {
  return tools.find(({ name }) => name === call.name)?.access === 'edit';
}

/** Whether a call is an edit that is proposed together with the others of its answer. */
export function isGathered(call: ToolUseBlock, tools: readonly Tool[]): boolean {
  return isEdit(call, tools) && tools.find(({ name }) => name === call.name)?.standsAlone !== true;
}

export function gatherEdits(calls: readonly ToolUseBlock[], tools: readonly Tool[]): GatheredEdit[] {
  let othersBefore = 0;
  let part = 0;
  return calls.flatMap((call) => {
    if (isGathered(call, tools)) return [{ call, othersBefore, part }];
    othersBefore++;
    if (mayChangeFiles(call, tools)) part++;
    return [];
  });
}

function mayChangeFiles(call: ToolUseBlock, tools: readonly Tool[]): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool || tool.access === 'read') return false;
  const { concurrencySafe, access, needs } = tool;
  const isSafe = typeof concurrencySafe === 'function' ? concurrencySafe(call.input) : concurrencySafe;
  return !isSafe && (access !== 'own' || needs === 'startSubAgent');
}

/**
 * Of an edit with other calls before it. One that does not work out yet may do so after them; one that nobody has to be
 * asked about has no reason to be decided before a command has run.
 */
function isReadyAhead(judgement: Judgement | FinishedCall, isSamePart: boolean): boolean {
  return 'kind' in judgement && (judgement.kind === 'ask' || (judgement.kind === 'allowed' && isSamePart));
}

interface DecidedEdit {
  readonly call: ToolUseBlock;
  readonly answered: AnsweredCall | FinishedCall;
  readonly write: PlannedCall;
}

/** Only when all are decided: a set that is cut short in the middle of its questions is asked about again as a whole. */
function noteDecisions(edits: readonly DecidedEdit[], runner: ToolRunner): void {
  for (const { call, answered, write } of edits) {
    if ('outcome' in answered) continue;
    const decisions = decisionsOf(answered.judgement, answered.answers, (at) => (write.kind === 'write' ? write.writes[at]?.hunks : undefined));
    for (const decision of decisions) runner.onDecision(call, decision);
  }
}

async function writePart(edits: readonly DecidedEdit[], runner: ToolRunner): Promise<FinishedCall[]> {
  const outcomes = runner.signal.aborted ? [] : await writeChangeSet(edits.map(({ write }) => write), runner.context);
  return edits.map(({ answered }, index) => {
    if ('outcome' in answered) return answered;
    const refusal = answered.answers.find(isRefusal);
    const outcome = outcomes[index];
    return refusal ? refused(refusal) : outcome ? { outcome, rejected: false } : failed(interruptedText);
  });
}

async function askAll(planned: readonly Planned[], judged: readonly (Judgement | FinishedCall)[], runner: ToolRunner): Promise<(AnsweredCall | FinishedCall)[]> {
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

function decidedCall({ planned, answers }: AnsweredCall, followsCommand: boolean, runner: ToolRunner): DecidedCall {
  const { plan, tool, context } = planned;
  const allowed = answers.filter((answer) => answer.behavior === 'allow');
  const isRefused = allowed.length < answers.length;
  return {
    proposals: proposalsOf(plan),
    answers: isRefused ? undefined : proposalsOf(plan).map((_, index) => allowed[index] ?? { behavior: 'allow' }),
    encoding: plan.encoding,
    followsCommand,
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
