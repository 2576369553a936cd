import type { HunkVerdict, Proposal } from '../../protocol/fileChange.ts';
import { mergeUserChanges } from '../fileHistory/mergeUserChanges.ts';

/** One edit of a file that the user has decided, among those of the same answer. */
export interface DecidedEdit {
  readonly proposal: Proposal;
  /** What the user accepted, undefined when it was refused. */
  readonly accepted: string | undefined;
  /** What `accepted` was made from, where that is not `proposal`: it was merged onto a file that had changed, or stands for all edits of the file. */
  readonly rebased?: Proposal | undefined;
}

/** Texts of one write. `from` is undefined for a file that is not there; `proposed` is what would be written if the user had changed nothing. */
export interface AcceptedWrite {
  readonly from: string | undefined;
  readonly proposed: string;
  readonly to: string;
  /** Another edit of the same answer has written the file before, or a command of it has run: it is merged onto what they made of it. */
  readonly follows?: boolean | undefined;
  /** What the user decided about each hunk, where that is more than "as proposed". */
  readonly hunks?: readonly HunkVerdict[] | undefined;
}

export type WriteStep =
  | ({ readonly kind: 'write' } & AcceptedWrite)
  /** Nothing is left to do: what was accepted is contained in what another edit of the file leaves. */
  | { readonly kind: 'contained' }
  /** It was made on top of an edit that was refused or changed, and does not fit what is there without it. */
  | { readonly kind: 'unfit' }
  | { readonly kind: 'refused' };

/**
 * What is written for the edits of one file, in the order in which they were proposed, each on what the one before
 * left. An edit whose forerunner was refused or changed by the user is merged, and left out where that conflicts.
 */
export function planWrites(edits: readonly DecidedEdit[]): WriteStep[] {
  const start = (edits.find(({ rebased }) => rebased)?.rebased ?? edits[0]?.proposal)?.before;
  let now = start;
  let follows = false;
  return edits.map(({ proposal, accepted, rebased }, index): WriteStep => {
    if (accepted === undefined) return { kind: 'refused' };
    const whole = rebased ?? (proposal.before === now ? proposal : undefined);
    const write = whole ? { proposed: whole.after, to: accepted } : merged(proposal, accepted, now);
    if (!write) return { kind: edits.slice(index + 1).some((later) => later.rebased && later.accepted !== undefined) ? 'contained' : 'unfit' };
    if (write.to === now) return { kind: 'contained' };
    const step = { kind: 'write', from: now, ...write, ...(follows && { follows }) } as const;
    now = write.to;
    follows = true;
    return step;
  });
}

/** Undefined where both changed the same lines. */
function merged({ before = '', after }: Proposal, accepted: string, now = ''): { readonly proposed: string; readonly to: string } | undefined {
  const to = mergeUserChanges({ base: before, present: now, target: accepted });
  if (to.conflicts.length > 0) return undefined;
  const proposed = mergeUserChanges({ base: before, present: now, target: after });
  return { proposed: proposed.conflicts.length > 0 ? after : proposed.text, to: to.text };
}
