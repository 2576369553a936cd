import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('one change among many', () => {
  for (const theme of ['light', 'highContrast'] as const) {
    it(`is taken back from its card and from its message, what came after is kept (${theme})`, async () => {
      const server = await startScriptedServer([], { expectedKey: testApiKey });
      const opened = await openWorkbench({ baseUrl: server.url, theme, files: { 'list.txt': 'one\ntwo\nthree\nfour\nfive\n' }, settings: { 'turnstone.permissionMode': 'acceptEdits' } });
      const { chat, page, workbench, workspace } = opened;
      const list = path.join(workspace, 'list.txt');
      const text = (): string => fs.readFileSync(list, 'utf8');
      server.push(
        { reply: message([toolUse('Read', { file_path: list })]) },
        { reply: message([toolUse('Edit', { file_path: list, old_string: 'one', new_string: 'ONE' })]) },
        { reply: message([toolUse('Bash', { command: "sed -i 's/five/FIVE/' list.txt; echo made > made.txt" })]) },
        { reply: message('Both are done.') },
      );
      await openChat(opened);
      await chat.send('Shout');
      await chat.approval().waitFor();
      await chat.approve();
      await chat.messages('assistant').filter({ hasText: 'Both are done.' }).waitFor();
      await chat.idle();
      assert.equal(text(), 'ONE\ntwo\nthree\nfour\nFIVE\n');

      const [edit, command] = [chat.toolCards({ tool: 'Edit' }), chat.toolCards({ tool: 'Bash' })];
      await edit.getByTestId('undo-change').waitFor();
      assert.equal(await chat.toolCards({ tool: 'Read' }).getByTestId('undo-change').count(), 0);
      await edit.hover();
      await screenshot(page, `undo-card-${theme}`);
      await edit.getByRole('button', { name: 'Undo this change…' }).click();
      await workbench.quickPickRow('Undo').waitFor();
      await screenshot(page, `undo-question-${theme}`);
      await workbench.quickPickRow('Undo').click();
      await until('only the edit is taken back', () => text() === 'one\ntwo\nthree\nfour\nFIVE\n');
      assert.ok(fs.existsSync(path.join(workspace, 'made.txt')));
      await edit.getByTestId('undone').waitFor();
      assert.equal(await edit.getByTestId('undo-change').count(), 0);
      await screenshot(page, `undone-card-${theme}`);
      await edit.hover();
      await edit.getByTestId('redo-change').click();
      await until('the edit is made again', () => text() === 'ONE\ntwo\nthree\nfour\nFIVE\n');
      await edit.hover();
      await edit.getByTestId('undo-change').click();
      await workbench.quickPickRow('Undo').click();
      await until('and taken back again', () => text() === 'one\ntwo\nthree\nfour\nFIVE\n');

      await command.getByTestId('undo-change').waitFor();
      await command.getByTestId('undo-change').focus();
      await page.keyboard.press('Enter');
      await workbench.quickPickRow('Undo').waitFor();
      await page.keyboard.press('Enter');
      await until('the command is taken back', () => text() === 'one\ntwo\nthree\nfour\nfive\n' && !fs.existsSync(path.join(workspace, 'made.txt')));

      await workbench.runCommand('Turnstone: Undo Rewind');
      await until('the command counts again', () => text() === 'one\ntwo\nthree\nfour\nFIVE\n');
      await chat.messages('user').hover();
      await chat.frame.getByRole('button', { name: 'Undo the changes of this message…' }).click();
      await workbench.quickPickRow('Undo').click();
      await until('the message is taken back', () => text() === 'one\ntwo\nthree\nfour\nfive\n' && !fs.existsSync(path.join(workspace, 'made.txt')));

      await workbench.runCommand('Turnstone: Show Storage…');
      await workbench.notification(/Turnstone keeps \d+ kB of file contents \(\d+ versions?\), so that changes can be taken back\./).waitFor();
      await screenshot(page, `show-storage-${theme}`);
      server.push({ reply: message('Nothing more.') });
      await chat.send('And now?');
      await chat.messages('assistant').filter({ hasText: 'Nothing more.' }).waitFor();
      await chat.idle();
      await workbench.runCommand('Turnstone: Undo Rewind');
      await until('all is as it was before', () => text() === 'one\ntwo\nthree\nfour\nFIVE\n');
      server.assertClean();
      await server.close();
    });
  }
});
