import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../../src/engine/transcript/transcriptPath.ts';
import { claudeAnswer, claudeLines, claudePrompt } from '../support/claudeProject.ts';
import { message } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('the list of sessions', () => {
  it('names, pins and finds sessions, deletes one with a word about what goes, and brings it back', async () => {
    const server = await startScriptedServer([{ reply: message('A heron is a bird.') }, { reply: message('A cart is a list.') }], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url });
    const { chat, page, workbench, home } = opened;
    await openChat(opened);
    await say(opened, 'What is that?', 'A heron is a bird.');
    await workbench.runCommand('Turnstone: New Session');
    await until('the panel is empty', async () => (await chat.messages().count()) === 0);
    await say(opened, 'What is a cart?', 'A cart is a list.');

    await chat.frame.getByTestId('sessions-button').click();
    await chat.sessionItem('What is that?').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('About birds');
    await page.keyboard.press('Enter');
    await chat.sessionItem('About birds').waitFor();
    await chat.frame.locator('.session', { hasText: 'About birds' }).hover();
    await chat.frame.locator('.session', { hasText: 'About birds' }).getByTestId('pin-session').click();
    await until('the pinned one stands first', async () => /About birds/.test((await chat.frame.getByTestId('session-item').first().textContent()) ?? ''));
    await workbench.runCommand('Turnstone: Rename Session…');
    await page.locator('.quick-input-widget input').fill('About carts');
    await page.keyboard.press('Enter');
    await chat.sessionItem('About carts').waitFor();
    await chat.sessionItem('About carts').hover();
    await screenshot(page, 'sessions');

    await chat.frame.getByTestId('session-search').fill('heron');
    await chat.frame.getByTestId('session-excerpt').filter({ hasText: 'A heron is a bird.' }).waitFor();
    assert.equal(await chat.frame.getByTestId('session-item').count(), 1);
    await screenshot(page, 'sessions-search');
    await chat.frame.getByTestId('session-search').press('Escape');

    await workbench.runCommand('Turnstone: Open Session…');
    await page.locator('.quick-input-widget input').fill('heron');
    await workbench.quickPickRow(/About birds/).filter({ hasText: 'A heron is a bird.' }).waitFor();
    await screenshot(page, 'sessions-picker');
    await page.keyboard.press('Escape');

    const transcripts = (): string[] => fs.readdirSync(path.join(home, 'projects'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
    assert.equal(transcripts().length, 2);
    await chat.sessionItem('About birds').focus();
    await page.keyboard.press('Delete');
    await page.locator('.monaco-dialog-box', { hasText: 'Restore Deleted Session' }).waitFor();
    await screenshot(page, 'session-delete');
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Move to Trash' }).click();
    await until('it is gone from the list', async () => (await chat.sessionItem('About birds').count()) === 0);
    assert.equal(transcripts().length, 1);
    await page.locator('.notification-toast .monaco-button', { hasText: 'Undo' }).click();
    await chat.sessionItem('About birds').waitFor();
    assert.equal(transcripts().length, 2);
    server.assertClean();
    await server.close();
  });

  it('opens a session of Claude Code for reading, and goes on in a copy', async () => {
    const server = await startScriptedServer([{ reply: message('Going on from there.') }], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url });
    const { chat, page, workspace, home } = opened;
    // The home of the user that VS Code's server runs as.
    const folder = projectFolder(path.resolve(home, '../../user/.claude'), fs.realpathSync(workspace));
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'aaaaaaaa-0000-4000-8000-000000000001.jsonl');
    const lines = claudeLines(fs.realpathSync(workspace), [claudePrompt('Remember the word heron.'), claudeAnswer('m1', { type: 'text', text: 'I will.' })]);
    fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const before = [fs.readFileSync(file, 'utf8'), fs.statSync(file).mtimeMs, fs.statSync(file).ino, fs.readdirSync(folder)];
    await openChat(opened);
    await chat.frame.getByTestId('sessions-button').click();
    await chat.sessionItem(/heron.*Claude Code/).click();
    await chat.messages('assistant').filter({ hasText: 'I will.' }).waitFor();
    await chat.frame.getByTestId('read-only').waitFor();
    await screenshot(page, 'session-claude');
    await chat.frame.getByTestId('fork-session').click();
    await say(opened, 'Which word was it?', 'Going on from there.');
    assert.match(JSON.stringify(server.requests[0]!.body.messages[0]), /heron/);
    assert.deepEqual([fs.readFileSync(file, 'utf8'), fs.statSync(file).mtimeMs, fs.statSync(file).ino, fs.readdirSync(folder)], before);
    server.assertClean();
    await server.close();
  });
});

async function say({ chat }: OpenedWorkbench, prompt: string, answer: string): Promise<void> {
  await chat.send(prompt);
  await chat.messages('assistant').filter({ hasText: answer }).waitFor();
  await chat.idle();
}
