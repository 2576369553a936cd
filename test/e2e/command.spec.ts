import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('a shell command', () => {
  it('is asked for, shows its output as it comes, and Esc ends its whole process tree', async () => {
    const seconds = `98765.${process.pid}`;
    const command = `echo first line; (setsid sleep ${seconds} & sleep ${seconds}) & sleep 0.5; echo second line; sleep ${seconds}`;
    const server = await startScriptedServer([{ reply: message([toolUse('Bash', { command })]) }], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url });
    const { chat, page } = opened;
    await openChat(opened);
    await chat.send('run it');
    await chat.approval().filter({ hasText: 'first line' }).waitFor();
    assert.equal(running(seconds), 0, 'it ran before it was approved');
    await chat.approve();

    const card = chat.toolCards({ tool: 'Bash', status: 'running' });
    await card.filter({ hasText: 'second line' }).waitFor();
    await until('the tree is complete', () => running(seconds) >= 3);
    await screenshot(page, 'command-running');
    await chat.composer().focus();
    await page.keyboard.press('Escape');
    await chat.idle();
    assert.equal(running(seconds), 0, 'a process is left');
    await chat.toolCards({ tool: 'Bash', status: 'interrupted' }).filter({ hasText: 'first line' }).waitFor();
    await server.close();
  });
});

function running(marker: string): number {
  const all = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return all.split('\n').filter((line) => line.trim() === `sleep ${marker}`).length;
}
