import * as vscode from 'vscode';
import type { Reviewed } from './hunkActions.ts';
import type { ShownHunk } from './hunkBook.ts';
import { reviewPlace } from './reviewPlace.ts';
import type { ReviewService } from './reviewService.ts';
import { shownHunks } from './shownHunks.ts';

type Direction = 1 | -1;

/** Where the user is: the right side that is being looked at, and the line of the cursor. */
export function cursorIn({ file }: Reviewed): { readonly editor: vscode.TextEditor; readonly line: number } | undefined {
  const isIt = (editor: vscode.TextEditor | undefined): boolean => editor?.document.uri.toString() === file.uri.toString();
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editor = isIt(activeTextEditor) ? activeTextEditor : visibleTextEditors.find(isIt);
  return editor && { editor, line: editor.selection.active.line };
}

/** Goes to the next hunk that is not decided; after the last one to the next file. */
export async function goToHunk(reviews: ReviewService, from: Reviewed, direction: Direction): Promise<void> {
  const at = cursorIn(from);
  const open = (await shownHunks(from.file)).filter(({ accepted }) => !accepted);
  const next = at && (direction === 1 ? open.find(({ newStart }) => newStart > at.line) : open.findLast(({ newStart, newCount }) => newStart + Math.max(newCount, 1) <= at.line));
  if (next) return putCursor(at.editor, next);
  if (!(await goToFile(reviews, from, direction)) && at && open.length > 0) putCursor(at.editor, open.at(direction === 1 ? 0 : -1)!);
}

/** Opens the next file that is not decided; false when there is none but this. */
export async function goToFile(reviews: ReviewService, { set, file }: Reviewed, direction: Direction): Promise<boolean> {
  const all = reviews.sets.flatMap((each) => each.files.map((other) => ({ set: each, file: other })));
  const at = all.findIndex((each) => each.set === set && each.file === file);
  const ordered = direction === 1 ? [...all.slice(at + 1), ...all.slice(0, at)] : [...all.slice(0, at).reverse(), ...all.slice(at + 1).reverse()];
  const next = ordered.find((each) => !each.file.decision);
  if (!next) return false;
  await next.file.show({ background: false, takeFocus: true, column: reviewPlace().column });
  const cursor = cursorIn(next);
  const hunk = (await shownHunks(next.file)).at(direction === 1 ? 0 : -1);
  if (cursor && hunk) putCursor(cursor.editor, hunk);
  return true;
}

function putCursor(editor: vscode.TextEditor, { newStart }: ShownHunk): void {
  const position = editor.document.validatePosition(new vscode.Position(newStart, 0));
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
