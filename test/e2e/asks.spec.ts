import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('what is asked in the panel', () => {
  let server: ScriptedServer;
  let opened: OpenedWorkbench;

  beforeEach(async () => {
    server = await startScriptedServer([], { expectedKey: testApiKey });
    opened = await openWorkbench({ baseUrl: server.url });
    await openChat(opened);
  });
  afterEach(() => server.close());

  it('a call that was left open is offered again after a reload, and then decided', async () => {
    const { chat, page, workbench, workspace } = opened;
    const file = path.join(workspace, 'new.txt');
    server.push({ reply: message([toolUse('Write', { file_path: file, content: 'new\n' })]) }, { reply: message('It is written.') });
    await chat.send('Write a file');
    await chat.approval().waitFor();
    await workbench.reload();
    await openChat(opened);
    await chat.approval().filter({ hasText: 'when the session ended' }).waitFor();
    assert.equal(server.requests.length, 1, 'nothing may go on by itself');
    await screenshot(page, 'left-open');
    await chat.approve();
    await chat.approval().getByTestId('open-diff').waitFor();
    assert.equal(fs.existsSync(file), false);
    await chat.approve();
    await chat.messages('assistant').filter({ hasText: 'It is written.' }).waitFor();
    assert.equal(fs.readFileSync(file, 'utf8'), 'new\n');
    await chat.toolCards({ tool: 'Write', status: 'done' }).waitFor();
    server.assertClean();
  });

  it('saying something else passes over a call that was left open', async () => {
    const { chat, workbench } = opened;
    server.push({ reply: message([toolUse('Bash', { command: 'echo never' })]) }, { reply: message('Then not.') });
    await chat.send('Run it');
    await chat.approval().waitFor();
    await workbench.reload();
    await openChat(opened);
    await chat.approval().waitFor();
    await chat.send('Leave it');
    await chat.messages('assistant').filter({ hasText: 'Then not.' }).waitFor();
    await chat.idle();
    assert.equal(await chat.approval().count(), 0);
    await chat.toolCards({ tool: 'Bash', status: 'interrupted' }).waitFor();
    assert.match(JSON.stringify(server.requests[1]!.body.messages), /Not decided/);
    server.assertClean();
  });

  it('questions of the model are answered on a card', async () => {
    const { chat, page } = opened;
    const question = { question: 'Which word?', header: 'Word', options: [{ label: 'Heron', description: 'A bird.' }, { label: 'Otter', description: 'No bird.' }], multiSelect: false };
    server.push({ reply: message([toolUse('AskUser', { questions: [question] })]) }, { reply: message('Otter it is.') });
    await chat.send('Ask me');
    await chat.frame.getByLabel('Otter').check();
    await screenshot(page, 'questions');
    await chat.frame.getByTestId('questions-answer').click();
    await chat.messages('assistant').filter({ hasText: 'Otter it is.' }).waitFor();
    assert.match(lastTold(server.requests[1]!.body), /Which word\?\\n- Otter/);
    server.assertClean();
  });

  it('commands and files are completed, and /clear shows an empty conversation', async () => {
    const { chat, page } = opened;
    server.push({ reply: message('It adds up prices.') });
    await chat.composer().pressSequentially('What is in @CAR');
    await chat.frame.getByTestId('completion').filter({ hasText: 'src/cart.ts' }).first().waitFor();
    await screenshot(page, 'completion');
    await page.keyboard.press('Enter');
    assert.equal(await chat.composer().inputValue(), 'What is in @src/cart.ts ');
    await page.keyboard.press('Enter');
    await chat.messages('assistant').filter({ hasText: 'It adds up prices.' }).waitFor();
    await chat.idle();
    assert.match(JSON.stringify(server.requests[0]!.body.messages), /attached-file/);

    await chat.composer().pressSequentially('/cle');
    await chat.frame.getByTestId('completion').filter({ hasText: '/clear' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await chat.composer().inputValue(), '/clear');
    await page.keyboard.press('Enter');
    await until('the conversation is empty', async () => (await chat.messages().count()) === 0);
    await chat.frame.getByTestId('notice').filter({ hasText: 'A new conversation begins here' }).waitFor();
    server.assertClean();
  });
});
