import { deferred } from '../base/deferred.ts';
import type { Deferred } from '../base/deferred.ts';
import type { PermissionDenial, PermissionMode } from '../protocol/permissions.ts';
import type { Effort, ThinkingChoice } from '../protocol/reasoning.ts';
import type { SessionError } from './errorRing.ts';
import { resolveModel } from './model/modelCatalog.ts';

/** What lives for one turn. */
export interface Turn {
  readonly controller: AbortController;
  readonly startedAt: number;
  readonly apiMsBefore: number;
  readonly watermark: SessionError | undefined;
  readonly permissionDenials: PermissionDenial[];
  readonly progressLength: Map<string, number>;
  /** Settles when the usage of the message that streams now is final; its lines wait for it. */
  messageSettled: Deferred<void>;
  /** Chosen by a command for its own turn. */
  model?: string | undefined;
  allowedTools: readonly string[];
}

export function newTurn(start: Pick<Turn, 'startedAt' | 'apiMsBefore' | 'watermark'>): Turn {
  return { ...start, controller: new AbortController(), permissionDenials: [], progressLength: new Map(), messageSettled: deferred(), allowedTools: [] };
}

/** What a custom command chooses for its own turn. */
export function applyCommand({ model, allowedTools }: { readonly model?: string | undefined; readonly allowedTools: readonly string[] }, turn: Turn): void {
  turn.model = model && resolveModel(model);
  turn.allowedTools = allowedTools;
}

/** What the user has chosen for a session; it survives a resume. */
export interface SessionChoices {
  model: string;
  permissionMode: PermissionMode;
  /** undefined: left to the model. */
  thinking: ThinkingChoice | undefined;
  effort: Effort | undefined;
  /** What the user calls it; undefined: it goes by its own title. */
  customTitle: string | undefined;
  pinned: boolean | undefined;
}
