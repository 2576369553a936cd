import { diffArrays } from 'diff';
import { dominantLineEnding } from '../text/lineEndings.ts';

/** Beyond this, all lines between the common ends count as one change. Milliseconds. */
const diffTimeoutMs = 1_000;

export interface MergeSides {
  /** How the agent left it. */
  readonly base: string;
  /** What it is now: with what others changed since. */
  readonly present: string;
  /** What it was before the agent. */
  readonly target: string;
  /** What the marker lines around a conflict call the two. Default: "now" and "then". */
  readonly labels?: { readonly present: string; readonly target: string } | undefined;
}

/** Lines that both sides changed, each in its own way. Numbers from 1, as the text is now; a count of 0 stands before that line. */
export interface MergeConflict {
  readonly firstLine: number;
  readonly lineCount: number;
}

export interface MergedText {
  /** With conflicts, it has the two versions between marker lines. */
  readonly text: string;
  readonly conflicts: readonly MergeConflict[];
}

/** One stretch of `base` that a side replaced, in line indexes. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Takes back what the agent changed and keeps what others changed since: `target` with the changes that lead from `base`
 * to `present`. Changes that touch each other are conflicts unless both sides say the same. Every line is taken as it
 * is, with its line end, from one of the three texts.
 */
export function mergeUserChanges({ base, present, target, labels = thenAndNow }: MergeSides): MergedText {
  const lines = linesOf(base);
  const mine = changesBetween(lines, linesOf(present));
  const theirs = changesBetween(lines, linesOf(target));
  const parts: string[] = [];
  const add = (taken: readonly string[]): void => void parts.push(taken.join(''));
  const conflicts: MergeConflict[] = [];
  const ending = dominantLineEnding(present) ?? dominantLineEnding(target) ?? '\n';
  /** Where we are in `base`, and how many lines further the present text is. */
  let at = 0;
  let shift = 0;
  while (mine.length > 0 || theirs.length > 0) {
    const group = takeGroup(mine, theirs);
    const now = sideOf(group.mine, group, lines);
    const then = sideOf(group.theirs, group, lines);
    add(lines.slice(at, group.start));
    if (group.mine.length === 0) add(then);
    else if (group.theirs.length === 0) add(now);
    else {
      const { before, ours, others, after } = trimCommon(now, then);
      add(before);
      if (ours.length + others.length > 0) {
        conflicts.push({ firstLine: group.start + shift + before.length + 1, lineCount: ours.length });
        add(marked(ours, others, labels, ending));
      }
      add(after);
    }
    at = group.end;
    shift += now.length - (group.end - group.start);
  }
  add(lines.slice(at));
  return { text: parts.join(''), conflicts };
}

/** Lines with their line ends; '' is none. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

export function changesBetween(from: readonly string[], to: readonly string[]): Change[] {
  const parts = diffArrays(from as string[], to as string[], { timeout: diffTimeoutMs });
  if (!parts) return [betweenCommonEnds(from, to)];
  const changes: { start: number; end: number; lines: readonly string[] }[] = [];
  let open: (typeof changes)[number] | undefined;
  let at = 0;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      open = undefined;
      at += value.length;
      continue;
    }
    if (!open) changes.push((open = { start: at, end: at, lines: [] }));
    if (added) open.lines = value;
    else open.end = at += value.length;
  }
  return changes;
}

function betweenCommonEnds(from: readonly string[], to: readonly string[]): Change {
  const { before, ours, others } = trimCommon(from, to);
  return { start: before.length, end: before.length + ours.length, lines: others };
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly mine: readonly Change[];
  readonly theirs: readonly Change[];
}

/** The next change and all that overlap or touch it, of both sides; they are taken out of the lists, one of which has some. */
function takeGroup(mine: Change[], theirs: Change[]): Group {
  const first = (theirs[0]?.start ?? Infinity) < (mine[0]?.start ?? Infinity) ? theirs[0]! : mine[0]!;
  const group = { start: first.start, end: first.end, mine: [] as Change[], theirs: [] as Change[] };
  const take = (from: Change[], into: Change[]): boolean => {
    if (!from[0] || from[0].start > group.end) return false;
    group.end = Math.max(group.end, from[0].end);
    into.push(from.shift()!);
    return true;
  };
  while (take(mine, group.mine) || take(theirs, group.theirs));
  return group;
}

/** What one side makes of the lines of a group. */
function sideOf(changes: readonly Change[], { start, end }: Group, base: readonly string[]): readonly string[] {
  let at = start;
  const stretches = changes.map((change) => {
    const kept = base.slice(at, change.start);
    at = change.end;
    return kept.concat(change.lines);
  });
  return stretches.flat().concat(base.slice(at, end));
}

function trimCommon(ours: readonly string[], others: readonly string[]) {
  const shorter = Math.min(ours.length, others.length);
  let start = 0;
  while (start < shorter && ours[start] === others[start]) start++;
  let end = 0;
  while (end < shorter - start && ours.at(-1 - end) === others.at(-1 - end)) end++;
  return {
    before: ours.slice(0, start),
    ours: ours.slice(start, ours.length - end),
    others: others.slice(start, others.length - end),
    after: ours.slice(ours.length - end),
  };
}

const thenAndNow = { present: 'now', target: 'then' };

function marked(ours: readonly string[], others: readonly string[], { present, target }: NonNullable<MergeSides['labels']>, ending: string): string[] {
  return [`<<<<<<< ${present}${ending}`, ...closed(ours, ending), `=======${ending}`, ...closed(others, ending), `>>>>>>> ${target}${ending}`];
}

/** A marker must not be glued to a last line without line end. */
function closed(lines: readonly string[], ending: string): string[] {
  const last = lines.at(-1);
  return last === undefined || last.endsWith('\n') ? [...lines] : [...lines.slice(0, -1), last + ending];
}
