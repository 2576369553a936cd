import { raceAbort } from '../base/abort.ts';
import type { Clock } from '../base/abort.ts';
import { errorText, isAborted, isTurnstoneError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { displayPath, resolvePath } from '../base/paths.ts';
import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { HunkVerdict, Proposal } from '../protocol/fileChange.ts';
import type { ToolProgress, ToolUseResult } from '../protocol/messages.ts';
import type { CanUseTool, Decider, PermissionAnswer, PermissionDecision, PermissionDenial, PermissionMode, PermissionRequest } from '../protocol/permissions.ts';
import { checkPermission } from './permissions/checkPermission.ts';
import type { PermissionQuestion } from './permissions/checkPermission.ts';
import { refusalIn } from './permissions/guardPorts.ts';
import type { JudgedCall } from './permissions/judgeCall.ts';
import type { SessionPermissions } from './permissions/sessionPermissions.ts';
import { suggestRule } from './permissions/suggestRule.ts';
import type { Tool, ToolContext, ToolOutcome, ToolPlan } from './tools/tool.ts';

export interface ToolRunner {
  readonly sessionId: string;
  readonly tools: readonly Tool[];
  readonly context: Omit<ToolContext, 'signal' | 'toolUseId'>;
  readonly permissionMode: () => PermissionMode;
  readonly permissionFacts: Pick<PermissionQuestion, 'dataRoot' | 'trusted'>;
  /** The user's rules; without them only mode and place decide. */
  readonly permissions?: SessionPermissions | undefined;
  readonly canUseTool: CanUseTool;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told of every decision, whoever made it, for the transcript and the result. */
  readonly onDecision: (call: ToolUseBlock, decision: PermissionDecision) => void;
  /** A rule was kept beside an answer. */
  readonly onRemembered: () => void;
  /** Told of what was refused further down, by whom this session does not decide. */
  readonly onDenied: (denial: PermissionDenial) => void;
  readonly onDuration: (ms: number) => void;
}

/** What is wrong with a call before it is even looked at: its input was cut off or is not JSON. */
export type CallFaults = ReadonlyMap<string, string>;

export interface FinishedCall {
  readonly outcome: ToolOutcome;
  readonly rejected: boolean;
}

/** A call that can be made, once the user agrees. */
export interface PlannedToolCall {
  readonly call: ToolUseBlock;
  readonly tool: Tool;
  readonly input: unknown;
  readonly plan: ToolPlan<unknown>;
  readonly context: ToolContext;
}

/** What a call is about to do, or why it can't be made. Rejects with what the tool's plan rejects with. */
export async function planCall(call: ToolUseBlock, fault: string | undefined, context: ToolContext, runner: ToolRunner): Promise<PlannedToolCall | FinishedCall> {
  if (runner.signal.aborted) return failed(interruptedText);
  if (fault !== undefined) return failed(fault);
  const tool = runner.tools.find((candidate) => candidate.name === call.name);
  if (!tool) return failed(`There is no tool named ${call.name}. Available: ${runner.tools.map((each) => each.name).join(', ')}.`);
  const input = tool.input.safeParse(call.input);
  if (!input.success) return failed(invalidInputText(call.name, input.error.issues));
  const nul = fieldWithNul(call.input);
  if (nul !== undefined) return failed(`${call.name} was not run, its input is not valid:\n- ${nul}: holds a NUL character, which neither paths nor commands can`);
  return { call, tool, input: input.data, plan: await tool.plan(input.data, context), context };
}

/** What is told of a call that threw. */
export function broken(call: ToolUseBlock, thrown: unknown, runner: ToolRunner): FinishedCall {
  if (runner.signal.aborted || isAborted(thrown)) return failed(interruptedText);
  // Refused already where the tool looked at what it is about to do.
  const refusal = refusalIn(thrown);
  if (refusal !== undefined) runner.onDecision(call, { behavior: 'deny', by: 'rule', reason: refusal });
  if (!isTurnstoneError(thrown)) runner.log.error(`${call.name} failed: ${thrown instanceof Error ? thrown.stack : errorText(thrown)}`);
  return failed(isTurnstoneError(thrown) ? thrown.modelMessage : `${call.name} failed: ${errorText(thrown)}`, refusal === undefined ? undefined : { kind: 'refused' });
}

/** Whether a call has to be asked about, and how. */
export type Judgement =
  | { readonly kind: 'allowed'; readonly decision?: PermissionDecision | undefined }
  | { readonly kind: 'denied'; readonly answer: Refusal; readonly decision: PermissionDecision }
  /** One request for each proposal, or one for the call. */
  | { readonly kind: 'ask'; readonly requests: readonly PermissionRequest[] };

export async function judge({ call, tool, plan }: PlannedToolCall, runner: ToolRunner): Promise<Judgement> {
  const proposals = proposalsOf(plan);
  const { cwd, roots, files } = runner.context;
  const targets = proposals.map((proposal) => proposal.targetPath);
  const paths = [...plan.paths, ...targets].map((path) => resolvePath(cwd, path));
  const realPaths = plan.realPaths ? [...plan.realPaths, ...targets] : await Promise.all(paths.map((path) => files.realpath(path)));
  const judged = { mode: runner.permissionMode(), access: tool.access, toolName: call.name, input: call.input, paths, realPaths };
  const verdict = checkPermission({ ...judged, rules: await runner.permissions?.judge(judged), roots, ...runner.permissionFacts });
  if (verdict.behavior === 'allow') return { kind: 'allowed', decision: verdict.by && { behavior: 'allow', by: verdict.by, rule: verdict.rule } };
  if (verdict.behavior === 'deny') {
    const { message: reason, by } = verdict;
    return { kind: 'denied', answer: { behavior: 'deny', reason, byUser: false }, decision: { behavior: 'deny', by, reason } };
  }
  const base = { toolName: call.name, toolUseId: call.id, input: call.input, paths: realPaths, title: plan.title, reason: verdict.reason, suggestedRule: await suggestionFor(judged, runner) };
  if (proposals.length === 0) return { kind: 'ask', requests: [base] };
  const titleOf = (proposal: Proposal, index: number): string => (proposals.length > 1 ? `${displayPath(cwd, proposal.path)} (${index + 1} of ${proposals.length}): ${plan.title}` : plan.title);
  return { kind: 'ask', requests: proposals.map((proposal, index) => ({ ...base, title: titleOf(proposal, index), proposal, rebase: plan.rebase })) };
}

/** A rule is proposed only where it would spare the same question the next time. */
async function suggestionFor(judged: JudgedCall, { permissions, context }: ToolRunner): Promise<string | undefined> {
  const rule = suggestRule({ ...judged, paths: judged.realPaths, cwd: context.cwd });
  if (rule === undefined || permissions === undefined) return undefined;
  return (await permissions.check(rule, judged)).fits ? rule : undefined;
}

/** Puts all questions of a call to the user at once. */
export async function askUser(requests: readonly PermissionRequest[], runner: ToolRunner): Promise<readonly PermissionAnswer[]> {
  const answers = await Promise.all(requests.map((request) => raceAbort(runner.canUseTool(request, runner.signal), runner.signal)));
  for (const answer of answers) {
    if (answer.behavior !== 'allow' || !answer.rememberRule) continue;
    await runner.permissions?.remember(answer.rememberRule);
    runner.onRemembered();
  }
  return answers;
}

/** What is written down of a judgement and the answers to it. `hunksOf`: what became of each part of an edit. */
export function decisionsOf(judgement: Judgement, answers: readonly PermissionAnswer[], hunksOf: (index: number) => readonly HunkVerdict[] | undefined = () => undefined): readonly PermissionDecision[] {
  if (judgement.kind !== 'ask') return judgement.decision ? [judgement.decision] : [];
  return answers.map((answer, index) => {
    const { behavior } = answer;
    if (behavior !== 'allow') return { behavior, by: deciderOf(answer), reason: behavior === 'deny' ? answer.reason : undefined };
    return { behavior, by: deciderOf(answer), remembered: answer.rememberRule, hunks: hunksOf(index), isRebased: answer.rebased !== undefined };
  });
}

function deciderOf(answer: PermissionAnswer): Decider {
  if (answer.behavior === 'outdated') return 'engine';
  if (answer.byUser !== false) return 'user';
  return answer.behavior === 'allow' ? 'command' : 'host';
}

export const interruptedText = 'The user interrupted before this was decided or finished.';

export type Refusal = Exclude<PermissionAnswer, { behavior: 'allow' }>;

export function isRefusal(answer: PermissionAnswer): answer is Refusal {
  return answer.behavior !== 'allow';
}

export function proposalsOf(plan: ToolPlan<unknown>): readonly Proposal[] {
  return plan.proposals ?? (plan.proposal ? [plan.proposal] : []);
}

/** Counts the time that a tool was at work. */
export async function* timed(run: AsyncGenerator<ToolProgress, ToolOutcome, void>, runner: ToolRunner): AsyncGenerator<ToolProgress, ToolOutcome, void> {
  const startedAt = runner.clock.now();
  try {
    return yield* run;
  } finally {
    runner.onDuration(runner.clock.now() - startedAt);
  }
}

export function refused(answer: Refusal): FinishedCall {
  if (answer.behavior === 'outdated') return failed('The file changed while the proposal waited for the user. Nothing was written. Read the file again.');
  const because = answer.reason?.trim();
  if (answer.byUser === false) return failed(because || nobodyThereText, { kind: 'refused' });
  return { ...failed(because ? `The user rejected this. Nothing was changed. They say: ${because}` : 'The user rejected this. Nothing was changed. Ask what they want instead, or go on without it.'), rejected: true };
}

/** Texts that are written may hold one; what the system is asked for may not. */
function fieldWithNul(input: ToolUseBlock['input']): string | undefined {
  return Object.keys(input).find((field) => /path|command|pattern|glob|url/.test(field) && typeof input[field] === 'string' && input[field].includes('\0'));
}

/** For hosts without anybody to ask. */
const nobodyThereText = 'This needs the user’s consent and nobody is there to give it. Nothing was changed.';

export function failed(content: string, result?: ToolUseResult): FinishedCall {
  return { outcome: { content, isError: true, ...(result && { result }) }, rejected: false };
}

function invalidInputText(name: string, issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const lines = issues.map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`);
  return `${name} was not run, its input is not valid:\n${lines.join('\n')}`;
}
