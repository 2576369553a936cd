import type { SessionMessage, Todo } from '../protocol/messages.ts';
import { isAllowed } from './commands/allowedTools.ts';
import { contextNote } from './context/contextNote.ts';
import type { SessionContext } from './context/sessionContext.ts';
import type { SystemBlock } from './context/systemPrompt.ts';
import type { EngineParts } from './engineParts.ts';
import { resolveModel } from './model/modelCatalog.ts';
import type { QueryParams } from './query.ts';
import type { ToolRunner } from './runTools.ts';
import type { SessionRecord } from './sessionRecord.ts';
import { toolRunner } from './sessionTools.ts';
import { collectChangedFiles } from './tools/collectChangedFiles.ts';
import type { SessionChoices, Turn } from './turn.ts';

/** What the parts of a turn share of its session. */
export interface TurnSession {
  readonly parts: EngineParts;
  readonly choices: SessionChoices;
  readonly record: SessionRecord;
  readonly context: SessionContext;
  readonly system: readonly SystemBlock[];
  readonly messages: readonly SessionMessage[];
  /** Called to end the waiting before a retry. */
  readonly wakeRetry: Set<() => void>;
  readonly setTodos: (todos: readonly Todo[]) => void;
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
  });
  return {
    ...runner,
    canUseTool: async (request, signal) => {
      if (parts.config.trusted && isAllowed(turn.allowedTools, request.toolName, request.input)) return { behavior: 'allow' };
      const question = record.asking(request.toolUseId, request.toolName);
      try {
        return await runner.canUseTool(request, signal);
      } finally {
        question.decided();
      }
    },
  };
}

/** The loop's parameters. What the user may choose while the turn runs is read anew for each request (SPEC M1, M3). */
export function turnParams(session: TurnSession, turn: Turn, runner: ToolRunner): QueryParams {
  const { parts, choices, context, messages, wakeRetry } = session;
  const { config, files, documents, digest, clock, readFileState, cost } = parts;
  return {
    messages: [...messages],
    system: session.system,
    tools: parts.tools,
    call: {
      client: parts.client,
      clock,
      random: parts.random,
      log: config.log,
      cost,
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
    },
    runner,
    get reasoning() {
      return choices;
    },
    maxTurns: config.maxTurns,
    maxBudgetUsd: config.maxBudgetUsd,
    maxOutputTokensPerTurn: config.maxOutputTokensPerTurn,
    endpointName: parts.endpointName,
    pendingNotes: async () => {
      const changed = await collectChangedFiles(readFileState, { files, documents, digest, clock });
      const nested = contextNote(await context.nestedParts(messages), messages);
      return [...changed.map((note) => note.text), ...parts.backgroundShells.takeEndNotes(), ...(nested === undefined ? [] : [nested])];
    },
  };
}
