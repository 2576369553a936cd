import type { PermissionDenial, PermissionMode } from '../protocol/permissions.ts';
import type { Todo } from '../protocol/messages.ts';
import { toolsOf } from './engineParts.ts';
import type { EngineParts } from './engineParts.ts';
import { askSmallModel } from './model/askSmallModel.ts';
import type { ToolRunner } from './toolCall.ts';

/** What a session lends to the tools of one turn. */
export interface ToolSession {
  readonly signal: AbortSignal;
  /** The one in use now: it may change in mid-turn. */
  readonly permissionMode: () => PermissionMode;
  readonly setPermissionMode: (mode: PermissionMode) => void;
  readonly model: () => string;
  readonly setTodos: (todos: readonly Todo[]) => void;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** A rule was added: one that is only the session's has to be kept with it. */
  readonly onRemembered: () => void;
}

/** What runs the tools of one turn. */
export function toolRunner(parts: EngineParts, session: ToolSession): ToolRunner {
  const { config, files, documents, shell, search, digest, clock, readFileState, history, cost, environment, store } = parts;
  return {
    sessionId: parts.sessionId,
    tools: toolsOf(parts),
    context: {
      cwd: config.cwd,
      roots: config.roots,
      files,
      documents,
      shell,
      search,
      digest,
      clock,
      readFileState,
      fileHistory: history,
      backgroundShells: parts.backgroundShells,
      permissionMode: session.permissionMode,
      setPermissionMode: session.setPermissionMode,
      setTodos: session.setTodos,
      model: session.model,
      startSubAgent: parts.startSubAgent,
      askUser: parts.askUser,
      languageServices: parts.languageServices,
      webFetcher: parts.webFetcher,
      askSmallModel: (question, signal) => askSmallModel({ client: parts.client, clock, cost, maxBudgetUsd: config.maxBudgetUsd }, { ...question, model: session.model() }, signal),
      encodings: parts.encodings,
      parentToolUseId: config.parentToolUseId,
    },
    permissionMode: session.permissionMode,
    permissionFacts: { dataRoot: environment.dataRoot, trusted: config.trusted },
    permissions: parts.permissions,
    canUseTool: config.canUseTool,
    clock,
    log: config.log,
    signal: session.signal,
    onDecision: (call, { behavior, by, reason, rule, remembered, hunks, isRebased }) => {
      parts.telemetry?.decided({ toolName: call.name, behavior, by });
      store.record({
        type: 'permission-decision',
        toolUseId: call.id,
        toolName: call.name,
        behavior,
        decidedBy: by,
        ...(reason && { reason }),
        ...(rule && { rule }),
        ...(remembered && { remembered }),
        ...(hunks && { hunks: hunks.map((hunk) => ({ ...hunk })) }),
        ...(isRebased && { rebased: true }),
      });
      if (behavior === 'deny') session.onDenied({ tool_name: call.name, tool_use_id: call.id, tool_input: call.input });
    },
    onRemembered: session.onRemembered,
    onDenied: session.onDenied,
    // A sub-agent's time is that of the call it works for.
    onDuration: (ms) => void (config.agentId === undefined && cost.addToolDuration(ms)),
  };
}
