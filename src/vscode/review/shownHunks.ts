import { loadSdk } from '../loadSdk.ts';
import type { FileReview } from './fileReview.ts';
import type { ShownHunk } from './hunkBook.ts';

interface Looked {
  readonly left: string;
  readonly right: string;
  readonly hunks: Awaited<ReturnType<typeof compare>>;
}

/** The last comparison of each file: it is asked for on every key. */
const looked = new WeakMap<FileReview, Looked>();

/** Where left and right differ now, by lines as an editor counts them. */
export async function shownHunks(file: FileReview): Promise<readonly ShownHunk[]> {
  const { hunks } = await look(file);
  return hunks.map((hunk) => ({ ...hunk, accepted: file.hunks.isAccepted(hunk.key) }));
}

/** Accepts a hunk: it is marked, and counts as decided as long as it stays as it is. */
export function acceptHunk(file: FileReview, { key }: ShownHunk): void {
  file.hunks.accept(key);
}

/** Rejects a hunk: the right side has there what the left side has. Can be undone in the editor. */
export async function rejectHunk(file: FileReview, hunk: ShownHunk, reason: string | undefined): Promise<void> {
  const { revertHunk } = await loadSdk();
  const { left, right } = await look(file);
  file.hunks.reject(hunk, reason);
  await file.right.edit(revertHunk(left, right, hunk));
}

/** The hunk at a line of the right side, or right beside it. */
export function hunkAt(hunks: readonly ShownHunk[], line: number): ShownHunk | undefined {
  const touches = ({ newStart, newCount }: ShownHunk): boolean => line >= newStart - (newCount === 0 ? 1 : 0) && line < newStart + Math.max(newCount, 1);
  return hunks.find(touches);
}

async function look(file: FileReview): Promise<Looked> {
  const left = plain(file.leftText);
  const right = plain(await file.right.text());
  const last = looked.get(file);
  if (last?.left === left && last.right === right) return last;
  const fresh = { left, right, hunks: await compare(left, right) };
  looked.set(file, fresh);
  return fresh;
}

async function compare(left: string, right: string) {
  const { hunksBetween } = await loadSdk();
  const [old, now] = [left.split('\n'), right.split('\n')];
  return hunksBetween(left, right).map((hunk) => {
    const { oldStart, oldCount, newStart, newCount } = hunk;
    return { ...hunk, key: `${oldStart}+${oldCount}→${newCount}:${fingerprint([...old.slice(oldStart, oldStart + oldCount), ...now.slice(newStart, newStart + newCount)].join('\n'))}` };
  });
}

/** Editors know one kind of line end, and count a lone carriage return as one. */
function plain(text: string): string {
  return text.replace(/\r\n|\r/g, '\n');
}

/** FNV-1a, 32 bits: short enough to travel, and nobody gains by a collision. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}
