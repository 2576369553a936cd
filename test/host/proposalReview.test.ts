import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isAborted } from '../../src/base/errors.ts';
import { rebaseProposal } from '../../src/engine/review/rebaseProposal.ts';
import type { ApprovalView, ProposedFileView } from '../../src/protocol/chatView.ts';
import type { PermissionAnswer, PermissionRequest } from '../../src/protocol/permissions.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { closeEditors, extensionApi, until, workspaceFile } from './extensionApi.ts';

interface Asked {
  readonly uri: vscode.Uri;
  readonly answer: Promise<PermissionAnswer>;
  readonly controller: AbortController;
  readonly id: string;
  document(): vscode.TextDocument;
  tabs(): vscode.Tab[];
}

const encoder = new TextEncoder();

describe('Review before the write', () => {
  let api: TestApi;
  let number = 0;

  let views: readonly ApprovalView[] = [];

  before(async () => {
    api = await extensionApi();
    api.reviews.onDidChange((now) => (views = now));
  });
  afterEach(closeEditors);

  /** What the engine does when a tool wants to write a file: asks, and waits. */
  async function ask(name: string, before: string | undefined, after: string): Promise<Asked> {
    const file = workspaceFile(name);
    if (before !== undefined) await vscode.workspace.fs.writeFile(file, encoder.encode(before));
    const id = `call-${++number}`;
    const proposal = { path: file.fsPath, targetPath: file.fsPath, before, after };
    const request: PermissionRequest = { toolName: 'Edit', toolUseId: id, input: {}, title: name, proposal, rebase: rebaseIn(file) };
    const controller = new AbortController();
    const answer = api.reviews.ask(request, controller.signal);
    answer.catch(() => undefined);
    const uri = api.proposals.uriFor(id, file.fsPath);
    const tabs = (): vscode.Tab[] => allTabs().filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
    await until('the diff is open', () => tabs().length > 0 && api.reviews.waitingFor(uri) === id);
    // A tab in the background has no text yet.
    if (tabs()[0]?.isActive) await until('the right side is shown', () => find(uri) !== undefined);
    return { uri, answer, controller, id, tabs, document: () => find(uri)! };
  }

  async function type(uri: vscode.Uri, from: string, to: string): Promise<void> {
    // The side of the file may come to the diff later than that of the proposal.
    const document = await until('the document is open', () => find(uri));
    const start = document.getText().indexOf(from);
    assert.ok(start >= 0, `"${from}" is not shown`);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(start + from.length)), to);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  /** As the engine does it. */
  const rebaseIn = (file: vscode.Uri): NonNullable<PermissionRequest['rebase']> => async (shown, right = shown.after) => {
    const document = find(file);
    const saved = async (): Promise<string | undefined> => {
      try {
        return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      } catch {
        return undefined;
      }
    };
    return rebaseProposal(shown, right, document?.isDirty ? document.getText() : await saved());
  };

  /** The card's view of the only file of this call, once it is as wanted. */
  async function cardOf(id: string, isWanted: (file: ProposedFileView) => boolean): Promise<ProposedFileView> {
    return until('the card says so', () => views.find((view) => view.id === id)?.files?.find(isWanted));
  }

  const onDisk = async (name: string): Promise<string> => new TextDecoder().decode(await vscode.workspace.fs.readFile(workspaceFile(name)));

  it('opens a diff of what is there and what is proposed, and writes nothing', async () => {
    const { uri, tabs, id, answer } = await ask('review.ts', 'const total = 1;\n', 'const sum = 1;\n');
    const { input } = tabs()[0]!;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal(input.original.toString(), workspaceFile('review.ts').toString());
    assert.equal(find(uri)?.languageId, 'typescript');
    assert.equal(find(uri)?.getText(), 'const sum = 1;\n');
    assert.equal(await onDisk('review.ts'), 'const total = 1;\n');
    await api.reviews.answer(id, 'allow');
    // Taken as it was proposed: there is nothing to tell the model.
    assert.deepEqual(await answer, { behavior: 'allow', finalText: undefined });
    assert.equal(await onDisk('review.ts'), 'const total = 1;\n');
  });

  it('accepts exactly what the right side shows, unsaved, CRLF and without a last line end', async () => {
    const { uri, answer, id, tabs } = await ask('crlf.ts', 'a\r\nb\r\nc', 'a\r\nB\r\nc');
    await type(uri, 'B', 'Bé😀');
    assert.ok(find(uri)?.isDirty);
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    assert.deepEqual(await answer, { behavior: 'allow', finalText: 'a\r\nBé😀\r\nc' });
    assert.deepEqual(tabs(), []);
    assert.equal(api.reviews.waitingFor(uri), undefined);
    assert.equal(await api.reviews.answer(id, 'deny'), false);
  });

  it('keeps mixed line ends, which an editor cannot show', async () => {
    const { uri, answer, id } = await ask('mixed.txt', 'one\r\ntwo\nthree\r\n', 'one\r\nTWO\nthree\r\nfour\n');
    await type(uri, 'four', 'FOUR');
    await api.reviews.answer(id, 'allow');
    const given = await answer;
    assert.equal(given.behavior === 'allow' && given.finalText?.replace(/FOUR[\r\n]+$/, ''), 'one\r\nTWO\nthree\r\n');
  });

  it('shows a new file beside an empty document', async () => {
    const { uri, answer, id, tabs } = await ask('brand/new.ts', undefined, 'export {};\n');
    const { input } = tabs()[0]!;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(input.original)).getText(), '');
    assert.equal(find(uri)?.getText(), 'export {};\n');
    await api.reviews.answer(id, 'deny', 'wrong folder');
    assert.deepEqual(await answer, { behavior: 'deny', reason: 'wrong folder' });
    await assert.rejects(async () => vscode.workspace.fs.stat(workspaceFile('brand')));
  });

  it('takes saving the right side for nothing but saving', async () => {
    const { uri, answer, id, document } = await ask('save.ts', 'a\n', 'b\n');
    await type(uri, 'b', 'b2');
    assert.ok(await document().save());
    assert.equal(api.reviews.waitingFor(uri), id);
    assert.equal(await onDisk('save.ts'), 'a\n');
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answer, { behavior: 'allow', finalText: 'b2\n' });
  });

  it('decides nothing when the tab is closed, and shows the user’s changes when it is opened again', async () => {
    const { uri, answer, id, tabs } = await ask('close.ts', 'a\n', 'b\n');
    await type(uri, 'b', 'b by hand');
    await vscode.window.tabGroups.close(tabs());
    await until('the tab is gone', () => tabs().length === 0);
    assert.equal(api.reviews.waitingFor(uri), id);
    await api.reviews.openDiff(id);
    await until('the tab is back', () => tabs().length === 1 && find(uri)?.getText() === 'b by hand\n');
    await vscode.window.tabGroups.close(tabs());
    await until('the tab is gone again', () => tabs().length === 0);
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answer, { behavior: 'allow', finalText: 'b by hand\n' });
  });

  it('takes tab and proposal away when the turn is interrupted, also when something was typed', async () => {
    const { uri, answer, controller, tabs } = await ask('abort.ts', 'a\n', 'b\n');
    await type(uri, 'b', 'c');
    controller.abort();
    await assert.rejects(answer, (error) => isAborted(error));
    await until('the tab is gone', () => tabs().length === 0);
    assert.equal(api.reviews.waitingFor(uri), undefined);
    assert.equal(await onDisk('abort.ts'), 'a\n');
    await assert.rejects(async () => vscode.workspace.fs.readFile(uri));
  });

  const five = '1\n2\n3\n4\n5\n';

  it('merges the proposal onto a file that was changed meanwhile, and says so', async () => {
    const { uri, answer, id, tabs } = await ask('stale.ts', five, five.replace('5', 'five'));
    await vscode.workspace.fs.writeFile(workspaceFile('stale.ts'), encoder.encode(five.replace('1', 'one')));
    const now = { before: five.replace('1', 'one'), after: 'one\n2\n3\n4\nfive\n' };
    await cardOf(id, ({ state }) => state === 'rebased');
    await until('the tab says so', () => tabs().some(({ label }) => label.includes('rebased')));
    await until('the right side is as merged', () => find(uri)?.getText() === now.after);
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    const path = workspaceFile('stale.ts').fsPath;
    assert.deepEqual(await answer, { behavior: 'allow', finalText: undefined, rebased: { path, targetPath: path, ...now } });
    assert.equal(await onDisk('stale.ts'), now.before);
  });

  it('keeps what the user changed on the right side when it merges', async () => {
    const { uri, answer, id } = await ask('both.ts', five, five.replace('5', 'five'));
    await type(uri, '3', 'three');
    await vscode.workspace.fs.writeFile(workspaceFile('both.ts'), encoder.encode(five.replace('1', 'one')));
    await cardOf(id, ({ state }) => state === 'rebased');
    await until('both are there', () => find(uri)?.getText() === 'one\n2\nthree\n4\nfive\n');
    await api.reviews.answer(id, 'allow');
    const given = await answer;
    assert.equal(given.behavior === 'allow' && (given.finalText ?? given.rebased?.after), 'one\n2\nthree\n4\nfive\n');
  });

  it('does not accept what conflicts before the user has resolved it on the right side', async () => {
    const { uri, answer, id, tabs } = await ask('conflict.ts', five, five.replace('3', 'three'));
    await vscode.workspace.fs.writeFile(workspaceFile('conflict.ts'), encoder.encode(five.replace('3', 'drei')));
    await cardOf(id, ({ state }) => state === 'conflict');
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    assert.equal(await Promise.race([answer, Promise.resolve('waits')]), 'waits');
    await until('it is shown', () => tabs().some(({ isActive, label }) => isActive && label.includes('conflict')));
    const marked = find(uri)!.getText();
    assert.match(marked, /<<<<<<< now\ndrei\n=======\nthree\n>>>>>>> proposed/);
    await type(uri, marked, '1\n2\ndrei/three\n4\n5\n');
    await cardOf(id, ({ state }) => state === 'rebased');
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    const given = await answer;
    assert.equal(given.behavior === 'allow' && given.finalText, '1\n2\ndrei/three\n4\n5\n');
  });

  it('writes nothing where the file was deleted meanwhile', async () => {
    const { uri, answer, id } = await ask('deleted.ts', five, five.replace('3', 'three'));
    await vscode.workspace.fs.delete(workspaceFile('deleted.ts'));
    await cardOf(id, ({ state }) => state === 'gone');
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    assert.deepEqual(await answer, { behavior: 'outdated' });
    await assert.rejects(async () => vscode.workspace.fs.stat(workspaceFile('deleted.ts')));
  });

  it('follows unsaved changes to the file, and goes back when they are taken back', async () => {
    const { answer, id } = await ask('dirty.ts', five, five.replace('5', 'five'));
    const file = workspaceFile('dirty.ts');
    await type(file, '1', '1, unsaved');
    await cardOf(id, ({ state }) => state === 'rebased');
    await type(file, '1, unsaved', '1');
    await cardOf(id, ({ state }) => state === 'current');
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answer, { behavior: 'allow', finalText: undefined });
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('merges onto what autosave has saved while it waited', async () => {
    const settings = vscode.workspace.getConfiguration('files');
    const file = workspaceFile('autosave.ts');
    await vscode.workspace.fs.writeFile(file, encoder.encode(five));
    // Autosave looks after what an editor shows.
    await vscode.window.showTextDocument(file);
    const { answer, id } = await ask('autosave.ts', five, five.replace('2', 'two'));
    try {
      await settings.update('autoSaveDelay', 50, vscode.ConfigurationTarget.Global);
      await settings.update('autoSave', 'afterDelay', vscode.ConfigurationTarget.Global);
      await type(file, '5', '5\n9');
      await until('it is saved', async () => (await onDisk('autosave.ts')) === `${five}9\n`);
      await cardOf(id, ({ state }) => state === 'rebased');
      await api.reviews.answer(id, 'allow');
      const given = await answer;
      assert.deepEqual(given.behavior === 'allow' && [given.rebased?.before, given.rebased?.after], [`${five}9\n`, '1\ntwo\n3\n4\n5\n9\n']);
    } finally {
      await settings.update('autoSave', undefined, vscode.ConfigurationTarget.Global);
      await settings.update('autoSaveDelay', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('decides hunk by hunk: at the cursor, at a line, with a reason', async () => {
    const { uri, answer, document } = await ask('hunks.ts', '1\r\n\t2\r\n3\r\n4\r\n5\r\n', 'one\r\n\t2\r\nthree\r\n4\r\nfive\r\n');
    const editor = await until('the right side is active', () => vscode.window.visibleTextEditors.find((each) => each.document === document()));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand('turnstone.acceptHunk', uri);
    await until('the cursor goes on to the next', () => editor.selection.active.line === 2);
    await vscode.commands.executeCommand('turnstone.rejectHunk', { uri, lineNumber: 3 });
    await until('the change is gone', () => document().getText() === 'one\r\n\t2\r\n3\r\n4\r\nfive\r\n');
    await vscode.commands.executeCommand('turnstone.rejectHunk', { uri, lineNumber: 5 });
    // The one that is left is accepted already, so the file is decided.
    assert.deepEqual(await answer, { behavior: 'allow', finalText: 'one\r\n\t2\r\n3\r\n4\r\n5\r\n' });
  });

  it('rejects a file of which every hunk was rejected, with what was said', async () => {
    const { answer, id } = await ask('none.ts', five, five.replace('1', 'one').replace('5', 'five'));
    for (const reason of ['digits', undefined]) {
      const [hunk] = (await cardOf(id, ({ hunks }) => hunks.length > 0)).hunks;
      api.send({ type: 'hunk-answer', id, file: 0, hunk: hunk!.key, behavior: 'deny', ...(reason !== undefined && { reason }) });
      await until('the hunk is gone', () => !views.find((view) => view.id === id)?.files?.[0]?.hunks.some(({ key }) => key === hunk!.key));
    }
    assert.deepEqual(await answer, { behavior: 'deny', reason: 'At line 1: digits.' });
  });

  /** Several proposals of one answer. */
  function askSet(proposals: readonly { readonly name: string; readonly before: string | undefined; readonly after: string }[]) {
    const id = `set-${++number}`;
    const controller = new AbortController();
    const answers = proposals.map(({ name, before, after }, index) => {
      const file = workspaceFile(name);
      const proposal = { path: file.fsPath, targetPath: file.fsPath, before, after };
      return api.reviews.ask({ toolName: 'Edit', toolUseId: `${id}-${index}`, input: {}, title: name, proposal, rebase: rebaseIn(file), changeSet: { id, index, count: proposals.length } }, controller.signal);
    });
    return { id, controller, answers: Promise.all(answers) };
  }
  const put = async (name: string, text: string): Promise<void> => vscode.workspace.fs.writeFile(workspaceFile(name), encoder.encode(text));

  it('holds the decisions of a set until the last one, and they can be taken back', async () => {
    await put('s1.ts', five);
    await put('s2.ts', five);
    const { id, answers } = askSet([{ name: 's1.ts', before: five, after: 'ONE\n' }, { name: 's2.ts', before: five, after: 'TWO\n' }]);
    const decision = (file: number) => views.find((view) => view.id === id)?.files?.[file]?.decision;
    await until('both are shown', () => views.find((view) => view.id === id)?.files?.length === 2);
    api.send({ type: 'file-answer', id, file: 0, behavior: 'allow' });
    await until('the first is accepted', () => decision(0) === 'allow');
    api.send({ type: 'file-answer', id, file: 0, behavior: 'undo' });
    await until('and open again', () => decision(0) === undefined);
    api.send({ type: 'file-answer', id, file: 0, behavior: 'deny', reason: 'not this' });
    await until('then rejected', () => decision(0) === 'deny');
    assert.equal(await Promise.race([answers, Promise.resolve('waits')]), 'waits');
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answers, [{ behavior: 'deny', reason: 'not this' }, { behavior: 'allow', finalText: undefined }]);
    await until('no tab is left', () => allTabs().every(({ label }) => !label.includes('proposed')));
  });

  it('shows several edits of one file as one, and all files in one native diff', async () => {
    await put('t1.ts', five);
    const first = five.replace('1', 'one');
    const second = first.replace('5', 'five');
    const { id, answers } = askSet([{ name: 't1.ts', before: five, after: first }, { name: 't2.ts', before: undefined, after: 'new\n' }, { name: 't1.ts', before: first, after: second }]);
    const view = await until('the card is there', () => views.find((each) => each.id === id && each.files));
    assert.deepEqual(view.files?.map(({ path, hunks }) => [path, hunks.length]), [['t1.ts', 2], ['t2.ts', 1]]);
    await api.reviews.openDiff(id);
    await until('all are shown in one tab', () => allTabs().some(({ label, isActive }) => isActive && label.startsWith('Proposed changes to 2 files')));
    await api.reviews.answer(id, 'allow');
    const path = workspaceFile('t1.ts').fsPath;
    assert.deepEqual(await answers, [
      { behavior: 'allow' },
      { behavior: 'allow', finalText: undefined },
      { behavior: 'allow', finalText: undefined, rebased: { path, targetPath: path, before: five, after: second } },
    ]);
    await until('no tab is left', () => allTabs().every(({ label }) => !/roposed/.test(label)));
  });

  it('opens no tab where the user wants proposals in the panel only', async () => {
    const settings = vscode.workspace.getConfiguration('turnstone');
    await settings.update('review.open', 'panel', vscode.ConfigurationTarget.Global);
    await put('quiet.ts', five);
    const { id, answers } = askSet([{ name: 'quiet.ts', before: five, after: '1\n' }]);
    await until('the card is there', () => views.find((each) => each.id === id && each.files));
    assert.ok(allTabs().every(({ label }) => !label.includes('proposed')));
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answers, [{ behavior: 'allow', finalText: undefined }]);
    await settings.update('review.open', undefined, vscode.ConfigurationTarget.Global);
  });

  it('shows a notebook as a notebook, and takes it byte for byte where nobody changed it', async () => {
    const notebook = (source: string): string => `{\n "cells": [\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "c1",\n   "metadata": {},\n   "outputs": [],\n   "source": ["${source}"]\n  }\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}`;
    await put('n.ipynb', notebook('x = 1'));
    const { id, answers } = askSet([{ name: 'n.ipynb', before: notebook('x = 1'), after: notebook('x = 2') }]);
    await until('the notebook diff is open', () => allTabs().some(({ input }) => input instanceof vscode.TabInputNotebookDiff && input.modified.scheme === 'turnstone-proposal'));
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answers, [{ behavior: 'allow', finalText: undefined }]);
    await until('no tab is left', () => allTabs().every(({ label }) => !label.includes('proposed')));
  });

  it('leaves the caret where the user is typing', async () => {
    const own = await vscode.workspace.openTextDocument(workspaceFile('README.md'));
    const editor = await vscode.window.showTextDocument(own);
    await vscode.commands.executeCommand('cursorMove', { to: 'right' });
    await vscode.commands.executeCommand('type', { text: 'x' });
    await until('the key arrived', () => own.isDirty);
    const { answer, id, tabs } = await ask('quiet.ts', 'a\n', 'b\n');
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), editor.document.uri.toString());
    assert.equal(tabs()[0]?.isActive, false);
    await api.reviews.answer(id, 'deny');
    await answer;
    await vscode.commands.executeCommand('undo');
  });
});

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

function find(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
