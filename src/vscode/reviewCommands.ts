import * as vscode from 'vscode';
import type { ReviewService } from './review/reviewService.ts';

/** `uri` is the right side's, from the title bar; a key or the palette means the active tab. */
export async function answerProposal(reviews: ReviewService, behavior: 'allow' | 'deny', uri?: unknown): Promise<void> {
  const toolUseId = reviews.waitingFor(uri instanceof vscode.Uri ? uri : undefined);
  if (toolUseId !== undefined) await reviews.answer(toolUseId, behavior);
  else void vscode.window.showInformationMessage('No proposal is waiting here.');
}
