import { childController, raceAbort } from '../base/abort.ts';
import type { Clock } from '../base/abort.ts';
import { errorText, isAborted, isTurnstoneError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { mergeGenerators } from '../base/mergeGenerators.ts';
import { displayPath, resolvePath } from '../base/paths.ts';
import { plural } from '../base/text.ts';
import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { SDKMessage, SDKUserMessage, ToolProgress } from '../protocol/messages.ts';
import type { CanUseTool, PermissionAnswer, PermissionDenial, PermissionMode } from '../protocol/permissions.ts';
import { notice } from './model/retryNews.ts';
import { checkPermission } from './permissions/checkPermission.ts';
import type { PermissionQuestion } from './permissions/checkPermission.ts';
import { refusalIn } from './permissions/guardPorts.ts';
import type { SessionPermissions } from './permissions/sessionPermissions.ts';
import { suggestRule } from './permissions/suggestRule.ts';
import type { Tool, ToolContext, ToolOutcome, ToolPlan } from './tools/tool.ts';

/** Read-only calls at work at the same time. */
export const maxParallel = 10;

export interface ToolRunner {
  readonly sessionId: string;
  readonly tools: readonly Tool[];
  readonly context: Omit<ToolContext, 'signal' | 'toolUseId'>;
  readonly permissionMode: () => PermissionMode;
  readonly permissionFacts: Pick<PermissionQuestion, 'dataRoot' | 'homeFolder' | 'trusted'>;
  /** The user's rules; without them only mode and place decide. */
  readonly permissions?: SessionPermissions | undefined;
  readonly canUseTool: CanUseTool;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told of every answer the user gave and every refusal, for the transcript and the result. */
  readonly onDecision: (call: ToolUseBlock, answer: PermissionAnswer) => void;
  /** Told of what was refused further down, by whom this session does not decide. */
  readonly onDenied: (denial: PermissionDenial) => void;
  readonly onDuration: (ms: number) => void;
}

/** What is wrong with a call before it is even looked at: its input was cut off or is not JSON. */
export type CallFaults = ReadonlyMap<string, string>;

/** Calls that may have been started before their message was complete; the others are run when they are taken. */
export interface EarlyRuns {
  take(call: ToolUseBlock): AsyncGenerator<ToolProgress, FinishedCall, void>;
}

export interface FinishedCall {
  readonly outcome: ToolOutcome;
  readonly rejected: boolean;
}

/**
 * Runs the calls of one answer: neighbouring read-only ones together, the others one by one. Yields progress and one
 * user message per call, in source order. Never throws for what a tool or the user did: each call gets a result, also
 * when the turn is interrupted.
 */
export async function* runTools(calls: readonly ToolUseBlock[], faults: CallFaults, runner: ToolRunner, early?: EarlyRuns): AsyncGenerator<SDKMessage, void, void> {
  let rejected = false;
  const once = calls.filter((call, index) => calls.findIndex((other) => other.id === call.id) === index);
  if (once.length < calls.length) yield notice(runner, repeatedIdText(calls.length - once.length), 'warning');
  for (const group of groupCalls(once, runner.tools)) {
    const skip: boolean = rejected && group.length === 1 && !isConcurrencySafe(group[0]!, runner.tools);
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
      for (let result = finished.get(next); result; result = finished.get(++next)) yield resultMessage(group[next]!, result.outcome, runner);
    }
  }
}

function groupCalls(calls: readonly ToolUseBlock[], tools: readonly Tool[]): ToolUseBlock[][] {
  const groups: ToolUseBlock[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last && isConcurrencySafe(call, tools) && isConcurrencySafe(last[0]!, tools)) last.push(call);
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

async function* skipped(): AsyncGenerator<ToolProgress, FinishedCall, void> {
  return failed('Not run: the user rejected an earlier call of the same message.');
}

/** One call from its input to its outcome. Never throws for what the tool or the user did. */
export async function* runCall(call: ToolUseBlock, fault: string | undefined, runner: ToolRunner): AsyncGenerator<ToolProgress, FinishedCall, void> {
  if (runner.signal.aborted) return failed(interruptedText);
  if (fault !== undefined) return failed(fault);
  const tool = runner.tools.find((candidate) => candidate.name === call.name);
  if (!tool) return failed(`There is no tool named ${call.name}. Available: ${runner.tools.map((each) => each.name).join(', ')}.`);
  const input = tool.input.safeParse(call.input);
  if (!input.success) return failed(invalidInputText(call.name, input.error.issues));
  const nul = fieldWithNul(call.input);
  if (nul !== undefined) return failed(`${call.name} was not run, its input is not valid:\n- ${nul}: holds a NUL character, which neither paths nor commands can`);
  const controller = childController(runner.signal);
  const context: ToolContext = { ...runner.context, signal: controller.signal, toolUseId: call.id };
  try {
    const plan = await tool.plan(input.data, context);
    const answer = await decide(call, tool, plan, runner);
    if (answer.behavior !== 'allow') return refused(answer);
    const outcome = yield* timed(tool.run({ input: input.data, plan, finalText: answer.finalTexts?.[0], finalTexts: answer.finalTexts }, context), runner);
    for (const denial of outcome.denials ?? []) runner.onDenied(denial);
    return { outcome, rejected: false };
  } catch (thrown) {
    if (runner.signal.aborted || isAborted(thrown)) return failed(interruptedText);
    // Refused already where the tool looked at what it is about to do.
    const refusal = refusalIn(thrown);
    if (refusal !== undefined) decided(call, { behavior: 'deny', reason: refusal, byUser: false }, runner);
    if (!isTurnstoneError(thrown)) runner.log.error(`${call.name} failed: ${thrown instanceof Error ? thrown.stack : errorText(thrown)}`);
    return failed(isTurnstoneError(thrown) ? thrown.modelMessage : `${call.name} failed: ${errorText(thrown)}`);
  } finally {
    controller.dispose();
  }
}

const interruptedText = 'The user interrupted before this was decided or finished.';

type Decision = { readonly behavior: 'allow'; readonly finalTexts?: readonly (string | undefined)[] } | Refusal;
type Refusal = Exclude<PermissionAnswer, { behavior: 'allow' }>;

async function decide(call: ToolUseBlock, tool: Tool, plan: ToolPlan<unknown>, runner: ToolRunner): Promise<Decision> {
  const proposals = plan.proposals ?? (plan.proposal ? [plan.proposal] : []);
  const { cwd, roots } = runner.context;
  const paths = [...plan.paths, ...proposals.map((proposal) => proposal.targetPath)].map((path) => resolvePath(cwd, path));
  const realPaths = await Promise.all(paths.map((path) => runner.context.files.realpath(path)));
  const question = { mode: runner.permissionMode(), access: tool.access, realPaths };
  const rules = await runner.permissions?.judge({ ...question, toolName: call.name, input: call.input, paths });
  const verdict = checkPermission({ ...question, rules, roots, ...runner.permissionFacts });
  if (verdict.behavior === 'allow') return { behavior: 'allow' };
  if (verdict.behavior === 'deny') return decided(call, { behavior: 'deny', reason: verdict.message, byUser: false }, runner);
  const suggestedRule = verdict.reason === undefined || tool.access === 'read' ? suggestRule({ toolName: call.name, input: call.input, paths: realPaths, cwd }) : undefined;
  const finalTexts: (string | undefined)[] = [];
  for (const [index, proposal] of (proposals.length > 0 ? proposals : [undefined]).entries()) {
    const title = proposals.length > 1 ? `${displayPath(cwd, proposal!.path)} (${index + 1} of ${proposals.length}): ${plan.title}` : plan.title;
    const request = { toolName: call.name, toolUseId: call.id, input: call.input, title, reason: verdict.reason, proposal, suggestedRule };
    const answer = decided(call, await raceAbort(runner.canUseTool(request, runner.signal), runner.signal), runner);
    if (answer.behavior !== 'allow') return answer;
    if (answer.rememberRule) await runner.permissions?.remember(answer.rememberRule, runner.log);
    finalTexts.push(answer.finalText);
  }
  return { behavior: 'allow', finalTexts };
}

function decided<Answer extends PermissionAnswer>(call: ToolUseBlock, answer: Answer, runner: ToolRunner): Answer {
  runner.onDecision(call, answer);
  return answer;
}

async function* timed(run: AsyncGenerator<ToolProgress, ToolOutcome, void>, runner: ToolRunner): AsyncGenerator<ToolProgress, ToolOutcome, void> {
  const startedAt = runner.clock.now();
  try {
    return yield* run;
  } finally {
    runner.onDuration(runner.clock.now() - startedAt);
  }
}

function refused(answer: Refusal): FinishedCall {
  if (answer.behavior === 'outdated') return failed('The file changed while the proposal waited for the user. Nothing was written. Read the file again.');
  const because = answer.reason?.trim();
  if (answer.byUser === false) return failed(because || nobodyThereText);
  return { ...failed(because ? `The user rejected this. Nothing was changed. They say: ${because}` : 'The user rejected this. Nothing was changed. Ask what they want instead, or go on without it.'), rejected: true };
}

/** Texts that are written may hold one; what the system is asked for may not. */
function fieldWithNul(input: ToolUseBlock['input']): string | undefined {
  return Object.keys(input).find((field) => /path|command|pattern|glob|url/.test(field) && typeof input[field] === 'string' && input[field].includes('\0'));
}

/** For hosts without anybody to ask. */
const nobodyThereText = 'This needs the user’s consent and nobody is there to give it. Nothing was changed.';

function failed(content: string): FinishedCall {
  return { outcome: { content, isError: true }, rejected: false };
}

function invalidInputText(name: string, issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const lines = issues.map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`);
  return `${name} was not run, its input is not valid:\n${lines.join('\n')}`;
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
