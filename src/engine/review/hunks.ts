import type { HunkVerdict } from '../../protocol/fileChange.ts';
import { changesBetween, linesOf } from '../fileHistory/mergeUserChanges.ts';
import type { Change } from '../fileHistory/mergeUserChanges.ts';

/** Lines of one text that stand in place of lines of another. Indexes from 0; a count of 0 stands before that line. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Where two texts differ, line by line, from top to bottom. A line end counts like any other character. */
export function hunksBetween(before: string, after: string): Hunk[] {
  return before === after ? [] : withNewLines(changesBetween(linesOf(before), linesOf(after)));
}

/** `after` with one of its hunks taken back. */
export function revertHunk(before: string, after: string, { oldStart, oldCount, newStart, newCount }: Hunk): string {
  const lines = linesOf(after);
  return [...lines.slice(0, newStart), ...linesOf(before).slice(oldStart, oldStart + oldCount), ...lines.slice(newStart + newCount)].join('');
}

/** What became of each hunk of a proposal in the text that was accepted in its place, in the order of {@link hunksBetween}. */
export function hunkVerdicts(before: string, proposed: string, accepted: string): HunkVerdict['verdict'][] {
  const lines = linesOf(before);
  const wanted = changesBetween(lines, linesOf(proposed));
  if (proposed === accepted) return wanted.map(() => 'accepted');
  const made = before === accepted ? [] : changesBetween(lines, linesOf(accepted));
  return wanted.map((hunk) => {
    if (made.some((change) => isSame(hunk, change))) return 'accepted';
    return made.some(({ start, end }) => start <= hunk.end && end >= hunk.start) ? 'edited' : 'rejected';
  });
}

function withNewLines(changes: readonly Change[]): Hunk[] {
  let shift = 0;
  return changes.map(({ start, end, lines }) => {
    const hunk = { oldStart: start, oldCount: end - start, newStart: start + shift, newCount: lines.length };
    shift += lines.length - (end - start);
    return hunk;
  });
}

function isSame(one: Change, other: Change): boolean {
  return one.start === other.start && one.end === other.end && one.lines.join('') === other.lines.join('');
}
