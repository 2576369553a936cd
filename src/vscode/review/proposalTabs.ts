import * as vscode from 'vscode';
import { openDocument, openNotebook } from './openDocument.ts';
import { proposalScheme } from './proposalFileSystem.ts';

/** Tabs, in any group, that show this proposal (or any, without `uri`) as a diff or by itself. */
export function proposalTabs(uri?: vscode.Uri): vscode.Tab[] {
  return allTabs().filter((tab) => {
    const shown = proposalOf(tab);
    return shown && (!uri || shown.toString() === uri.toString());
  });
}

export function proposalOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const { input } = tab ?? {};
  const isDiff = input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff;
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
  const uri = isDiff ? input.modified : isFile ? input.uri : undefined;
  return uri?.scheme === proposalScheme ? uri : undefined;
}

interface CloseOptions {
  /** Otherwise it goes to the tab that is shown then. */
  readonly keepFocus: boolean;
}

/** Shows several proposals in one native diff. It takes the focus, so only for a click or a command of the user. */
export async function openSetTab(title: string, files: readonly { readonly path: string; readonly left: vscode.Uri; readonly uri: vscode.Uri }[]): Promise<void> {
  await vscode.commands.executeCommand('vscode.changes', title, files.map(({ path, left, uri }) => [vscode.Uri.file(path), left, uri]));
}

export async function closeSetTab(title: string, { keepFocus }: CloseOptions): Promise<void> {
  await closeThose(() => setTabs(title), keepFocus);
}

/** Closes the tabs of proposals that are decided. They are saved to their own storage first, or VS Code would ask. */
export async function closeProposalTabs(uris?: readonly vscode.Uri[], { keepFocus }: CloseOptions = { keepFocus: true }): Promise<void> {
  const find = (): vscode.Tab[] => (uris ? uris.flatMap((uri) => proposalTabs(uri)) : [...proposalTabs(), ...setTabs()]);
  const documents = uris ?? find().flatMap((tab) => proposalOf(tab) ?? []);
  for (const uri of documents) {
    const notebook = openNotebook(uri);
    const document = openDocument(uri);
    if (notebook?.isDirty) await notebook.save();
    else if (document?.isDirty) await document.save();
  }
  await closeThose(find, keepFocus);
}

/** Some may have gone meanwhile, and closing a tab that is gone throws. */
async function closeThose(find: () => vscode.Tab[], keepFocus: boolean): Promise<void> {
  const tabs = find();
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, keepFocus);
}

/** Their kind has no class of its own, so they are told by their label, to which the number of files is added. */
function setTabs(title?: string): vscode.Tab[] {
  return allTabs().filter(({ label, input }) => isUnknown(input) && (title === undefined ? /^Proposed changes to \d+ files/ : startOf(title)).test(label));
}

function startOf(title: string): RegExp {
  return new RegExp(`^${title}( \\(|$)`);
}

function isUnknown(input: unknown): boolean {
  return !(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputWebview);
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}
