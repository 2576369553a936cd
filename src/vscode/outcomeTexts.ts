import type { HunkVerdict } from '../protocol/fileChange.ts';

/** How the engine begins what it tells the model of a call that was not made, and what a person is told instead. */
const told: readonly (readonly [RegExp, string])[] = [
  [/^The user rejected this\. Nothing was changed\. They say: ([^]+)$/, 'You rejected this: $1'],
  [/^The user rejected this\.[^]*$/, 'You rejected this. Nothing was changed.'],
  [/^Not run: the user rejected an earlier call of the same message\.$/, 'Not done, because you rejected something before it in the same answer.'],
  [/^The user interrupted before this was decided or finished\.$/, 'Stopped before it was decided or finished.'],
  [/^Not decided: [^]*$/, 'Not decided: the session ended before, and went on with something else. Nothing was run or changed.'],
  [/^Plan mode: [^]*$/, 'Not done: in the mode Plan nothing is run and nothing is changed.'],
  [/^([^]+) Nothing was read, run or changed\. Go on without it, or ask the user\.$/, '$1 Nothing was read, run or changed.'],
  [/^The file changed while the proposal waited for the user\.[^]*$/, 'Out of date: the file changed while the proposal waited. Nothing was written, and the model is told to read it again.'],
  [/^This needs the user’s consent and nobody is there to give it\.[^]*$/, 'This needs somebody’s consent, and nobody was there to give it. Nothing was changed.'],
];

/** What failed or was refused, in words for the person whose session it is. What no rule is about stays as it is. Pure. */
export function toldToPeople(text: string): string {
  const found = told.find(([pattern]) => pattern.test(text));
  return found ? text.replace(found[0], found[1]) : text;
}

/** "2 of 3 changes accepted, 1 rejected: too early". Undefined where there is one change, and it was only edited. Pure. */
export function verdictsText(hunks: readonly HunkVerdict[]): string | undefined {
  const of = (verdict: HunkVerdict['verdict']): readonly HunkVerdict[] => hunks.filter((hunk) => hunk.verdict === verdict);
  const [accepted, edited, rejected] = [of('accepted'), of('edited'), of('rejected')];
  if (rejected.length === 0 && edited.length <= 1 && hunks.length === 1) return undefined;
  const reasons = [...new Set(hunks.flatMap(({ reason }) => reason ?? []))];
  const parts = [`${accepted.length} of ${hunks.length} changes accepted`, ...(edited.length > 0 ? [`${edited.length} edited by you`] : []), ...(rejected.length > 0 ? [`${rejected.length} rejected`] : [])];
  return parts.join(', ') + (reasons.length > 0 ? `: ${reasons.join('; ')}` : '');
}
