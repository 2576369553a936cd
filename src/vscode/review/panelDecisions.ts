import type { PanelToHost } from '../../protocol/chatView.ts';
import { settleHunk } from './hunkActions.ts';
import type { ReviewService } from './reviewService.ts';
import { shownHunks } from './shownHunks.ts';

type Of<Type extends PanelToHost['type']> = Extract<PanelToHost, { type: Type }>;

/** What the card decides about one file of a set. What no longer waits is passed over. */
export async function decideFile(reviews: ReviewService, { id, file: index, behavior, reason }: Of<'file-answer'>): Promise<void> {
  const set = reviews.sets.find((each) => each.id === id);
  const file = set?.files[index];
  if (!set || !file) return;
  await reviews.decide(set, file, behavior === 'undo' ? undefined : behavior === 'deny' ? { behavior, reason } : { behavior });
}

export async function decideHunk(reviews: ReviewService, { id, file: index, hunk: key, behavior, reason }: Of<'hunk-answer'>): Promise<void> {
  const set = reviews.sets.find((each) => each.id === id);
  const file = set?.files[index];
  const hunk = file && (await shownHunks(file)).find((each) => each.key === key);
  if (set && file && hunk) await settleHunk(reviews, { set, file }, hunk, { behavior, reason });
}
