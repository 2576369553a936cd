import type { FileReview } from './fileReview.ts';
import type { ShownHunk } from './hunkBook.ts';
import type { ReviewService } from './reviewService.ts';
import type { ReviewSet } from './reviewSet.ts';
import { acceptHunk, rejectHunk, shownHunks } from './shownHunks.ts';

export interface Reviewed {
  readonly set: ReviewSet;
  readonly file: FileReview;
}

export interface HunkAnswer {
  readonly behavior: 'allow' | 'deny';
  readonly reason?: string | undefined;
}

/** Decides one hunk. With the last one the file is decided: accepted as it stands, or rejected when nothing of it is left. */
export async function settleHunk(reviews: ReviewService, { set, file }: Reviewed, hunk: ShownHunk, { behavior, reason }: HunkAnswer): Promise<void> {
  if (behavior === 'allow') acceptHunk(file, hunk);
  else await rejectHunk(file, hunk, reason);
  const left = await shownHunks(file);
  if (left.length === 0) await reviews.decide(set, file, { behavior: 'deny', reason: undefined });
  else if (left.every(({ accepted }) => accepted)) await reviews.decide(set, file, { behavior: 'allow' });
  else file.touch();
}
