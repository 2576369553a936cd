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
  /** Lines that its edits added and removed, as far as the conversation still tells. */
  readonly linesAdded?: number | undefined;
  readonly linesRemoved?: number | undefined;
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
  /**
   * The longest of the commands that changed it while nothing told what the user did: it may also hold changes of the
   * user. `ranMs`: milliseconds.
   */
  readonly unwatched?: { readonly command: string; readonly ranMs: number } | undefined;
  /** What keeping the later changes would mean; undefined when there are none, or when they can't be kept. */
  readonly merge?: { readonly conflicts: readonly MergeConflict[] } | undefined;
}

/**
 * Lines that the agent and somebody else changed, each in its own way. Numbers from 1, in the file as it is now; a count
 * of 0 stands before that line.
 */
export interface MergeConflict {
  readonly firstLine: number;
  readonly lineCount: number;
}

export interface RewindPlan {
  readonly messageId: string;
  readonly files: readonly RewindFile[];
  /** What cannot be brought back, by name, with the reason. Said before anything is done. */
  readonly notCovered: readonly { readonly name: string; readonly reason: string }[];
  /** Commands that ran beside those whose changes these are: some of the changes may be theirs. */
  readonly besideCommands?: readonly string[] | undefined;
  /** Messages of the conversation that would be cut off (they stay in the transcript). */
  readonly messagesRemoved: number;
}

export interface RewindChoice {
  readonly scope: RewindScope;
  /** Paths to leave as they are. A file with `changedSince` that is neither skipped nor listed in `overwrite` makes the rewind fail before anything is done. */
  readonly skip: readonly string[];
  readonly overwrite: readonly string[];
  /** Paths where the later changes are kept, on top of what the file goes back to. One with conflicts fails like an undecided one unless it is in `writeConflicts` too. */
  readonly merge?: readonly string[] | undefined;
  /** Of `merge`: where both versions of conflicting lines may be written into the file, between marker lines. */
  readonly writeConflicts?: readonly string[] | undefined;
}

/** Which of the agent's changes to take back: those that fit all that is given. */
export interface UndoSelection {
  /** All changes of the turn of this user message. */
  readonly messageId?: string | undefined;
  /** All changes of this tool call. */
  readonly toolUseId?: string | undefined;
  /** Absolute. All changes of this file. */
  readonly path?: string | undefined;
}

/** What one tool call did to files. */
export interface AgentChange {
  readonly messageId: string;
  /** Undefined in sessions from before it was written down. */
  readonly toolUseId?: string | undefined;
  /** Absolute. */
  readonly paths: readonly string[];
  /** All of it was taken back, and stayed so. */
  readonly isUndone: boolean;
  /** It was the last thing that was taken back, and that can be taken back itself. */
  readonly canRedo?: boolean | undefined;
}

/** A way back that can be looked at before it is taken. */
export type WayBack =
  | { readonly kind: 'rewind'; readonly messageId: string }
  | { readonly kind: 'undo'; readonly selection: UndoSelection }
  | { readonly kind: 'undoRewind' }
  | { readonly kind: 'redoRewind' };

export interface RewindOutcome {
  readonly rewindId: string;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly skipped: readonly string[];
  /** Of `restored`: where later changes were kept. */
  readonly merged: readonly string[];
  /** Of `merged`: where marker lines were written, for the user to decide. */
  readonly withConflicts: readonly string[];
  /** Could not be written, with the reason; the rest was. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
  /** What the message said that was cut off, for the composer; of an undone rewind, what was there for it and is sent again now. */
  readonly prompt: string;
}
