import type { PermissionDenial, PermissionMode } from '../../protocol/permissions.ts';
import type { ToolProgress } from '../../protocol/messages.ts';

/** explore = only looks; general-purpose = has the tools of the session. Neither starts sub-agents of its own. */
export const subAgentTypes = ['general-purpose', 'explore'] as const;
export type SubAgentType = (typeof subAgentTypes)[number];

export interface SubAgentRequest {
  readonly type: SubAgentType;
  /** A few words, for the user. */
  readonly description: string;
  readonly prompt: string;
  /** The call that it works for. */
  readonly toolUseId?: string | undefined;
  /** Of the session that asks. */
  readonly model: string;
  /** Of the session that asks, as it is at each moment. */
  readonly permissionMode: () => PermissionMode;
  readonly signal: AbortSignal;
}

export interface SubAgentOutcome {
  /** The last thing it said. */
  readonly text: string;
  /** Why it did not come to an end of its own. */
  readonly error?: string | undefined;
  /** What it was not allowed to do. */
  readonly denials: readonly PermissionDenial[];
}

/** Runs a sub-agent to its end. Yields what it does; rejects with an `aborted` error when it was interrupted. */
export type StartSubAgent = (request: SubAgentRequest) => AsyncGenerator<ToolProgress, SubAgentOutcome, void>;
