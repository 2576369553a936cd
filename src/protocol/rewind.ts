import type { RewindScope } from './transcript.ts';

/** A user message that one can go back to, newest first in lists. */
export interface RewindTarget {
  readonly messageId: string;
  /** The start of what the user wrote. */
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Files that the agent's tools wrote in this turn. */
  readonly fileCount: number;
  /** Shell commands that ran in this turn. */
  readonly shellCommandCount: number;
}

/** What going back would do to one file. */
export interface RewindFile {
  /** Absolute. */
  readonly path: string;
  /** 'restore' = other bytes are written; 'recreate' = it is gone and comes back; 'delete' = the agent made it and it goes. */
  readonly action: 'restore' | 'recreate' | 'delete';
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** It is not as the agent left it: the user, a formatter or another program changed it since, or it has unsaved changes. */
  readonly changedSince: boolean;
}

export interface RewindPlan {
  readonly messageId: string;
  readonly files: readonly RewindFile[];
  /** What cannot be brought back, by name, with the reason. Said before anything is done. */
  readonly notCovered: readonly { readonly name: string; readonly reason: string }[];
  /** Messages of the conversation that would be cut off (they stay in the transcript). */
  readonly messagesRemoved: number;
}

export interface RewindChoice {
  readonly scope: RewindScope;
  /** Paths to leave as they are. A file with `changedSince` that is neither skipped nor listed in `overwrite` makes the rewind fail before anything is done. */
  readonly skip: readonly string[];
  readonly overwrite: readonly string[];
}

export interface RewindOutcome {
  readonly rewindId: string;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly skipped: readonly string[];
  /** Could not be written, with the reason; the rest was. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
  /** What the cut message said, to be put back into the composer. */
  readonly prompt: string;
}
