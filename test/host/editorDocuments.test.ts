import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { editorDocuments } from '../../src/vscode/editorDocuments.ts';
import { closeEditors, workspaceFile } from './extensionApi.ts';

const encoder = new TextEncoder();

describe('Open editors', () => {
  afterEach(closeEditors);

  async function open(name: string, text: string): Promise<vscode.TextDocument> {
    await vscode.workspace.fs.writeFile(workspaceFile(name), encoder.encode(text));
    return vscode.workspace.openTextDocument(workspaceFile(name));
  }

  async function replaceAll(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.validateRange(new vscode.Range(0, 0, 1e6, 0)), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  const onDisk = async (name: string): Promise<string> => new TextDecoder().decode(await vscode.workspace.fs.readFile(workspaceFile(name)));

  it('are the truth only while they hold unsaved text', async () => {
    const document = await open('truth.ts', 'saved\n');
    assert.equal(editorDocuments.unsavedText(document.uri.fsPath), undefined);
    await replaceAll(document, 'unsaved\n');
    assert.equal(editorDocuments.unsavedText(document.uri.fsPath), 'unsaved\n');
    assert.ok(await document.save());
    assert.equal(editorDocuments.unsavedText(document.uri.fsPath), undefined);
  });

  it('leave a file without unsaved text to the engine', async () => {
    const document = await open('clean.ts', 'saved\n');
    assert.equal(await editorDocuments.write(document.uri.fsPath, 'other\n'), false);
    assert.equal(await onDisk('clean.ts'), 'saved\n');
  });

  it('take the text of a saved file where they are asked to and can hold it', async () => {
    const document = await open('clean-too.ts', 'one\ntwo\n');
    const { fsPath } = document.uri;
    assert.equal(await editorDocuments.write(fsPath, 'one\r\ntwo\n', { alsoIfSaved: true }), false);
    assert.equal(await editorDocuments.write(fsPath, 'one\r\ntwo\r\n', { alsoIfSaved: true }), false);
    assert.deepEqual([document.getText(), await onDisk('clean-too.ts')], ['one\ntwo\n', 'one\ntwo\n']);
    assert.equal(await editorDocuments.write(fsPath, 'one\nTWO\n', { alsoIfSaved: true }), true);
    assert.deepEqual([document.getText(), document.isDirty, await onDisk('clean-too.ts')], ['one\nTWO\n', false, 'one\nTWO\n']);
    assert.equal(editorDocuments.encodingOf?.(fsPath), 'utf8');
  });

  it('take the text and save it, and undo leads back to the user’s own', async () => {
    const document = await open('dirty-write.ts', 'one\ntwo\n');
    await replaceAll(document, 'one, mine\ntwo\n');
    assert.equal(await editorDocuments.write(document.uri.fsPath, 'one, mine\nTWO\n'), true);
    assert.equal(document.isDirty, false);
    assert.equal(await onDisk('dirty-write.ts'), 'one, mine\nTWO\n');
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one, mine\ntwo\n');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('give the exact bytes back to the engine where an editor cannot hold them', async () => {
    const document = await open('mixed-write.txt', 'one\ntwo\n');
    await replaceAll(document, 'one\ntwo, mine\n');
    assert.equal(await editorDocuments.write(document.uri.fsPath, 'one\r\ntwo, mine\nthree\n'), false);
    assert.equal(document.isDirty, false);
  });
});
