import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { DisposableStore } from '../../src/base/disposables.ts';
import type { Session } from '../../src/sdk/index.ts';
import { editorDocuments } from '../../src/vscode/editorDocuments.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { EngineHarness, runTurn, toolResults } from '../support/engineHarness.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';
import { closeEditors, extensionApi, until, workspaceFile } from './extensionApi.ts';

const all = { scope: 'both', skip: [], overwrite: [] } as const;

describe('Going back under open editors', () => {
  let harness: EngineHarness;
  let session: Session;
  let disposables = new DisposableStore();

  /** A session in which the agent has made this edit of a.txt. */
  async function edited(content: string | Uint8Array, old_string: string, new_string: string, beforeEdit?: () => Promise<unknown>): Promise<string> {
    harness = await EngineHarness.start([
      turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }),
      turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string, new_string }, { id: 'edit' })]) }),
      turn({ reply: message('Done.') }),
    ]);
    await harness.write('a.txt', content);
    await beforeEdit?.();
    session = await harness.open({ documents: editorDocuments });
    await runTurn(session, 'Change it.');
    return session.rewindTargets()[0]!.messageId;
  }

  const open = (options?: { encoding: string }): Thenable<vscode.TextDocument> => vscode.workspace.openTextDocument(vscode.Uri.file(harness.path('a.txt')), options);

  async function type(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  afterEach(async () => {
    disposables.dispose();
    disposables = new DisposableStore();
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await closeEditors();
    await harness.close();
  });

  it('writes through the editor of an open file, where Ctrl+Z leads back', async () => {
    const target = await edited('one\ntwo\n', 'two', 'TWO');
    const document = await open();
    await vscode.window.showTextDocument(document);
    await session.rewind(target, all);
    assert.deepEqual([document.getText(), document.isDirty, await harness.read('a.txt')], ['one\ntwo\n', false, 'one\ntwo\n']);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\nTWO\n');
  });

  it('merges what is typed and not saved', async () => {
    const target = await edited('one\ntwo\nthree\n', 'one', 'ONE');
    const document = await open();
    await type(document, 'mine\n');
    const plan = await session.planRewind(target);
    assert.deepEqual(plan.files.map(({ changedSince, merge }) => ({ changedSince, merge })), [{ changedSince: true, merge: { conflicts: [] } }]);
    await session.rewind(target, { ...all, merge: [harness.path('a.txt')] });
    assert.deepEqual([document.getText(), document.isDirty, await harness.read('a.txt')], ['one\ntwo\nthree\nmine\n', false, 'one\ntwo\nthree\nmine\n']);
  });

  it('gives the exact bytes back where the editor would save others: mixed line ends, a save participant', async () => {
    const target = await edited('one\r\ntwo\nthree\n', 'three', 'THREE');
    const document = await open();
    await vscode.window.showTextDocument(document);
    disposables.add(vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')]))));
    await session.rewind(target, all);
    assert.equal(await harness.read('a.txt'), 'one\r\ntwo\nthree\n');
    await until('the editor follows', () => !document.isDirty && document.getText().endsWith('three\n') || document.getText().endsWith('three\r\n'));
    await session.undoRewind();
    assert.equal(await harness.read('a.txt'), 'one\r\ntwo\nTHREE\n');
  });

  it('tells the model what the file holds in the end, whatever saving did to it', async () => {
    await edited('one\ntwo\n', 'two', 'TWO', async () => {
      const document = await open();
      await type(document, 'mine\n');
      disposables.add(vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')]))));
    });
    const told = toolResults(harness.server.requests.at(-1)!.body)['edit']!;
    for (const line of (await harness.read('a.txt')).trimEnd().split('\n')) assert.ok(told.includes(line), `${line} is not in: ${told}`);
  });

  it('what is accepted is on disk although a formatter runs on saving; what it does when the user saves between two edits stays', async () => {
    const editor = vscode.workspace.getConfiguration('editor');
    await editor.update('formatOnSave', true, vscode.ConfigurationTarget.Global);
    try {
      harness = await EngineHarness.start([
        turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }),
        turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }, { id: 'first' })]) }),
        turn({ reply: message('Done.') }),
        turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'three', new_string: 'THREE' }, { id: 'second' })]) }),
        turn({ reply: message('Done.') }),
      ]);
      await harness.write('a.txt', 'one\ntwo\nthree\n');
      const document = await open();
      await vscode.window.showTextDocument(document);
      await type(document, 'mine\n');
      disposables.add(vscode.languages.registerDocumentFormattingEditProvider({ scheme: 'file', language: 'plaintext' }, {
        provideDocumentFormattingEdits: (each) => (each.getText().startsWith('one') ? [vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')] : []),
      }));
      session = await harness.open({ documents: editorDocuments });
      await runTurn(session, 'Change it.');
      assert.equal(await harness.read('a.txt'), 'one\nTWO\nthree\nmine\n');
      await until('the editor follows', () => !document.isDirty && document.getText().startsWith('one\nTWO'));
      await type(document, 'more\n');
      await vscode.commands.executeCommand('workbench.action.files.save');
      assert.equal(await harness.read('a.txt'), 'formatted one\nTWO\nthree\nmine\nmore\n');
      await runTurn(session, 'And that.');
      assert.equal(await harness.read('a.txt'), 'formatted one\nTWO\nTHREE\nmine\nmore\n');
      assert.match(JSON.stringify(harness.server.requests[3]!.body), /formatted one/, 'the model is told of it');
    } finally {
      await editor.update('formatOnSave', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('keeps the encoding that the editor has the file open in, also of what is typed', async () => {
    await edited(Buffer.from('# caf\xe9\none\n', 'latin1'), 'one', 'ein Stück', async () => {
      const document = await open({ encoding: 'windows1252' });
      assert.equal(document.getText(), '# café\none\n');
      assert.equal(editorDocuments.encodingOf?.(document.uri.fsPath), 'windows1252');
      await type(document, 'à moi\n');
    });
    assert.deepEqual(await readFile(harness.path('a.txt')), Buffer.from('# caf\xe9\nein St\xfcck\n\xe0 moi\n', 'latin1'));
    await session.rewind(session.rewindTargets()[0]!.messageId, all);
    assert.deepEqual(await readFile(harness.path('a.txt')), Buffer.from('# caf\xe9\none\n\xe0 moi\n', 'latin1'));
  });

  it('leaves a document alone that has no file yet, although it is to have this very name', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Write', { file_path: 'a.txt', content: 'made\n' })]) }), turn({ reply: message('Done.') })]);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(harness.path('a.txt')).with({ scheme: 'untitled' }));
    await type(document, 'mine, not saved');
    session = await harness.open({ documents: editorDocuments });
    await runTurn(session, 'Make it.');
    assert.equal(await harness.read('a.txt'), 'made\n');
    const { files } = await session.planRewind(session.rewindTargets()[0]!.messageId);
    assert.deepEqual(files.map(({ action, changedSince }) => [action, changedSince]), [['delete', false]]);
    await session.rewind(session.rewindTargets()[0]!.messageId, all);
    assert.deepEqual([document.getText(), document.isDirty, document.isClosed], ['mine, not saved', true, false]);
    await assert.rejects(harness.read('a.txt'), { code: 'ENOENT' });
  });

  it('does not save a file that the editor shows in the wrong encoding', async () => {
    const bytes = Buffer.from('# caf\xe9\none\n', 'latin1');
    await edited(bytes, 'one', 'two', async () => type(await open(), 'mine\n'));
    assert.deepEqual(await readFile(harness.path('a.txt')), bytes);
    assert.match(toolResults(harness.server.requests.at(-1)!.body)['edit']!, /encoding.*Nothing was changed/);
  });
});

describe('The rewind picker', () => {
  let api: TestApi;

  before(async () => {
    api = await extensionApi();
    api.send({ type: 'ready' });
    await until('a session is open', () => api.service.session !== undefined);
    await api.service.switchTo(undefined);
    api.service.setPermissionMode('acceptEdits');
    await api.service.submit('create a file rewound.md with the text `first`');
    await api.service.submit('create a file other.md with the text `second`');
  });
  afterEach(closeEditors);
  after(async () => {
    await api.service.switchTo(undefined);
    for (const name of ['rewound.md', 'other.md']) await rm(workspaceFile(name).fsPath, { force: true });
  });

  const text = async (name: string): Promise<string | undefined> => readFile(workspaceFile(name).fsPath, 'utf8').catch(() => undefined);
  const previews = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(({ label }) => label.includes('now → then')));
  const key = (name: string): Thenable<unknown> => vscode.commands.executeCommand(`workbench.action.${name}`);

  it('shows what a message would bring back when the selection moves to it, and writes nothing', async () => {
    const done = vscode.commands.executeCommand('turnstone.rewind');
    const disposables: vscode.Disposable[] = [];
    await until('the list moves', async () => {
      // A selection is looked at where it rests; a key that came before the list was there moves nothing.
      const opened = new Promise<void>((resolve) => disposables.push(vscode.window.tabGroups.onDidChangeTabs(() => previews().length > 0 && resolve())));
      await key('quickOpenSelectNext');
      await Promise.race([opened, sleep(1_000)]);
      return previews().length > 0;
    });
    for (const each of disposables) each.dispose();
    assert.deepEqual([await text('rewound.md'), await text('other.md')], ['first\n', 'second\n']);
    await key('closeQuickOpen');
    await done;
    assert.equal(previews().length, 0);
  });

  it('undoes one call and keeps what came after; the undoing can be undone', async () => {
    const session = api.service.session!;
    const [, first] = session.changes();
    await writeFile(workspaceFile('other.md').fsPath, 'second, mine\n');
    const done = vscode.commands.executeCommand('turnstone.undoChange', { toolUseId: first!.toolUseId });
    await until('it was confirmed', async () => {
      await key('acceptSelectedQuickOpenItem');
      return (await text('rewound.md')) === undefined;
    });
    await done;
    assert.equal(await text('other.md'), 'second, mine\n');
    await vscode.commands.executeCommand('turnstone.undoRewind');
    assert.equal(await text('rewound.md'), 'first\n');
  });

  it('forks at a message: a new session, no file touched', async () => {
    const { sessionId, messages } = api.service.session!;
    await vscode.commands.executeCommand('turnstone.fork');
    const fork = api.service.session!;
    assert.notEqual(fork.sessionId, sessionId);
    assert.deepEqual(fork.messages.map(({ uuid }) => uuid), messages.map(({ uuid }) => uuid));
    assert.deepEqual([await text('rewound.md'), await text('other.md')], ['first\n', 'second, mine\n']);
  });
});

describe('A file in an old encoding', () => {
  it('is read by the extension as it ships, with what is loaded only then', async () => {
    const api = await extensionApi();
    await api.service.ensureOpen();
    await writeFile(workspaceFile('legacy.ts').fsPath, Buffer.from('// caf\xe9\nexport const x = 1;\n', 'latin1'));
    await api.service.submit('explain legacy.ts');
    await rm(workspaceFile('legacy.ts').fsPath);
    assert.match(JSON.stringify(api.service.session!.messages), /café[^]*stored as ISO-8859-1/);
    await api.service.switchTo(undefined);
  });
});
