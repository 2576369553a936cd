import * as vscode from 'vscode';
import type { ApprovalView, HunkView, ProposedFileView } from '../../protocol/chatView.ts';
import type { FileReview, ReviewState } from './fileReview.ts';
import type { ShownHunk } from './hunkBook.ts';
import type { ReviewSet } from './reviewSet.ts';
import { shownHunks } from './shownHunks.ts';

/** UTF-16 units of changed lines shown in one card: it has to fit into one post to the panel. */
const maxDiffLength = 24_000;
/** Of one hunk, in lines. */
const maxHunkLines = 80;
const contextLines = 2;

const notes: Readonly<Record<ReviewState, string | undefined>> = {
  current: undefined,
  rebased: 'The file has changed meanwhile; the proposal was merged onto it.',
  conflict: 'Both changed the same lines. Resolve them on the right side of the diff, then accept.',
  gone: 'Out of date: the file is gone or can no longer be merged. Accepting writes nothing; the model reads it again.',
};

/** The card for a set of proposals. */
export async function changeSetView(set: ReviewSet): Promise<ApprovalView> {
  const [first] = set.files;
  const isSingle = set.files.length === 1;
  const files: ProposedFileView[] = [];
  let room = maxDiffLength;
  for (const file of set.files) {
    const view = await fileView(file, room);
    room -= view.hunks.reduce((sum, { diff }) => sum + diff.length, 0);
    files.push(view);
  }
  const title = isSingle && first ? `${first.isNew ? 'Create' : 'Edit'} ${shownPath(first)}` : `Change ${set.files.length} files`;
  return { id: set.id, kind: 'edit', title, detail: files.map(({ path }) => path).join(', '), reason: set.reason, files, calls: set.calls };
}

async function fileView(file: FileReview, room: number): Promise<ProposedFileView> {
  const hunks = await shownHunks(file);
  const lines = { old: file.leftText.split(/\r\n|\r|\n/), now: (await file.right.text()).split(/\r\n|\r|\n/) };
  let left = room;
  const views = hunks.map((hunk): HunkView => {
    const diff = left > 0 ? hunkDiff(hunk, lines) : '';
    left -= diff.length;
    return { key: hunk.key, accepted: hunk.accepted, diff: left >= 0 ? diff : '' };
  });
  const count = (side: 'oldCount' | 'newCount'): number => hunks.reduce((sum, hunk) => sum + hunk[side], 0);
  return { path: shownPath(file), isNew: file.isNew, state: file.state, note: notes[file.state], decision: file.decision?.behavior, linesAdded: count('newCount'), linesRemoved: count('oldCount'), hunks: views };
}

function hunkDiff({ oldStart, oldCount, newStart, newCount }: ShownHunk, { old, now }: { readonly old: readonly string[]; readonly now: readonly string[] }): string {
  const before = now.slice(Math.max(0, newStart - contextLines), newStart);
  // What follows the last line end is no line.
  const after = now.slice(newStart + newCount, newStart + newCount + contextLines).filter((line, index) => line !== '' || newStart + newCount + index < now.length - 1);
  const changed = [...old.slice(oldStart, oldStart + oldCount).map((line) => `-${line}`), ...now.slice(newStart, newStart + newCount).map((line) => `+${line}`)];
  const shown = changed.slice(0, maxHunkLines).map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line));
  const more = changed.length > shown.length ? [` … ${changed.length - shown.length} more lines in the diff editor`] : [];
  const header = `@@ -${oldStart + 1 - before.length},${oldCount + before.length + after.length} +${newStart + 1 - before.length},${newCount + before.length + after.length} @@`;
  return [header, ...before.map((line) => ` ${line}`), ...shown, ...more, ...after.map((line) => ` ${line}`)].join('\n');
}

function shownPath(file: FileReview): string {
  return vscode.workspace.asRelativePath(file.path);
}
