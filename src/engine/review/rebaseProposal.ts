import type { Proposal, RebasedProposal } from '../../protocol/fileChange.ts';
import { mergeUserChanges } from '../fileHistory/mergeUserChanges.ts';

/**
 * A proposal on what its file holds now: what others changed since stays, and what is proposed is made in it. `right` is
 * the right side as the user left it. Where both changed the same lines, these stand between marker lines, for the user
 * to decide.
 */
export function rebaseProposal(proposal: Proposal, right: string, now: string | undefined): RebasedProposal {
  const { before } = proposal;
  if (now === before) return { kind: 'current', proposal: { ...proposal, after: right } };
  if (now === undefined) return { kind: 'gone', proposal };
  const { text, conflicts } = mergeUserChanges({ base: before ?? '', present: now, target: right, labels: { present: 'now', target: 'proposed' } });
  return { kind: conflicts.length > 0 ? 'conflict' : 'rebased', proposal: { ...proposal, before: now, after: text } };
}
