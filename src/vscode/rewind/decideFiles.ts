import * as vscode from 'vscode';
import type { RewindChoice, RewindFile } from '../../protocol/rewind.ts';
import { pickWithPreview } from './pickWithPreview.ts';
import { previewRewind } from './previewRewind.ts';
import type { Preview } from './previewRewind.ts';
import { decisionRows } from './rewindPicks.ts';
import type { Decision } from './rewindPicks.ts';

export type FileChoice = Required<Omit<RewindChoice, 'scope'>>;

/**
 * Asks for each file that others changed since the agent did what to do with it. undefined when the user left: then
 * nothing is to be done. `isSettled` names those that need no question.
 */
export async function decideFiles(preview: Preview, files: readonly RewindFile[], isSettled: (file: RewindFile) => boolean = () => false): Promise<FileChoice | undefined> {
  const open = files.filter((file) => file.changedSince && !isSettled(file));
  const decisions = new Map<RewindFile, Decision>();
  for (const [index, file] of open.entries()) {
    const decision = await askAbout(file, index + 1, { preview, count: open.length });
    if (decision === undefined) return undefined;
    decisions.set(file, decision);
  }
  const decided = (wanted: Decision): string[] => open.filter((file) => decisions.get(file) === wanted).map(({ path }) => path);
  // Where a merge has conflicts, its row says that they are marked in the file.
  return { merge: decided('merge'), writeConflicts: decided('merge'), overwrite: decided('overwrite'), skip: decided('skip') };
}

function askAbout(file: RewindFile, number: number, { preview, count }: { readonly preview: Preview; readonly count: number }): Promise<Decision | undefined> {
  const name = vscode.workspace.asRelativePath(file.path);
  return pickWithPreview({
    title: count > 1 ? `Changed Since: ${name} (${number} of ${count})` : `Changed Since: ${name}`,
    placeholder: 'You, or another program, changed this file since Turnstone did',
    rows: decisionRows(file).map(({ decision, label, detail }) => ({ label, detail, value: decision })),
    preview: (decision) => previewRewind(preview, decision === 'skip' ? [] : [file], () => (decision === 'merge' ? 'merge' : 'overwrite')),
  });
}
