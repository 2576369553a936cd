import * as z from 'zod';
import type { HunkVerdict, Proposal, RebasedProposal } from './fileChange.ts';
import type { RememberedRule } from './permissionRules.ts';

/** default = ask before edits and commands; acceptEdits = edits inside the workspace go through; plan = nothing is changed; bypassPermissions = nothing is asked. */
export const permissionModeSchema = z.enum(['default', 'acceptEdits', 'plan', 'bypassPermissions']);
export type PermissionMode = z.infer<typeof permissionModeSchema>;

/** What a tool wants to do, put to the user. */
export interface PermissionRequest {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: { readonly [field: string]: unknown };
  /** Every path it touches, absolute, links resolved. */
  readonly paths?: readonly string[] | undefined;
  /** One line for the card: "Run a command", "Edit src/cart.ts". */
  readonly title: string;
  /** Why it must be asked, where that is not plain: "outside the workspace". */
  readonly reason?: string | undefined;
  /** Set for edits: shown in a diff editor, editable. */
  readonly proposal?: Proposal | undefined;
  /**
   * Set for a proposal: what it comes to now, given what was shown of it last and the right side as the user left it.
   * Rejects when the file can't be read. Changes nothing.
   */
  readonly rebase?: ((shown: Proposal, right?: string) => Promise<RebasedProposal>) | undefined;
  /** Set when an answer has several proposals: they are asked about at once, and nothing is written before all are decided. */
  readonly changeSet?: ChangeSetPlace | undefined;
  /** A rule that would allow the same next time: to be shown, and changed, before it is kept. */
  readonly suggestedRule?: string | undefined;
}

/** Which one of a set of proposals this is. */
export interface ChangeSetPlace {
  readonly id: string;
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** The right side as the user left it; without it the proposal is taken as it was. */
      readonly finalText?: string | undefined;
      /**
       * The proposal that was shown, where that was another one: merged onto a file that had changed, or all proposals of
       * the answer for this file as one.
       */
      readonly rebased?: Proposal | undefined;
      /** What the user said about single hunks, by their number in the proposal that was shown, from 0. */
      readonly hunkReasons?: readonly { readonly hunk: number; readonly reason: string }[] | undefined;
      readonly rememberRule?: RememberedRule | undefined;
      /** False: nobody was asked, because a custom command lists what its turn may run. */
      readonly byUser?: boolean | undefined;
    }
  /**
   * `reason` is what the user typed, for the model. `byUser` is false when nobody was asked, because nobody is there or
   * a rule has decided: the model then hears the reason and no word of a user, and later calls are not held back.
   */
  | { readonly behavior: 'deny'; readonly reason?: string | undefined; readonly byUser?: boolean | undefined }
  /** The proposal no longer fits the file: nothing was decided, the model has to read again. */
  | { readonly behavior: 'outdated' };

/** Called by the engine, answered by the host. Rejects with an `aborted` error when the turn is interrupted. */
export type CanUseTool = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Who decided about a call. host = a program, where nobody could be asked; command = the list of a custom command. */
export type Decider = 'user' | 'rule' | 'mode' | 'trust' | 'command' | 'host' | 'engine';

/** What was decided about a call, for the transcript. */
export interface PermissionDecision {
  readonly behavior: PermissionAnswer['behavior'];
  readonly by: Decider;
  /** Of a refusal. */
  readonly reason?: string | undefined;
  /** The rule that allowed it, and where it stands. */
  readonly rule?: string | undefined;
  /** The rule that was to be kept beside the answer. */
  readonly remembered?: RememberedRule | undefined;
  /** What became of each part of an edit that was not taken as proposed. */
  readonly hunks?: readonly HunkVerdict[] | undefined;
  /** What was accepted is a proposal merged onto a file that had changed. */
  readonly isRebased?: boolean | undefined;
}

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: { readonly [field: string]: unknown };
}
