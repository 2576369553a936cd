import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { languageServices } from '../../src/vscode/languageServices.ts';
import { closeEditors, workspaceFile } from './extensionApi.ts';

const signal = new AbortController().signal;
const selector: vscode.DocumentSelector = { pattern: '**/*.words' };

/** Where a word stands in a document. */
function placesOf(document: vscode.TextDocument, position: vscode.Position): vscode.Range[] {
  const word = document.getText(document.getWordRangeAtPosition(position));
  return [...document.getText().matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map((match) => new vscode.Range(document.positionAt(match.index), document.positionAt(match.index + word.length)));
}

describe('Language services', () => {
  const registered: vscode.Disposable[] = [];
  const problems = vscode.languages.createDiagnosticCollection('words');
  let path = '';

  before(async () => {
    const uri = workspaceFile('text.words');
    path = uri.fsPath;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode('one two\n  two three\n'));
    registered.push(
      problems,
      vscode.languages.registerDefinitionProvider(selector, { provideDefinition: (document, position) => new vscode.Location(document.uri, placesOf(document, position)[0]!) }),
      vscode.languages.registerReferenceProvider(selector, { provideReferences: (document, position) => placesOf(document, position).map((range) => new vscode.Location(document.uri, range)) }),
      vscode.languages.registerDocumentSymbolProvider(selector, {
        provideDocumentSymbols: (document) => {
          const outer = new vscode.DocumentSymbol('one', '', vscode.SymbolKind.Class, new vscode.Range(0, 0, 1, 5), new vscode.Range(0, 0, 0, 3));
          outer.children.push(new vscode.DocumentSymbol(document.getText(new vscode.Range(1, 2, 1, 5)), '', vscode.SymbolKind.Function, new vscode.Range(1, 2, 1, 5), new vscode.Range(1, 2, 1, 5)));
          return [outer];
        },
      }),
      vscode.languages.registerRenameProvider(selector, {
        provideRenameEdits(document, position, newName) {
          if (newName === 'bad') throw new Error('bad is no name.');
          const edit = new vscode.WorkspaceEdit();
          for (const range of placesOf(document, position)) edit.replace(document.uri, range, newName);
          return edit;
        },
      }),
    );
  });

  after(async () => {
    vscode.Disposable.from(...registered).dispose();
    await vscode.workspace.fs.delete(workspaceFile('text.words'));
    await closeEditors();
  });

  it('count lines and characters from 1', async () => {
    assert.deepEqual(await languageServices.definitions({ path, line: 2, character: 3 }, signal), [{ path, line: 1, character: 5, endLine: 1, endCharacter: 8 }]);
    assert.deepEqual((await languageServices.references({ path, line: 1, character: 5 }, signal)).map(({ line, character }) => [line, character]), [[1, 5], [2, 3]]);
    assert.deepEqual(await languageServices.symbols(path, signal), [{ name: 'one', kind: 'class', depth: 0, line: 1, endLine: 2 }, { name: 'two', kind: 'function', depth: 1, line: 2, endLine: 2 }]);
  });

  it('say what a rename would change, and change nothing', async () => {
    const edits = await languageServices.rename({ path, line: 1, character: 5 }, 'four', signal);
    assert.deepEqual(edits, [
      { path, line: 1, character: 5, endLine: 1, endCharacter: 8, newText: 'four' },
      { path, line: 2, character: 3, endLine: 2, endCharacter: 6, newText: 'four' },
    ]);
    assert.match(new TextDecoder().decode(await vscode.workspace.fs.readFile(workspaceFile('text.words'))), /two three/);
    await assert.rejects(languageServices.rename({ path, line: 1, character: 5 }, 'bad', signal), /refuse to rename it.*bad is no name/);
  });

  it('tell problems of one file and of all', async () => {
    const uri = vscode.Uri.file(path);
    const problem = new vscode.Diagnostic(new vscode.Range(1, 2, 1, 5), 'twice', vscode.DiagnosticSeverity.Warning);
    Object.assign(problem, { source: 'words', code: { value: 7, target: uri } });
    problems.set(uri, [problem]);
    const expected = { path, line: 2, character: 3, severity: 'warning', message: 'twice', source: 'words', code: '7' };
    assert.deepEqual(await languageServices.diagnostics(path, signal), [expected]);
    assert.deepEqual((await languageServices.diagnostics(undefined, signal)).filter((each) => each.path === path), [expected]);
  });
});
