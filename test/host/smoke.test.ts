import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Turnstone in VS Code', () => {
  it('is loaded from the folder under development', () => {
    const extension = vscode.extensions.getExtension('turnstone.turnstone');
    assert.ok(extension, 'VS Code does not know the extension');
    assert.equal(extension.packageJSON.displayName, 'Turnstone');
  });

  it('has the sample workspace open', () => {
    assert.deepEqual(vscode.workspace.workspaceFolders?.map((folder) => folder.name), ['shopping-cart']);
  });
});
