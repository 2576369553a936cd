import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { message, text, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';

const original = 'const total = 1;\r\nconsole.log(total);';

describe('review before the write', () => {
  let server: ScriptedServer;
  let opened: OpenedWorkbench;
  let file: string;

  beforeEach(async () => {
    server = await startScriptedServer([], { expectedKey: testApiKey });
    opened = await openWorkbench({ baseUrl: server.url, files: { 'src/bill.js': original } });
    file = path.join(opened.workspace, 'src', 'bill.js');
    server.push(
      { reply: message([text('I read it first.'), toolUse('Read', { file_path: file })]) },
      { reply: message([toolUse('Edit', { file_path: file, old_string: 'const total = 1;', new_string: 'const sum = 1;' })]) },
      { reply: message('Thank you.') },
    );
    await openChat(opened);
    await opened.chat.send('rename total to sum in bill.js');
    await opened.chat.approval().waitFor();
    await opened.workbench.diffSide('modified').locator('.view-line').first().waitFor();
  });
  afterEach(async () => {
    await server.close();
  });

  it('writes exactly what the right side shows, and tells the model what the user changed', async () => {
    const { chat, page, workbench } = opened;
    assert.equal(fs.readFileSync(file, 'utf8'), original);
    await workbench.diffSide('modified').locator('.view-line').filter({ hasText: 'const' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' // by hand');
    await workbench.dirtyTabs().first().waitFor();
    // Saving is not accepting.
    await page.keyboard.press('Control+S');
    await workbench.dirtyTabs().first().waitFor({ state: 'detached' });
    assert.equal(await chat.approval().count(), 1);
    await page.keyboard.type('!');
    await workbench.dirtyTabs().first().waitFor();
    await chat.approve();
    await chat.messages('assistant').filter({ hasText: 'Thank you.' }).waitFor();
    await chat.idle();

    assert.equal(fs.readFileSync(file, 'utf8'), 'const sum = 1; // by hand!\r\nconsole.log(total);');
    assert.match(lastTold(server.requests[2]!.body), /by hand!/);
    assert.equal(await workbench.tab(/proposed/).count(), 0);
    assert.equal(await workbench.dialog().count(), 0);
    assert.match((await chat.toolCards({ tool: 'Edit' }).textContent()) ?? '', /you changed|changed by you|edited/i);
    server.assertClean();
  });

  it('changes not a byte when it is rejected, and tells the model why', async () => {
    const { chat, workbench } = opened;
    const before = fs.statSync(file, { bigint: true });
    // Closing the tab decides nothing; the card brings it back.
    await workbench.runCommand('View: Close Editor');
    await workbench.tab(/proposed/).waitFor({ state: 'detached' });
    await chat.approval().getByTestId('open-diff').click();
    await workbench.diffSide('modified').locator('.view-line').first().waitFor();
    await chat.reject('the name is used elsewhere');
    await chat.messages('assistant').filter({ hasText: 'Thank you.' }).waitFor();
    await chat.idle();

    const after = fs.statSync(file, { bigint: true });
    assert.deepEqual([after.mtimeNs, after.ino, fs.readFileSync(file, 'utf8')], [before.mtimeNs, before.ino, original]);
    assert.match(lastTold(server.requests[2]!.body), /the name is used elsewhere/);
    await chat.toolCards({ tool: 'Edit', status: 'rejected' }).waitFor();
    await workbench.tab(/proposed/).waitFor({ state: 'detached' });
    server.assertClean();
  });
});
