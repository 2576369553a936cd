import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../src/sdk/index.ts';
import { editorDocuments } from '../../src/vscode/editorDocuments.ts';
import { editorWrites } from '../../src/vscode/editorWrites.ts';
import { PausedCommand } from '../support/duringCommand.ts';
import { EngineHarness, runTurn } from '../support/engineHarness.ts';
import { message } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';
import { closeEditors } from './extensionApi.ts';

const all = { scope: 'both', skip: [], overwrite: [] } as const;

describe('What is saved in the editor while a command runs', () => {
  let harness: EngineHarness;
  let session: Session;

  beforeEach(async () => {
    harness = await EngineHarness.start();
    await harness.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
    await harness.write('b.txt', 'b\n');
    session = await harness.open({ documents: editorDocuments, userWrites: editorWrites, permissionMode: 'bypassPermissions' });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await closeEditors();
    await harness.close();
  });

  /** Types into a file and saves it, as a person does. */
  async function type(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(harness.path(name)));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await document.save());
  }

  async function during(first: string, then: string, action: () => Promise<unknown>): Promise<string> {
    const command = new PausedCommand(join(harness.dataRoot, '..'));
    harness.server.push(turn({ reply: message([command.call(first, then)]) }), turn({ reply: message('Done.') }));
    const running = runTurn(session, 'please');
    await command.standsStill();
    await action();
    await command.goOn();
    await running;
    return session.rewindTargets()[0]!.messageId;
  }

  it('is the user’s: going back leaves it, and brings back what the command did', async () => {
    const target = await during('true', 'echo changed > b.txt', () => type('a.txt', 'mine\n'));
    const plan = await session.planRewind(target);
    assert.deepEqual(plan.files.map(({ path, changedSince, unwatched }) => [path, changedSince, unwatched]), [[harness.path('b.txt'), false, undefined]]);
    await session.rewind(target, all);
    assert.deepEqual([await harness.read('a.txt'), await harness.read('b.txt')], ['mine\none\ntwo\nthree\nfour\nfive\n', 'b\n']);
  });

  it('onto what the command did: going back asks, and merges', async () => {
    const target = await during('sed -i s/five/FIVE/ a.txt', 'true', () => type('a.txt', 'mine\n'));
    const plan = await session.planRewind(target);
    assert.deepEqual(plan.files.map(({ changedSince, merge }) => ({ changedSince, merge })), [{ changedSince: true, merge: { conflicts: [] } }]);
    await session.rewind(target, { ...all, merge: [harness.path('a.txt')] });
    assert.equal(await harness.read('a.txt'), 'mine\none\ntwo\nthree\nfour\nfive\n');
  });

  it('and overwritten by the command: going back brings the save back', async () => {
    const target = await during('true', 'echo by the command > a.txt', () => type('a.txt', 'mine\n'));
    await session.rewind(target, all);
    assert.equal(await harness.read('a.txt'), 'mine\none\ntwo\nthree\nfour\nfive\n');
  });

  it('and deleted or moved in the explorer: going back asks', async () => {
    const target = await during('echo x > c.txt', 'true', async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(vscode.Uri.file(harness.path('a.txt')), vscode.Uri.file(harness.path('moved.txt')));
      edit.deleteFile(vscode.Uri.file(harness.path('b.txt')));
      assert.ok(await vscode.workspace.applyEdit(edit));
    });
    const plan = await session.planRewind(target);
    const names = plan.files.map(({ path, changedSince }) => `${path.slice(harness.cwd.length + 1)} ${changedSince}`).sort();
    assert.deepEqual(names, ['a.txt true', 'b.txt true', 'c.txt false', 'moved.txt true']);
  });
});
