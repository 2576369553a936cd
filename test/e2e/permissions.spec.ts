import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench, OpenOptions } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

const run = (command: string) => ({ reply: message([toolUse('Bash', { command })]) });

describe('permissions in the editor', () => {
  let server: ScriptedServer;
  let opened: OpenedWorkbench;

  async function open(options: OpenOptions = {}): Promise<OpenedWorkbench> {
    server = await startScriptedServer([], { expectedKey: testApiKey });
    opened = await openWorkbench({ baseUrl: server.url, ...options });
    await openChat(opened);
    return opened;
  }
  afterEach(() => server.close());

  it('a rule that is kept beside an answer is not asked about again, in this session nor in the next', async () => {
    const { chat, page, workbench, workspace } = await open();
    server.push(run('npm --version -s'), run('npm --version -s'), { reply: message('Twice.') }, run('npm --version -s'), { reply: message('Once more.') });
    await chat.send('Which version?');
    const card = chat.approval();
    await card.getByTestId('always-allow').click();
    await card.getByTestId('always-rule').fill('Bash(npm --version:*');
    await card.getByTestId('always-note').filter({ hasText: 'is no rule' }).waitFor();
    await card.getByTestId('always-rule').fill('Bash(npm run:*)');
    await card.getByTestId('always-note').filter({ hasText: 'does not cover what is asked now' }).waitFor();
    await card.getByTestId('always-rule').fill('Bash(npm --version:*)');
    await card.getByTestId('always-note').filter({ hasText: 'with any arguments' }).waitFor();
    await card.getByTestId('always-level').selectOption('local');
    await screenshot(page, 'always-allow');
    await card.getByTestId('always-save').click();
    await chat.messages('assistant').filter({ hasText: 'Twice.' }).waitFor();
    await chat.idle();
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(workspace, '.claude', 'settings.local.json'), 'utf8')), { permissions: { allow: ['Bash(npm --version:*)'] } });
    await workbench.runCommand('Turnstone: New Session');
    await until('the panel is empty', async () => (await chat.messages().count()) === 0);
    await chat.send('And now?');
    await chat.messages('assistant').filter({ hasText: 'Once more.' }).waitFor();
    server.assertClean();
  });

  it('is offered for an edit, and the next one in that folder goes through', async () => {
    const { chat, page, workspace } = await open();
    const write = (name: string) => ({ reply: message([toolUse('Write', { file_path: path.join(workspace, 'made', name), content: 'x\n' })]) });
    server.push(write('one.txt'), write('two.txt'), { reply: message('Both are there.') });
    await chat.send('Write them');
    await chat.approval().getByTestId('always-allow').click();
    await chat.approval().getByTestId('always-note').filter({ hasText: 'Every edit of made/' }).waitFor();
    await screenshot(page, 'always-allow-edit');
    await chat.approval().getByTestId('always-save').click();
    await chat.messages('assistant').filter({ hasText: 'Both are there.' }).waitFor();
    assert.equal(fs.readFileSync(path.join(workspace, 'made', 'two.txt'), 'utf8'), 'x\n');
    server.assertClean();
  });

  it('is not offered where a file is always asked about', async () => {
    const { chat, workspace } = await open();
    server.push({ reply: message([toolUse('Write', { file_path: path.join(workspace, '.vscode', 'extra.json'), content: '{}\n' })]) }, { reply: message('Not then.') });
    await chat.send('Write it');
    await chat.approval().waitFor();
    assert.equal(await chat.approval().getByTestId('always-allow').count(), 0);
    await chat.reject();
    await chat.messages('assistant').filter({ hasText: 'Not then.' }).waitFor();
    server.assertClean();
  });

  it('the mode is shown and chosen in the status bar and in the panel alike', async () => {
    const { chat, page, workbench, workspace } = await open();
    const item = workbench.statusItem('turnstone.turnstone.turnstone.mode');
    await item.filter({ hasText: 'Ask' }).waitFor();
    await item.click();
    await workbench.quickPickRow('Plan').waitFor();
    assert.equal((await workbench.quickPickRows()).length, 3, 'asking nothing is not offered without the setting');
    await screenshot(page, 'mode-choice');
    await workbench.quickPickRow('Plan').click();
    await item.filter({ hasText: 'Plan' }).waitFor();
    await until('the panel shows it', async () => (await chat.frame.getByTestId('permission-mode').inputValue()) === 'plan');
    server.push({ reply: message([toolUse('Write', { file_path: path.join(workspace, 'never.txt'), content: 'x' })]) }, { reply: message('I plan.') });
    await chat.send('Do it');
    await chat.messages('assistant').filter({ hasText: 'I plan.' }).waitFor();
    await chat.idle();
    assert.match(lastTold(server.requests[1]!.body), /Plan mode/);
    assert.equal(fs.existsSync(path.join(workspace, 'never.txt')), false);
    await chat.frame.getByTestId('permission-mode').selectOption('acceptEdits');
    await item.filter({ hasText: 'Accept edits' }).waitFor();
    opened.changeSettings({ 'turnstone.allowBypass': true });
    await until('asking nothing is offered now', async () => {
      await item.click();
      const offered = await workbench.quickPickRow('Bypass').count();
      await page.keyboard.press('Escape');
      return offered > 0;
    });
    server.assertClean();
  });

  it('prompts are queued and questions are answered while an approval waits', async () => {
    const { chat, page } = await open();
    const question = { question: 'Which word?', header: 'Word', options: [{ label: 'Heron', description: 'A bird.' }, { label: 'Otter', description: 'No bird.' }], multiSelect: false };
    server.push({ reply: message([toolUse('AskUser', { questions: [question] }), toolUse('Bash', { command: 'echo one' })]) }, { reply: message('Both are done.') }, { reply: message('The queued one too.') });
    await chat.send('Ask and run');
    await chat.frame.getByLabel('Otter').check();
    await chat.frame.getByTestId('questions-answer').click();
    await chat.approval().getByTestId('approve').waitFor();
    await chat.send('Then this');
    await chat.frame.getByText('Then this').waitFor();
    await screenshot(page, 'queued-while-waiting');
    assert.equal(server.requests.length, 1, 'nothing goes on before the decision');
    await chat.approve();
    await chat.messages('assistant').filter({ hasText: 'The queued one too.' }).waitFor();
    assert.match(JSON.stringify(server.requests[1]!.body.messages), /Otter/);
    assert.match(lastTold(server.requests[2]!.body), /Then this/);
    server.assertClean();
  });

  for (const theme of ['light', 'highContrast'] as const) {
    it(`can be read with the theme ${theme}`, async () => {
      const { chat, page } = await open({ theme });
      server.push(run('npm test'), { reply: message('Fine.') });
      await chat.send('Test it');
      await chat.approval().getByTestId('always-allow').click();
      await chat.approval().getByTestId('always-note').filter({ hasText: 'with any arguments' }).waitFor();
      await screenshot(page, `always-allow-${theme}`);
      await chat.reject();
      await chat.messages('assistant').filter({ hasText: 'Fine.' }).waitFor();
    });
  }
});
