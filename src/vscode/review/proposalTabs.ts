import * as vscode from 'vscode';
import { proposalScheme } from './proposalFileSystem.ts';

/** Tabs, in any group, that show this proposal (or any, without `uri`) as a diff or by itself. */
export function proposalTabs(uri?: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => {
    const shown = proposalOf(tab);
    return shown && (!uri || shown.toString() === uri.toString());
  });
}

export function proposalOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const { input } = tab ?? {};
  const uri = input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
  return uri?.scheme === proposalScheme ? uri : undefined;
}

/** Closes the tabs of a proposal that is decided. It is saved to its own storage first, or VS Code would ask. */
export async function closeProposalTabs(uri?: vscode.Uri): Promise<void> {
  const tabs = proposalTabs(uri);
  for (const proposal of tabs.map((tab) => proposalOf(tab)!.toString())) {
    const document = vscode.workspace.textDocuments.find((candidate) => candidate.uri.toString() === proposal);
    if (document?.isDirty) await document.save();
  }
  // Some may have gone meanwhile, and closing a tab that is gone throws.
  const still = proposalTabs(uri);
  if (still.length > 0) await vscode.window.tabGroups.close(still, true);
}
