import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isAborted } from '../../src/base/errors.ts';
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

  before(async () => {
    api = await extensionApi();
  });
  afterEach(closeEditors);

  /** What the engine does when a tool wants to write a file: asks, and waits. */
  async function ask(name: string, before: string | undefined, after: string): Promise<Asked> {
    const file = workspaceFile(name);
    if (before !== undefined) await vscode.workspace.fs.writeFile(file, encoder.encode(before));
    const id = `call-${++number}`;
    const proposal = { path: file.fsPath, targetPath: file.fsPath, before, after };
    const request: PermissionRequest = { toolName: 'Edit', toolUseId: id, input: {}, title: name, proposal };
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
    const document = find(uri)!;
    const start = document.getText().indexOf(from);
    assert.ok(start >= 0, `"${from}" is not shown`);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(start + from.length)), to);
    assert.ok(await vscode.workspace.applyEdit(edit));
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

  it('does not write over a file that was changed meanwhile', async () => {
    const { uri, answer, id } = await ask('stale.ts', 'a\n', 'b\n');
    const warned = new Promise<string>((resolve) => {
      const listener = api.reviews.onDidChange((views) => {
        const reason = views.find((view) => view.id === id)?.reason;
        if (reason === undefined) return;
        listener.dispose();
        resolve(reason);
      });
    });
    await vscode.workspace.fs.writeFile(workspaceFile('stale.ts'), encoder.encode('changed by somebody\n'));
    assert.match(await warned, /has changed since/);
    await vscode.commands.executeCommand('turnstone.acceptProposal', uri);
    assert.deepEqual(await answer, { behavior: 'outdated' });
    assert.equal(await onDisk('stale.ts'), 'changed by somebody\n');
  });

  it('notices unsaved changes to the file, and that they were taken back', async () => {
    const { answer, id } = await ask('dirty.ts', 'a\n', 'b\n');
    const file = workspaceFile('dirty.ts');
    let reason: string | undefined = '';
    const listener = api.reviews.onDidChange((views) => (reason = views.find((view) => view.id === id)?.reason));
    await type(file, 'a', 'a, unsaved');
    await until('the card says so', async () => reason?.includes('has changed since'));
    await type(file, 'a, unsaved', 'a');
    await until('the card says it no longer', () => reason === undefined);
    listener.dispose();
    await api.reviews.answer(id, 'allow');
    assert.deepEqual(await answer, { behavior: 'allow', finalText: undefined });
    await vscode.commands.executeCommand('workbench.action.files.revert');
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
