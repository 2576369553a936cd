import * as vscode from 'vscode';
import { settleHunk } from './hunkActions.ts';
import type { HunkAnswer, Reviewed } from './hunkActions.ts';
import { cursorIn, goToFile, goToHunk } from './hunkNavigation.ts';
import type { ReviewService } from './reviewService.ts';
import { hunkAt, shownHunks } from './shownHunks.ts';

type Commands = { readonly [name: string]: (argument?: unknown) => unknown };

/** Every command of a review. The argument is the right side's uri (title bar), a place in it (line numbers, CodeLens), or nothing (keys, palette). */
export function reviewCommands(reviews: ReviewService): Commands {
  const decide = (behavior: 'allow' | 'deny') => (argument: unknown) => here(reviews, argument, (reviewed) => decideFile(reviews, reviewed, { behavior }));
  const decideAll = (behavior: 'allow' | 'deny') => (argument: unknown) => here(reviews, argument, async ({ set }) => void (await reviews.answer(set.id, behavior)));
  const hunk = (behavior: 'allow' | 'deny', isExplained = false) => (argument: unknown) => here(reviews, argument, (reviewed) => decideHunk(reviews, reviewed, argument, { behavior, isExplained }));
  return {
    acceptProposal: decide('allow'),
    rejectProposal: decide('deny'),
    rejectProposalWithReason: (argument) =>
      here(reviews, argument, async (reviewed) => {
        const reason = await askReason();
        if (reason !== undefined) await decideFile(reviews, reviewed, { behavior: 'deny', reason });
      }),
    acceptAllProposals: decideAll('allow'),
    rejectAllProposals: decideAll('deny'),
    acceptHunk: hunk('allow'),
    rejectHunk: hunk('deny'),
    rejectHunkWithReason: hunk('deny', true),
    nextHunk: (argument) => here(reviews, argument, (reviewed) => goToHunk(reviews, reviewed, 1)),
    previousHunk: (argument) => here(reviews, argument, (reviewed) => goToHunk(reviews, reviewed, -1)),
    nextProposal: (argument) => here(reviews, argument, (reviewed) => goToFile(reviews, reviewed, 1)),
    previousProposal: (argument) => here(reviews, argument, (reviewed) => goToFile(reviews, reviewed, -1)),
    showAllProposals: (argument) => here(reviews, argument, ({ set }) => reviews.openDiff(set.id)),
  };
}

async function here(reviews: ReviewService, argument: unknown, act: (reviewed: Reviewed) => unknown): Promise<void> {
  const uri = placeOf(argument).uri;
  const reviewed = reviews.find(uri);
  if (!reviewed) void vscode.window.showInformationMessage('No proposal is waiting here.');
  // A click says what it means; a key may have been meant for what was there a moment ago.
  else if (uri !== undefined || reviews.hearsKeys(reviewed.set)) {
    reviewed.set.isDecidedInEditor = true;
    await act(reviewed);
  }
}

/** The next file comes to where the user has just decided this one. */
async function decideFile(reviews: ReviewService, reviewed: Reviewed, answer: HunkAnswer): Promise<void> {
  const { behavior, reason } = answer;
  const isDecided = await reviews.decide(reviewed.set, reviewed.file, behavior === 'deny' ? { behavior, reason } : { behavior });
  if (isDecided && reviewed.set.undecided.length > 0) await goToFile(reviews, reviewed, 1);
}

async function decideHunk(reviews: ReviewService, reviewed: Reviewed, argument: unknown, { behavior, isExplained }: { readonly behavior: 'allow' | 'deny'; readonly isExplained: boolean }): Promise<void> {
  const line = placeOf(argument).line ?? cursorIn(reviewed)?.line;
  const hunk = line === undefined ? undefined : hunkAt(await shownHunks(reviewed.file), line);
  if (!hunk) {
    vscode.window.setStatusBarMessage('$(info) There is no proposed change at the cursor', 4_000);
    return;
  }
  const reason = isExplained ? await askReason() : undefined;
  if (isExplained && reason === undefined) return;
  await settleHunk(reviews, reviewed, hunk, { behavior, reason });
  if (!reviewed.file.decision) await goToHunk(reviews, reviewed, 1);
  else if (reviewed.set.undecided.length > 0) await goToFile(reviews, reviewed, 1);
}

/** Undefined when the user thought better of it. */
function askReason(): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title: 'Reject', prompt: 'What should be different? Sent to the model; may be left empty.' });
}

function placeOf(argument: unknown): { readonly uri?: vscode.Uri | undefined; readonly line?: number | undefined } {
  if (argument instanceof vscode.Uri) return { uri: argument };
  if (typeof argument !== 'object' || argument === null) return {};
  const { uri, lineNumber } = argument as { uri?: unknown; lineNumber?: unknown };
  return { ...(uri instanceof vscode.Uri && { uri }), ...(typeof lineNumber === 'number' && { line: lineNumber - 1 }) };
}
