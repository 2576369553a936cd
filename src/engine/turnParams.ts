import { isAborted } from '../base/errors.ts';
import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { Proposal } from '../protocol/fileChange.ts';
import type { SDKMessage, SessionMessage, Todo } from '../protocol/messages.ts';
import { buildRequest } from './buildRequest.ts';
import { isAllowed } from './commands/allowedTools.ts';
import type { CompactionOutcome } from './compaction/autocompact.ts';
import { Compactor } from './compaction/compactor.ts';
import { TurnCompaction } from './compaction/turnCompaction.ts';
import { contextNote } from './context/contextNote.ts';
import type { SessionContext } from './context/sessionContext.ts';
import type { SystemBlock } from './context/systemPrompt.ts';
import type { CostNotices } from './cost/costNotices.ts';
import { toolsOf } from './engineParts.ts';
import type { EngineParts } from './engineParts.ts';
import { modelInfo, resolveModel } from './model/modelCatalog.ts';
import { notice } from './model/retryNews.ts';
import { query } from './query.ts';
import type { AskedFile } from './orphanedCalls.ts';
import type { QueryEnd, QueryParams } from './query.ts';
import { runTools } from './runTools.ts';
import type { ToolRunner } from './toolCall.ts';
import type { SessionRecord } from './sessionRecord.ts';
import { toolRunner } from './sessionTools.ts';
import type { TurnMessage } from './streamEvents.ts';
import { hashText } from './tools/currentContent.ts';
import { collectChangedFiles } from './tools/collectChangedFiles.ts';
import { maxWebSearches } from './tools/webSearchTool.ts';
import type { SessionChoices, Turn } from './turn.ts';

/** What the parts of a turn share of its session. */
export interface TurnSession {
  readonly parts: EngineParts;
  readonly choices: SessionChoices;
  readonly record: SessionRecord;
  readonly context: SessionContext;
  readonly compactor: Compactor;
  readonly costNotices: CostNotices;
  readonly system: readonly SystemBlock[];
  readonly messages: readonly SessionMessage[];
  /** Called to end the waiting before a retry. */
  readonly wakeRetry: Set<() => void>;
  readonly setTodos: (todos: readonly Todo[]) => void;
}

/** A turn that has begun. `told` is trouble with the disk that the user knows of. */
export interface TurnRun {
  readonly run: AsyncGenerator<TurnMessage, QueryEnd, void>;
  readonly told?: string | undefined;
}

/** What runs the tools of one turn. The user is asked on record, and not where the turn's command has said so already. */
export function turnRunner(session: TurnSession, turn: Turn): ToolRunner {
  const { parts, choices, record } = session;
  const runner = toolRunner(parts, {
    signal: turn.controller.signal,
    permissionMode: () => choices.permissionMode,
    setPermissionMode: (mode) => void (choices.permissionMode = mode),
    model: () => turn.model ?? choices.model,
    setTodos: session.setTodos,
    onDenied: (denial) => turn.permissionDenials.push(denial),
    onRemembered: () => record.saveState(),
  });
  return {
    ...runner,
    canUseTool: async (request, signal) => {
      // What a rule asks about, a command's own list does not answer.
      if (parts.config.trusted && request.reason === undefined && isAllowed(turn.allowedTools, request.toolName, request.input)) return { behavior: 'allow', byUser: false };
      const question = record.asking(request.toolUseId, request.toolName, askedFiles(request.proposal, parts));
      try {
        return await runner.canUseTool(request, signal);
      } finally {
        question.decided();
      }
    },
  };
}

function askedFiles(proposal: Proposal | undefined, ports: Pick<EngineParts, 'digest'>): readonly AskedFile[] {
  return proposal ? [{ path: proposal.targetPath, hash: proposal.before === undefined ? null : hashText(proposal.before, ports) }] : [];
}

/** The loop's parameters. What the user may choose while the turn runs is read anew for each request. */
export function turnParams(session: TurnSession, turn: Turn, runner: ToolRunner): QueryParams {
  const { parts, choices, context, messages } = session;
  const { config, files, documents, digest, clock, readFileState } = parts;
  return {
    messages: [...messages],
    system: session.system,
    tools: toolsOf(parts),
    call: turnCall(session, turn),
    watch: (event) => {
      if (event.type === 'message_start') parts.history.lookAhead();
      session.record.partial.see(event);
    },
    runner,
    get reasoning() {
      return choices;
    },
    maxTurns: config.maxTurns,
    maxBudgetUsd: config.maxBudgetUsd,
    maxWebSearches: maxWebSearches(parts.tools),
    maxOutputTokensPerTurn: config.maxOutputTokensPerTurn,
    compaction: turnCompaction(session),
    costNotices: session.costNotices,
    endpointName: parts.endpointName,
    pendingNotes: async () => {
      const changed = await collectChangedFiles(readFileState, { files, documents, digest, clock, encodings: parts.encodings });
      const nested = contextNote(await context.nestedParts(messages), messages);
      const problems = await context.newProblems(turn.controller.signal);
      return [...changed.map((note) => note.text), ...parts.backgroundShells.takeEndNotes(), ...[problems, nested].filter((note) => note !== undefined)];
    },
  };
}

/** A turn that begins with calls of an earlier answer: they are run, then the model is asked. */
export async function* goOnFrom(calls: readonly ToolUseBlock[], runner: ToolRunner, { session, turn }: { readonly session: TurnSession; readonly turn: Turn }): AsyncGenerator<TurnMessage, QueryEnd, void> {
  yield* runTools(calls, new Map(), runner);
  if (turn.controller.signal.aborted) return { reason: 'interrupted', stopReason: null, iterations: 0 };
  return yield* query(turnParams(session, turn, runner));
}

/** How the requests of a turn are made, whatever they ask. */
function turnCall({ parts, choices, wakeRetry }: TurnSession, turn: Turn): QueryParams['call'] {
  const { config } = parts;
  return {
    client: parts.client,
    clock: parts.clock,
    random: parts.random,
    log: config.log,
    cost: parts.cost,
    purpose: config.agentId === undefined ? 'answer' : 'subAgent',
    sessionId: parts.sessionId,
    signal: turn.controller.signal,
    includePartialMessages: config.includePartialMessages,
    retryNow: (wake) => {
      wakeRetry.add(wake);
      return { dispose: () => wakeRetry.delete(wake) };
    },
    fallbackModel: config.fallbackModel && resolveModel(config.fallbackModel),
    get model() {
      return turn.model ?? choices.model;
    },
    retry: config.retry,
    repairs: parts.repairs,
  };
}

export function compactorFor(parts: EngineParts, system: readonly SystemBlock[]): Compactor {
  const { sessionId, files, store, clock, readFileState, loaded, config } = parts;
  return new Compactor({
    sessionId,
    files,
    store,
    clock,
    readFileState,
    limitsOf: (model) => config.modelLimits?.(model) ?? modelInfo(model),
    collapses: loaded?.collapses ?? [],
    system,
    tools: () => toolsOf(parts),
  });
}

/** A turn that summarises because the user asked for it. */
export async function* compactNow(session: TurnSession, turn: Turn, { focus, init }: { readonly focus: string; readonly init: SDKMessage }): AsyncGenerator<SDKMessage, QueryEnd, void> {
  const { compactor, messages, choices, parts } = session;
  const before = compactor.use(messages, choices.model).used;
  yield init;
  try {
    const outcome = yield* turnCompaction(session).now([...messages], focus.trim() || undefined, turnCall(session, turn));
    if (outcome.kind === 'no-gain' || outcome.kind === 'failed') return { reason: 'failed', stopReason: null, error: whyNotCompacted(outcome), iterations: 0 };
    if (outcome.kind === 'compacted') session.costNotices.forget();
    const text = outcome.kind === 'nothing' ? nothingToSummarise : `Summarised: about ${before} tokens have become ${compactor.size(outcome.messages)}. Everything stays in the session; rewinding to an earlier message brings it back in full.`;
    yield notice(parts, text);
    return { reason: 'completed', stopReason: 'end_turn', text, iterations: 0 };
  } catch (thrown) {
    if (!isAborted(thrown)) throw thrown;
    return { reason: 'interrupted', stopReason: null, iterations: 0 };
  }
}

const nothingToSummarise = 'There is nothing to summarise yet: the last exchanges stay word for word, and nothing stands before them. Nothing was changed.';

function whyNotCompacted(outcome: Extract<CompactionOutcome, { kind: 'no-gain' | 'failed' }>): string {
  if (outcome.kind === 'no-gain') return 'A summary would not have made the conversation smaller. Nothing was changed.';
  return `Summarising failed: ${outcome.why}. The conversation goes on in full; try again later.`;
}

/** Keeps the conversation of one turn within the window; its own requests begin like the turn's, for the cache. */
export function turnCompaction({ parts, choices, compactor, system }: TurnSession): TurnCompaction {
  return new TurnCompaction({
    compactor,
    maxBudgetUsd: parts.config.maxBudgetUsd,
    maxWebSearches: maxWebSearches(parts.tools),
    requestFor: (messages, { model, maxTokens }) =>
      buildRequest({
        model,
        system,
        tools: toolsOf(parts),
        messages,
        maxTokens,
        reasoning: choices,
        maxOutput: compactor.parts.limitsOf(model).maxOutput,
        normalize: (prepared, forModel) => compactor.normalize(prepared, forModel),
      }),
  });
}
