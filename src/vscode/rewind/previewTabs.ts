import * as vscode from 'vscode';

/** Multi-diff tabs can be told by their label only, to which VS Code adds "(2 files)": their input has no public class. */
const titles = new Set<string>();

/** Opens one native diff of several files, in place of the one before. Changes nothing. */
export async function showPreview(title: string, changes: readonly (readonly [vscode.Uri, vscode.Uri, vscode.Uri])[]): Promise<void> {
  const before = previewTabs();
  titles.add(title);
  await vscode.commands.executeCommand('vscode.changes', title, changes);
  await vscode.window.tabGroups.close(before, true);
}

export async function closePreviews(): Promise<void> {
  await vscode.window.tabGroups.close(previewTabs(), true);
}

function previewTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(({ label }) => titles.has(label.replace(/ \([^()]*\)$/, ''))));
}
