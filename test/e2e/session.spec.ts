import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { costItem, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('a session', () => {
  it('shows its cost growing, outlives a reload, and goes on from the list', async () => {
    const usage = { input_tokens: 20_000, output_tokens: 2_000 };
    const server = await startScriptedServer(
      [{ reply: message('The first answer.', { usage }) }, { reply: message('The second answer.', { usage }) }, { reply: message('Another session.') }, { reply: message('The third answer.', { usage }) }],
      { expectedKey: testApiKey },
    );
    const opened = await openWorkbench({ baseUrl: server.url });
    const { chat, page, workbench } = opened;
    await openChat(opened);
    await until('the cost is shown', async () => /^\$0\.00 · \d %$/.test((await costItem(opened).textContent()) ?? ''));
    const answered = async (prompt: string, answer: string): Promise<number> => {
      await chat.send(prompt);
      await chat.messages('assistant').filter({ hasText: answer }).waitFor();
      await chat.idle();
      return dollars((await costItem(opened).textContent()) ?? '');
    };
    const first = await answered('Remember the word heron.', 'The first answer.');
    const second = await answered('And now?', 'The second answer.');
    assert.ok(first > 0 && second > first, `${first} then ${second}`);
    await costItem(opened).hover();
    await page.locator('.workbench-hover:visible', { hasText: 'Cache read' }).waitFor();
    await screenshot(page, 'cost');
    await page.mouse.move(700, 300);

    await chat.composer().fill('not sent yet');
    await until('the draft is kept', async () => (await chat.composer().inputValue()) === 'not sent yet');
    await page.waitForTimeout(1_000);
    await workbench.reload();
    await openChat(opened);
    await chat.messages('assistant').filter({ hasText: 'The second answer.' }).waitFor();
    assert.equal(await chat.messages('user').count(), 2);
    assert.equal(await chat.composer().inputValue(), 'not sent yet');
    assert.equal(dollars((await costItem(opened).textContent()) ?? ''), second);

    await chat.composer().fill('');
    await workbench.runCommand('Turnstone: New Session');
    await until('the panel is empty', async () => (await chat.messages().count()) === 0);
    await answered('Something else.', 'Another session.');
    await workbench.runCommand('Turnstone: Open Session…');
    await workbench.quickPickRow(/heron/).click();
    await chat.messages('assistant').filter({ hasText: 'The second answer.' }).waitFor();
    assert.ok((await answered('Which word was it?', 'The third answer.')) > second);

    const { messages } = server.requests[3]!.body;
    assert.deepEqual(messages.map(({ role }) => role), ['user', 'assistant', 'user', 'assistant', 'user']);
    assert.match(JSON.stringify(messages[0]), /heron/);
    server.assertClean();
    await server.close();
  });

  it('goes back to a message from the palette, files and conversation, and that can be undone', async () => {
    const server = await startScriptedServer([], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url, files: { 'notes.txt': 'as it was\n' }, settings: { 'turnstone.permissionMode': 'acceptEdits' } });
    const { chat, page, workbench, workspace } = opened;
    const notes = path.join(workspace, 'notes.txt');
    const made = path.join(workspace, 'made.txt');
    server.push(
      { reply: message('Hello.') },
      { reply: message([toolUse('Read', { file_path: notes })]) },
      { reply: message([toolUse('Edit', { file_path: notes, old_string: 'as it was', new_string: 'as the agent left it' }), toolUse('Write', { file_path: made, content: 'new\n' })]) },
      { reply: message('Both files are written.') },
    );
    await openChat(opened);
    await chat.send('Say hello');
    await chat.messages('assistant').filter({ hasText: 'Hello.' }).waitFor();
    await chat.idle();
    await chat.send('Change the notes');
    await chat.messages('assistant').filter({ hasText: 'Both files are written.' }).waitFor();
    await chat.idle();
    assert.equal(fs.readFileSync(notes, 'utf8'), 'as the agent left it\n');

    await workbench.runCommand('Turnstone: Rewind to Message…');
    await workbench.quickPickRow('Change the notes').waitFor();
    const [newest] = await workbench.quickPickRows();
    assert.match(newest ?? '', /^Change the notes, .*2 files written/);
    await workbench.quickPickRow('Change the notes').hover();
    await workbench.quickPickRowButton('Change the notes', 'Show What Would Change').click();
    await page.locator('.multiDiffEntry').first().waitFor();
    assert.equal(fs.readFileSync(notes, 'utf8'), 'as the agent left it\n', 'looking must change nothing');
    await screenshot(page, 'rewind-preview');
    await workbench.quickPickRow('Change the notes').click();
    await workbench.quickPickRow('Files and conversation').waitFor();
    const [whatChanges] = await workbench.quickPickRows();
    assert.match(whatChanges ?? '', /notes\.txt \+1 −1.*made\.txt is deleted|made\.txt is deleted.*notes\.txt \+1 −1/);
    await screenshot(page, 'rewind-choice');
    await workbench.quickPickRow('Files and conversation').click();

    await until('the files are back', () => fs.readFileSync(notes, 'utf8') === 'as it was\n' && !fs.existsSync(made));
    await until('the conversation is back', async () => (await chat.messages('user').count()) === 1);
    await until('the prompt is in the composer', async () => (await chat.composer().inputValue()) === 'Change the notes');

    await workbench.runCommand('Turnstone: Undo Rewind');
    await until('the files are as the agent left them', () => fs.existsSync(made) && fs.readFileSync(notes, 'utf8') === 'as the agent left it\n');
    await chat.messages('assistant').filter({ hasText: 'Both files are written.' }).waitFor();
    assert.equal(await chat.messages('user').count(), 2);
    await until('the composer is empty again', async () => (await chat.composer().inputValue()) === '');

    await chat.messages('user').last().hover();
    await chat.frame.getByTestId('edit-message').last().click();
    await workbench.quickPickRow('Conversation only').waitFor();
    assert.equal((await workbench.quickPickRows()).length, 2);
    await workbench.quickPickRow('Conversation only').click();
    await until('the prompt can be edited', async () => (await chat.composer().inputValue()) === 'Change the notes');
    assert.equal(fs.existsSync(made), true);

    await chat.send('/cots');
    await chat.frame.getByTestId('returned').waitFor();
    assert.equal(await chat.composer().inputValue(), '/cots');
    await screenshot(page, 'unknown-command');
    await chat.frame.getByTestId('use-instead').click();
    assert.equal(await chat.composer().inputValue(), '/cost');
    server.assertClean();
    await server.close();
  });
});

describe('a rewind over own changes', () => {
  it('does with each file what was chosen, and so does undoing it', async () => {
    const server = await startScriptedServer([], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url, settings: { 'turnstone.permissionMode': 'acceptEdits' } });
    const { chat, page, workbench, workspace } = opened;
    const [one, two] = [path.join(workspace, 'one.txt'), path.join(workspace, 'two.txt')];
    server.push({ reply: message([toolUse('Write', { file_path: one, content: 'one\n' }), toolUse('Write', { file_path: two, content: 'two\n' })]) }, { reply: message('Both are written.') });
    await openChat(opened);
    await chat.send('Make two files');
    await chat.messages('assistant').filter({ hasText: 'Both are written.' }).waitFor();
    await chat.idle();
    for (const file of [one, two]) fs.writeFileSync(file, 'mine\n');

    const decide = async (name: string, decision: string): Promise<void> => {
      await page.locator('.quick-input-widget', { hasText: `Changed Since: ${name}` }).waitFor();
      await workbench.quickPickRow(decision).click();
    };
    await chat.messages('user').hover();
    await chat.frame.getByTestId('rewind-here').click();
    await workbench.quickPickRow('Files and conversation').click();
    await decide('one.txt', 'Delete');
    await decide('two.txt', 'Leave as it is');
    await until('the file that was given up is gone', () => !fs.existsSync(one));
    await until('the conversation is empty', async () => (await chat.messages().count()) === 0);
    assert.equal(fs.readFileSync(two, 'utf8'), 'mine\n');

    fs.writeFileSync(one, 'mine again\n');
    await workbench.runCommand('Turnstone: Undo Rewind');
    await page.locator('.quick-input-widget', { hasText: 'Changed Since' }).waitFor();
    await screenshot(page, 'undo-overwrite');
    await decide('one.txt', 'Leave as it is');
    await chat.messages('assistant').filter({ hasText: 'Both are written.' }).waitFor();
    assert.deepEqual([one, two].map((file) => fs.readFileSync(file, 'utf8')), ['mine again\n', 'mine\n']);
    server.assertClean();
    await server.close();
  });
});

function dollars(item: string): number {
  return Number(/\$([\d.]+)/.exec(item)?.[1] ?? Number.NaN);
}
