import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { rebaseProposal } from '../../src/engine/review/rebaseProposal.ts';
import type { ApprovalView } from '../../src/protocol/chatView.ts';
import type { PermissionAnswer, PermissionRequest } from '../../src/protocol/permissions.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { closeEditors, extensionApi, until, workspaceFile } from './extensionApi.ts';

const five = '1\n2\n3\n4\n5\n';
const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('turnstone');

describe('Where a proposal is shown, and what moves while it waits', () => {
  let api: TestApi;
  let number = 0;
  let views: readonly ApprovalView[] = [];

  before(async () => {
    api = await extensionApi();
    api.reviews.onDidChange((now) => (views = now));
  });
  afterEach(async () => {
    await settings().update('review.open', undefined, vscode.ConfigurationTarget.Global);
    await closeEditors();
  });

  const put = async (name: string, text: string): Promise<void> => vscode.workspace.fs.writeFile(workspaceFile(name), new TextEncoder().encode(text));
  const onDisk = async (name: string): Promise<string> => new TextDecoder().decode(await vscode.workspace.fs.readFile(workspaceFile(name)));

  interface Asked {
    readonly id: string;
    readonly uri: vscode.Uri;
    readonly answer: Promise<PermissionAnswer>;
    tabs(): vscode.Tab[];
  }

  /** What the engine does when a tool wants to change a file. Resolves when the card is there. */
  async function ask(name: string, before: string, after: string): Promise<Asked> {
    const file = workspaceFile(name);
    const id = `place-${++number}`;
    const proposal = { path: file.fsPath, targetPath: file.fsPath, before, after };
    const rebase: PermissionRequest['rebase'] = async (shown, right = shown.after) => rebaseProposal(shown, right, documentOf(file)?.isDirty ? documentOf(file)!.getText() : await onDisk(name));
    const answer = api.reviews.ask({ toolName: 'Edit', toolUseId: id, input: {}, title: name, proposal, rebase }, new AbortController().signal);
    answer.catch(() => undefined);
    await until('the card is there', () => views.some((view) => view.id === id && view.files));
    const uri = api.proposals.uriFor(id, file.fsPath);
    return { id, uri, answer, tabs: () => tabsOf(uri) };
  }

  it('beside: in a group of its own, and the editor of the user stays in front', async () => {
    await settings().update('review.open', 'beside', vscode.ConfigurationTarget.Global);
    await put('beside.ts', five);
    await vscode.window.showTextDocument(workspaceFile('README.md'), { viewColumn: vscode.ViewColumn.One });
    const { id, answer, tabs } = await ask('beside.ts', five, 'one\n');
    await until('the diff is open', () => tabs().length === 1);
    assert.equal(tabs()[0]!.group.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === vscode.ViewColumn.One)?.activeTab?.label, 'README.md');
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answer, { behavior: 'allow', finalText: undefined });
    await until('no tab is left', () => tabs().length === 0);
  });

  it('background: a tab that does not come to the front, until it is asked for', async () => {
    await settings().update('review.open', 'background', vscode.ConfigurationTarget.Global);
    await put('background.ts', five);
    await vscode.window.showTextDocument(workspaceFile('README.md'));
    const { id, answer, tabs } = await ask('background.ts', five, 'one\n');
    await until('the diff is open', () => tabs().length === 1);
    assert.equal(tabs()[0]!.isActive, false);
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, 'README.md');
    await api.reviews.openDiff(id);
    await until('it is in front', () => tabs()[0]?.isActive);
    await api.reviews.answer(id, 'allow');
    await answer;
  });

  it('panel only: no tab, and the card opens one when it is asked to', async () => {
    await settings().update('review.open', 'panel', vscode.ConfigurationTarget.Global);
    await put('panel.ts', five);
    const { id, answer, tabs, uri } = await ask('panel.ts', five, 'one\n');
    assert.equal(tabs().length, 0);
    api.send({ type: 'open-diff', id, file: 0 });
    await until('the diff is open', () => tabs().length === 1 && documentOf(uri)?.getText() === 'one\n');
    await api.reviews.answer(id, 'deny');
    await answer;
  });

  it('two sessions propose for one file: what one has written, the other is merged onto', async () => {
    await put('shared.ts', five);
    const one = await ask('shared.ts', five, five.replace('1', 'one'));
    const other = await ask('shared.ts', five, five.replace('5', 'five'));
    await api.reviews.answer(one.id, 'allow');
    await one.answer;
    await put('shared.ts', five.replace('1', 'one'));
    await until('the other says so', () => views.find(({ id }) => id === other.id)?.files?.[0]?.state === 'rebased');
    await api.reviews.answer(other.id, 'allow');
    const given = await other.answer;
    assert.equal(given.behavior === 'allow' && given.rebased?.after, 'one\n2\n3\n4\nfive\n');
  });

  it('the tab says that it was merged also when its right side was edited, and keeps what was typed', async () => {
    await put('retitled.ts', five);
    const { id, uri, answer, tabs } = await ask('retitled.ts', five, five.replace('5', 'five'));
    await until('the right side is there', () => documentOf(uri));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(2, 0, 2, 1), 'three');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(documentOf(uri)!.isDirty);
    await put('retitled.ts', five.replace('1', 'one'));
    await until('the tab says so', () => tabs().length === 1 && tabs()[0]!.label.includes('rebased'));
    await until('all of it is there', () => documentOf(uri)?.getText() === 'one\n2\nthree\n4\nfive\n');
    await api.reviews.answer(id, 'allow');
    const given = await answer;
    assert.equal(given.behavior === 'allow' && (given.finalText ?? given.rebased?.after), 'one\n2\nthree\n4\nfive\n');
  });

  it('a notebook that was edited on the right side is accepted as it is shown', async () => {
    const notebook = (...sources: readonly string[]): string => JSON.stringify({ cells: sources.map((source, index) => ({ cell_type: 'code', execution_count: null, id: `c${index}`, metadata: {}, outputs: [], source: [source] })), metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1);
    await put('edited.ipynb', notebook('x = 1', 'y = 1'));
    const { id, uri, answer } = await ask('edited.ipynb', notebook('x = 1', 'y = 1'), notebook('x = 2', 'y = 1'));
    const serializer = vscode.workspace.registerNotebookSerializer('jupyter-notebook', plainNotebooks);
    const shown = await vscode.workspace.openNotebookDocument(uri);
    const cell = shown.cellAt(1).document;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(cell.uri, new vscode.Range(0, 0, 0, 5), 'y = 3');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('it is edited', () => shown.isDirty && cell.getText() === 'y = 3');
    await api.reviews.answer(id, 'allow');
    const given = await answer;
    assert.ok(given.behavior === 'allow' && given.finalText !== undefined);
    const { cells } = JSON.parse(given.finalText) as { cells: { source: string | string[] }[] };
    assert.deepEqual(cells.map(({ source }) => [source].flat().join('')), ['x = 2', 'y = 3']);
    serializer.dispose();
  });
});

interface PlainCell {
  readonly source: string | string[];
}

/** The VS Code of the tests comes without the extension that reads notebooks. */
const plainNotebooks: vscode.NotebookSerializer = {
  deserializeNotebook: (bytes) => new vscode.NotebookData((JSON.parse(new TextDecoder().decode(bytes)) as { cells: PlainCell[] }).cells.map(({ source }) => new vscode.NotebookCellData(vscode.NotebookCellKind.Code, [source].flat().join(''), 'python'))),
  serializeNotebook: ({ cells }) => new TextEncoder().encode(JSON.stringify({ cells: cells.map(({ value }): PlainCell => ({ source: [value] })) })),
};

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) && input.modified.toString() === uri.toString());
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
