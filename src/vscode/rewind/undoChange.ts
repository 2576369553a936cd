import * as vscode from 'vscode';
import type { RewindPlan, UndoSelection } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import { loadSdk } from '../loadSdk.ts';
import { changeRows } from './changeRows.ts';
import { decideFiles } from './decideFiles.ts';
import { pickWithPreview } from './pickWithPreview.ts';
import type { PreviewRow } from './pickWithPreview.ts';
import { previewRewind } from './previewRewind.ts';
import type { Preview } from './previewRewind.ts';
import { closePreviews } from './previewTabs.ts';
import { idleSession, report, shortName } from './rewindCommand.ts';
import type { RewindParts } from './rewindCommand.ts';
import { fileChange, reservations } from './rewindPicks.ts';

/** Takes back one message's, one call's or one file's changes and keeps what came after. `selection` skips the first question. */
export async function undoChange({ service, documents }: RewindParts, selection?: UndoSelection): Promise<void> {
  const session = await idleSession(service);
  if (!session) return;
  try {
    const selected = selection ?? (await pickSelection(session, (way) => ({ session, documents, way: { kind: 'undo', selection: way } })));
    if (!selected) return;
    const plan = await session.planUndo(selected);
    const { files, notCovered } = plan;
    const preview: Preview = { session, documents, way: { kind: 'undo', selection: selected } };
    if (files.length === 0) {
      const why = notCovered.map(({ name, reason }) => `${shortName(name)}: ${reason}`).join('; ');
      void vscode.window.showInformationMessage(why ? `It can't be undone: ${why}.` : 'Nothing is left of that change.');
      return;
    }
    // Chosen in a list that showed it, it needs no second question.
    if (selection && !(await confirm(preview, plan))) return;
    const choice = await decideFiles(preview, files, (file) => file.merge?.conflicts.length === 0);
    if (!choice) return;
    report('Undone', await session.undo(selected, choice));
    await service.showAgain('');
  } finally {
    await closePreviews();
  }
}

/** What a card, a message or a menu hands over. */
export function selectionFrom(argument: unknown): UndoSelection | undefined {
  if (argument instanceof vscode.Uri) return argument.scheme === 'file' ? { path: argument.fsPath } : undefined;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const fields = Object.entries(argument).filter(([name, value]) => ['messageId', 'toolUseId', 'path'].includes(name) && typeof value === 'string');
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

async function pickSelection(session: Session, previewOf: (selection: UndoSelection) => Preview): Promise<UndoSelection | undefined> {
  const { describeTool } = await loadSdk();
  const open = vscode.window.activeTextEditor?.document.uri;
  const rows: PreviewRow<UndoSelection>[] = changeRows(session, { describe: describeTool, openFile: open?.scheme === 'file' ? open.fsPath : undefined, name: shortName }).map((row) => ({
    ...row,
    kind: row.isHeading ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
  }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('There is nothing to undo: Turnstone has changed no file in this session.');
    return undefined;
  }
  return pickWithPreview({
    title: 'Undo This Change',
    placeholder: 'Later changes are kept where they do not overlap',
    rows,
    preview: async (selection) => previewRewind(previewOf(selection), (await session.planUndo(selection)).files),
  });
}

async function confirm(preview: Preview, plan: Pick<RewindPlan, 'files' | 'notCovered' | 'besideCommands'>): Promise<boolean> {
  const { files } = plan;
  const detail = files.map((file) => fileChange(file, shortName)).join(', ') + reservations(plan, shortName);
  const answer = await pickWithPreview({
    title: 'Undo This Change?',
    placeholder: 'Later changes are kept where they do not overlap',
    rows: [{ label: 'Undo', detail, value: true }],
    preview: () => previewRewind(preview, files),
  });
  return answer === true;
}
