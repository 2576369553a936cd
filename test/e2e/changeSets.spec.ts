import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { deferred } from '../../src/base/deferred.ts';
import type { WireBlock } from '../support/apiTypes.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

const ten = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';
const crlf = '\ufeffone\r\n\ttwo\r\n\tthree\r\nfour\r\nfive\r\nsix\r\n\tseven\r\n';

describe('change sets, hunks and files that move on', () => {
  let server: ScriptedServer;
  let opened: OpenedWorkbench;
  let turns = 0;

  before(async () => {
    server = await startScriptedServer([], { expectedKey: testApiKey });
    const names = Array.from({ length: 40 }, (_, index) => `many/f${index}.txt`);
    opened = await openWorkbench({
      baseUrl: server.url,
      files: { 'ten.txt': ten, 'tabs.cs': crlf, 'typed.txt': ten, 'clash.txt': ten, 'keys.ts': ten, 'esc.txt': ten, 'big.txt': 'line of text\n'.repeat(400_000), ...Object.fromEntries(names.map((name) => [name, 'old\n'])) },
    });
    await openChat(opened);
  });
  after(() => server.close());

  const at = (name: string): string => path.join(opened.workspace, name);
  const read = (name: string): string => fs.readFileSync(at(name), 'utf8');
  const edit = (name: string, from: string, to: string): WireBlock => toolUse('Edit', { file_path: at(name), old_string: from, new_string: to });

  /** A turn in which the model reads these files and then makes these calls in one answer. Returns once it waits for the user. */
  async function propose(reads: readonly string[], calls: readonly WireBlock[]): Promise<string> {
    const done = `Turn ${++turns} is done.`;
    if (reads.length > 0) server.push({ reply: message(reads.map((name) => toolUse('Read', { file_path: at(name), limit: 5_000_000 }))) });
    server.push({ reply: message(calls) }, { reply: message(done) });
    await opened.chat.send(`turn ${turns}`);
    await opened.chat.approval().waitFor();
    return done;
  }
  async function ended(done: string): Promise<string> {
    await opened.chat.messages('assistant').filter({ hasText: done }).waitFor();
    await opened.chat.idle();
    await until('no tab is left', async () => (await opened.workbench.tab(/roposed/).count()) === 0);
    return lastTold(server.requests.at(-1)!.body);
  }
  const file = (name: string) => opened.chat.frame.getByTestId('review-file').filter({ hasText: name });

  it('one answer is one set: shown as a whole, decided by file and by hunk, written at once', async () => {
    const { chat, page, workbench } = opened;
    const done = await propose(['ten.txt', 'tabs.cs'], [
      edit('ten.txt', '2\n', 'two\n'),
      toolUse('Write', { file_path: at('made/here/new.txt'), content: 'new\n' }),
      toolUse('MultiEdit', { file_path: at('tabs.cs'), edits: [{ old_string: '\ttwo', new_string: '\tTWO' }, { old_string: '\tseven', new_string: '\tSEVEN' }] }),
      edit('ten.txt', 'two\n3\n', 'two\nthree\n'),
      edit('ten.txt', '9\n', 'nine\n'),
    ]);
    await file('tabs.cs').waitFor();
    assert.equal(await chat.frame.getByTestId('review-file').count(), 3);
    await file('tabs.cs').getByRole('button', { name: /^Show/ }).click();
    await chat.approval().getByTestId('open-diff').click();
    await workbench.tab('Proposed changes to 3 files').waitFor();
    await page.locator('.view-line', { hasText: 'SEVEN' }).first().waitFor();
    await screenshot(page, 'change-set');
    await file('tabs.cs').getByTestId('reject-hunk').nth(1).click();
    await until('one hunk is left', async () => (await file('tabs.cs').getByTestId('review-hunk').count()) === 1);
    await chat.frame.getByTestId('reject-reason').fill('no new folders');
    await file('new.txt').getByTestId('reject-file').click();
    await chat.frame.locator('[data-testid="review-file"][data-decision="deny"]').waitFor();
    assert.equal(read('ten.txt'), ten, 'nothing is written before all are decided');
    await chat.approve();
    const told = await ended(done);
    assert.equal(read('ten.txt'), ten.replace('2\n3\n', 'two\nthree\n').replace('9', 'nine'));
    assert.equal(read('tabs.cs'), crlf.replace('two', 'TWO'));
    assert.equal(fs.existsSync(at('made')), false);
    assert.match(told, /no new folders/);
    assert.match(told, /line 2 of your proposal: accepted.*line 7 of your proposal: rejected/);
    assert.equal(await workbench.dialog().count(), 0);
    server.assertClean();
  });

  it('keys typed elsewhere stay there, and what is typed into the file is kept in the proposal', async () => {
    const { chat, page, workbench } = opened;
    await workbench.openFile('typed.txt');
    const looked = deferred<void>();
    const asked = server.requests.length;
    server.push({ reply: message([toolUse('Read', { file_path: at('typed.txt') })]) }, { reply: message([edit('typed.txt', '9\n', 'nine\n')]), stallAfter: { events: 1, until: looked.promise } }, { reply: message('Typed turn is done.') });
    await chat.send('go');
    await until('the file was read', () => server.requests.length > asked);
    await workbench.activeGroup().locator('.view-line').first().click();
    await page.keyboard.press('Control+Home');
    looked.resolve();
    const text = 'typed while it came ';
    await page.keyboard.type(text, { delay: 120 });
    await chat.approval().waitFor();
    await page.keyboard.type('and after', { delay: 40 });
    await until('the user’s keys are in the file', async () => (await workbench.visibleLines(workbench.activeGroup())).join('\n').includes(text.trim()));
    await chat.frame.locator('[data-testid="review-file"][data-state="rebased"]').waitFor();
    await screenshot(page, 'rebased');
    await chat.approve();
    await ended('Typed turn is done.');
    assert.match(read('typed.txt'), /^typed while it came and after1\n[\s\S]*nine/);
    server.assertClean();
  });

  it('a conflict is shown instead of accepted, and resolved on the right side', async () => {
    const { chat, page, workbench } = opened;
    const done = await propose(['clash.txt'], [edit('clash.txt', '5\n', 'five\n')]);
    fs.writeFileSync(at('clash.txt'), ten.replace('5', 'fünf'));
    await chat.frame.locator('[data-testid="review-file"][data-state="conflict"]').waitFor();
    await chat.approve();
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: '<<<<<<< now' }).waitFor();
    await screenshot(page, 'conflict');
    assert.equal(await chat.approval().count(), 1);
    await workbench.diffSide('modified').locator('.view-line').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('resolved');
    await chat.frame.locator('[data-testid="review-file"][data-state="rebased"]').waitFor();
    await chat.approve();
    await ended(done);
    assert.equal(read('clash.txt'), 'resolved');
    server.assertClean();
  });

  it('hunks are decided with keys, and with the last one the file is', async () => {
    const { page, workbench } = opened;
    const done = await propose(['keys.ts'], [toolUse('MultiEdit', { file_path: at('keys.ts'), edits: [{ old_string: '1\n2', new_string: 'one\n2' }, { old_string: '5', new_string: 'five' }, { old_string: '9', new_string: 'nine' }] })]);
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: 'one' }).click();
    await page.waitForTimeout(600);
    await page.keyboard.press('Alt+Enter');
    await until('it is marked', async () => (await page.locator('.monaco-diff-editor .editor.modified').innerHTML()).includes('ced-'));
    await screenshot(page, 'hunk-accepted');
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: 'five' }).click();
    await page.keyboard.press('Alt+Shift+Backspace');
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: 'five' }).waitFor({ state: 'detached' });
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: 'nine' }).click();
    await page.keyboard.press('Alt+Shift+Backspace');
    // With the last one the file is decided.
    const told = await ended(done);
    assert.equal(read('keys.ts'), ten.replace('1', 'one'));
    assert.match(told, /line 1 of your proposal: accepted.*line 5 of your proposal: rejected.*line 9 of your proposal: rejected/);
    server.assertClean();
  });

  it('forty files are one set, and a large file is reviewed like any other', async () => {
    const { chat, page } = opened;
    const names = Array.from({ length: 40 }, (_, index) => `many/f${index}.txt`);
    const done = await propose(names, names.map((name) => edit(name, 'old', 'new')));
    await chat.approval().filter({ hasText: 'Change 40 files' }).waitFor();
    await screenshot(page, 'forty-files');
    assert.ok((await opened.workbench.tab(/proposed/).count()) <= 1, 'not forty tabs');
    await chat.approve();
    await ended(done);
    assert.ok(names.every((name) => read(name) === 'new\n'));
    const large = await propose([], [toolUse('Write', { file_path: at('huge.txt'), content: 'x\n'.repeat(1_000_000) })]);
    await chat.approve();
    await ended(large);
    assert.equal(fs.statSync(at('huge.txt')).size, 2_000_000);
    server.assertClean();
  });

  it('Escape in the panel decides nothing, leaves no tab, and the model is told', async () => {
    const { chat, page } = opened;
    const done = await propose(['esc.txt'], [edit('esc.txt', '5', 'five')]);
    await chat.composer().focus();
    await page.keyboard.press('Escape');
    await chat.idle();
    await until('no tab is left', async () => (await opened.workbench.tab(/roposed/).count()) === 0);
    assert.equal(read('esc.txt'), ten);
    await chat.send('and now?');
    await chat.messages('assistant').filter({ hasText: done }).waitFor();
    assert.match(JSON.stringify(server.requests.at(-1)!.body.messages.slice(-3)), /interrupted before this was decided/);
  });
});
