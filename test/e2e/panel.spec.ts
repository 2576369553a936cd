import assert from 'node:assert/strict';
import { deferred } from '../../src/base/deferred.ts';
import { message } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';

describe('a panel that is loaded anew in the middle of an answer', () => {
  it('shows what came before, goes on with what comes, and keeps what is being typed', async () => {
    const rest = deferred();
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const server = await startScriptedServer([{ reply: message(words), deltaSize: 10, stallAfter: { events: 20, pingEveryMs: 200, until: rest.promise } }], { expectedKey: testApiKey });
    const opened = await openWorkbench({ baseUrl: server.url });
    const { chat, workbench } = opened;
    await openChat(opened);
    await chat.send('Say it all');
    await chat.messages('assistant').filter({ hasText: 'word5' }).waitFor();
    await chat.composer().fill('being typed');
    await chat.composer().evaluate((box) => box.setAttribute('data-page', 'old'));
    await workbench.runCommand('Turnstone: Reload Panel');
    await chat.frame.locator('[data-testid="composer"]:not([data-page])').waitFor();
    await until('all is there again', async () => (await chat.messages('assistant').filter({ hasText: 'word5' }).count()) === 1 && (await chat.composer().inputValue()) === 'being typed');
    assert.equal(await chat.messages('user').count(), 1);
    rest.resolve();
    await chat.messages('assistant').filter({ hasText: 'word59' }).waitFor();
    await chat.idle();
    assert.equal((await chat.messages('assistant').textContent())?.trim(), words);
    server.assertClean();
    await server.close();
  });
});
