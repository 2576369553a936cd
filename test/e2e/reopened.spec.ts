import assert from 'node:assert/strict';
import { message, text, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { costItem, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

const usage = { input_tokens: 20_000, output_tokens: 2_000 };

describe('a session that is opened again', () => {
  it('looks as it did: after a reload, and when it is connected anew', async () => {
    const server = await startScriptedServer(
      [
        { reply: message([text('I write the note.'), toolUse('Write', { file_path: 'note.txt', content: 'heron\n' })], { usage }) },
        { reply: message('Then I leave it.', { usage }) },
        { reply: message('A long story begins here, and it is told word by word until somebody stops it.', { usage }), deltaSize: 12, stallAfter: { events: 7 } },
      ],
      { expectedKey: testApiKey },
    );
    const opened = await openWorkbench({ baseUrl: server.url, settings: { 'turnstone.costReminderUsd': 0.05 } });
    const { chat, page, workbench } = opened;
    await openChat(opened);
    await chat.send('Write a note.');
    await chat.reject('not now');
    await chat.messages('assistant').filter({ hasText: 'Then I leave it.' }).waitFor();
    await chat.idle();
    await chat.send('Tell me a story.');
    await chat.messages('assistant').filter({ hasText: 'A long story' }).waitFor();
    await chat.stopButton().click();
    await chat.idle();
    await chat.send('/cost');
    await chat.frame.getByTestId('notice').filter({ hasText: /This session has cost at least/ }).waitFor();
    await chat.idle();
    assert.match((await costItem(opened).textContent()) ?? '', /^≥ \$0\.\d+ · \d+ %$/);
    const shown = async (): Promise<string> => (await chat.frame.locator('.scroller').innerText()).replace(/\s+/g, ' ');
    const before = await shown();
    // The question, the answer, the decision, a reminder, how both turns ended, and the command with what it said.
    for (const part of ['Write a note.', 'Then I leave it.', 'A reminder:', 'Done $0.', 'Stopped ≥ $0.', '/cost', 'One answer broke off']) assert.ok(before.includes(part), `${part} in ${before}`);
    await screenshot(page, 'reopened-before');

    await workbench.reload();
    await openChat(opened);
    await until('all is shown again', async () => (await shown()) === before);
    assert.match((await costItem(opened).textContent()) ?? '', /^≥ \$0\.\d+ · \d+ %$/);
    await screenshot(page, 'reopened-after');

    opened.changeSettings({ 'turnstone.costReminderUsd': 0 });
    await until('it is still shown', async () => (await shown()) === before);
    server.assertClean();
    await server.close();
  });
});
