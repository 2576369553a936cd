import type { Page } from 'playwright-core';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { WireBlock } from '../support/apiTypes.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

const ten = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';
const proposed = ten.replace('1\n', 'one\n').replace('5', 'five').replace('9', 'nine');

describe('a review by mouse and key', () => {
  let server: ScriptedServer;
  let opened: OpenedWorkbench;
  let turns = 0;

  before(async () => {
    server = await startScriptedServer([], { expectedKey: testApiKey });
    const names = ['lens.ts', 'menu.ts', 'arrow.ts', 'focus.ts', 'title.ts', 'other.ts', 'away.ts'];
    opened = await openWorkbench({ baseUrl: server.url, settings: { 'diffEditor.codeLens': true }, files: { ...Object.fromEntries(names.map((name) => [name, ten])), 'big.txt': `first line\n${'line of text\n'.repeat(400_000)}` } });
    await openChat(opened);
  });
  after(() => server.close());

  const at = (name: string): string => path.join(opened.workspace, name);
  const read = (name: string): string => fs.readFileSync(at(name), 'utf8');

  /** A turn in which the model reads a file and proposes a change to it. Returns once the diff is shown. */
  async function propose(name: string, call: WireBlock): Promise<string> {
    const done = `Turn ${++turns} is done.`;
    server.push({ reply: message([toolUse('Read', { file_path: at(name), limit: 20 })]) }, { reply: message([call]) }, { reply: message(done) });
    await opened.chat.send(`turn ${turns}`);
    await opened.chat.approval().waitFor();
    await modified().locator('.view-line').first().waitFor();
    return done;
  }
  const proposeThree = (name: string): Promise<string> => propose(name, toolUse('MultiEdit', { file_path: at(name), edits: [{ old_string: '1\n2', new_string: 'one\n2' }, { old_string: '5', new_string: 'five' }, { old_string: '9', new_string: 'nine' }] }));
  const modified = () => opened.workbench.diffSide('modified');
  const line = (text: string) => modified().locator('.view-line').filter({ hasText: text });
  async function ended(done: string): Promise<string> {
    await opened.chat.messages('assistant').filter({ hasText: done }).waitFor();
    await opened.chat.idle();
    await until('no tab is left', async () => (await opened.workbench.tab(/roposed/).count()) === 0);
    return lastTold(server.requests.at(-1)!.body);
  }

  it('commands above each hunk, where CodeLens is on in diffs', async () => {
    const { chat, page } = opened;
    const done = await proposeThree('lens.ts');
    const lenses = page.locator('.codelens-decoration a');
    await until('each hunk has both', async () => (await lenses.count()) === 6);
    await screenshot(page, 'code-lens');
    await lenses.filter({ hasText: 'Reject' }).nth(1).click();
    await line('five').waitFor({ state: 'detached' });
    await until('two hunks are left', async () => (await lenses.count()) === 4);
    await lenses.filter({ hasText: 'Accept' }).first().click();
    await until('one can still be accepted', async () => (await lenses.filter({ hasText: 'Accept' }).count()) === 1);
    await lenses.filter({ hasText: 'Accept' }).first().click();
    assert.match(await ended(done), /line 5 of your proposal: rejected/);
    assert.equal(read('lens.ts'), proposed.replace('five', '5'));
    await chat.frame.getByTestId('verdicts').filter({ hasText: '2 of 3 changes accepted, 1 rejected' }).waitFor();
    await screenshot(page, 'verdicts');
    server.assertClean();
  });

  it('the menu of the line numbers, by mouse', async () => {
    const { chat, page } = opened;
    const done = await proposeThree('menu.ts');
    await line('nine').waitFor();
    await modified().locator('.line-numbers').filter({ hasText: /^9$/ }).click({ button: 'right' });
    await clickMenuItem(page, 'Reject Change at Cursor');
    await line('nine').waitFor({ state: 'detached' });
    await chat.approve();
    await ended(done);
    assert.equal(read('menu.ts'), proposed.replace('nine', '9'));
    server.assertClean();
  });

  it('the arrow of the diff takes a hunk back, and what is accepted is the right side as it is then', async () => {
    const { chat, page } = opened;
    const done = await proposeThree('arrow.ts');
    await line('five').hover();
    const arrow = page.locator('.gutterItem a.action-label[aria-label="Revert Block"]');
    await until('each hunk has an arrow', async () => (await arrow.count()) >= 3);
    await arrow.nth(1).click();
    await line('five').waitFor({ state: 'detached' });
    await chat.approve();
    assert.match(await ended(done), /line 5 of your proposal: rejected/);
    assert.equal(read('arrow.ts'), proposed.replace('five', '5'));
    server.assertClean();
  });

  it('deciding by key leaves the caret in the diff, and with the last hunk it goes to an editor', async () => {
    const { page, workbench } = opened;
    await workbench.openFile('other.ts');
    const done = await proposeThree('focus.ts');
    await line('one').click();
    await page.waitForTimeout(600);
    const isInEditor = (): Promise<boolean> => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null);
    const marks = async (): Promise<number> => (await modified().innerHTML()).split('ced-').length - 1;
    await page.keyboard.press('Alt+Enter');
    await until('it is marked', async () => (await marks()) > 0);
    assert.ok(await isInEditor());
    const ofOne = await marks();
    await page.keyboard.press('Alt+Enter');
    // Only then the caret stands in the last one; a key that comes before is for the same one again.
    await until('the next one is, too', async () => (await marks()) > ofOne);
    await page.keyboard.press('Alt+Enter');
    await ended(done);
    assert.equal(read('focus.ts'), proposed);
    await until('the caret is in the editor that is left', isInEditor);
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('typed after ');
    await until('keys go there', async () => (await workbench.visibleLines(workbench.activeGroup())).some((each) => each.includes('typed after 1')));
    await page.keyboard.press('Control+S');
    await workbench.dirtyTabs().first().waitFor({ state: 'detached' });
    assert.equal(read('other.ts'), `typed after ${ten}`);
    server.assertClean();
  });

  it('a file of 5 MB is reviewed like any other', async () => {
    const { chat } = opened;
    const done = await propose('big.txt', toolUse('Edit', { file_path: at('big.txt'), old_string: 'first line', new_string: 'FIRST line' }));
    await line('FIRST').first().waitFor();
    await line('FIRST').first().click();
    await opened.page.keyboard.press('End');
    await opened.page.keyboard.type(', by hand');
    await chat.approve();
    await ended(done);
    assert.equal(read('big.txt'), `FIRST line, by hand\n${'line of text\n'.repeat(400_000)}`);
    server.assertClean();
  });

  it('another session can be opened while a proposal waits: nobody is asked, and it waits there again', async () => {
    const { chat, workbench } = opened;
    const done = await proposeThree('away.ts');
    await workbench.runCommand('Turnstone: New Session');
    await until('the conversation is empty', async () => (await chat.messages().count()) === 0);
    assert.equal(await workbench.dialog().count(), 0);
    await until('no tab is left', async () => (await workbench.tab(/roposed/).count()) === 0);
    assert.equal(read('away.ts'), ten);
    await workbench.runCommand('Turnstone: Open Session…');
    await workbench.quickPickRow(/turn 1/).click();
    await chat.approval().filter({ hasText: 'when the session ended' }).waitFor();
    await chat.approve();
    await line('nine').waitFor();
    await chat.approve();
    await ended(done);
    assert.equal(read('away.ts'), proposed);
    server.assertClean();
  });
});

/** Context menus stand in shadow roots, out of sight of selectors. A click in their first moment is taken for the one that opened them. */
async function clickMenuItem(page: Page, label: string): Promise<void> {
  const find = () =>
    page.evaluate((wanted) => {
      const roots: (Document | ShadowRoot)[] = [document];
      for (const root of roots) {
        for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
        for (const item of root.querySelectorAll('.monaco-menu .action-item')) {
          const { x, y, width, height } = item.getBoundingClientRect();
          if (width > 0 && item.querySelector('.action-label')?.textContent?.trim() === wanted) return { x: x + width / 2, y: y + height / 2 };
        }
      }
      return undefined;
    }, label);
  await until('the menu is open', find);
  await until('the menu has closed', async () => {
    const place = await find();
    if (place) await page.mouse.click(place.x, place.y, { delay: 50 });
    return place === undefined;
  });
}
