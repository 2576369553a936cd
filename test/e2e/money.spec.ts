import assert from 'node:assert/strict';
import { message } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { costItem, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import type { OpenedWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';
import type { Theme } from './support/themes.ts';

const cold = { input_tokens: 10, output_tokens: 10_000, cache_creation_input_tokens: 100_000, cache_read_input_tokens: 0 };
const warm = { input_tokens: 10, output_tokens: 100, cache_creation_input_tokens: 500, cache_read_input_tokens: 100_000 };

describe('money', () => {
  /** Two turns of Opus 5.5 that read nothing from the cache. */
  const spend = async (theme: Theme): Promise<OpenedWorkbench & { readonly closeServer: () => Promise<void> }> => {
    const server = await startScriptedServer(
      [{ reply: message('The first answer.', { usage: cold }) }, { reply: message('The second answer.', { usage: cold }) }, { reply: message('The third answer.', { usage: warm }) }],
      { expectedKey: testApiKey },
    );
    const opened = await openWorkbench({ baseUrl: server.url, theme, settings: { 'turnstone.model': 'claude-opus-5-5', 'turnstone.costReminderUsd': 1, 'turnstone.maxBudgetUsd': 1.96 } });
    await openChat(opened);
    for (const which of ['first', 'second']) {
      await opened.chat.send(`The ${which} question?`);
      await opened.chat.messages('assistant').filter({ hasText: `The ${which} answer.` }).waitFor();
      await opened.chat.idle();
    }
    return { ...opened, closeServer: () => server.close() };
  };
  const notice = ({ chat }: OpenedWorkbench, text: RegExp) => chat.frame.getByTestId('notice').filter({ hasText: text });

  for (const theme of ['light', 'dark', 'highContrast'] as const) {
    it(`is told while it is spent, with the theme ${theme}`, async () => {
      const opened = await spend(theme);
      const { chat, page } = opened;
      // Opus 5.5: 100,000 tokens at $5 per million in place of $0.2.
      await notice(opened, /100,000 tokens were not read from the prompt cache .* about \$0\.48 more/).waitFor();
      // 2 × (10×4 + 10,000×20 + 100,000×5) = 1,400,080 millionths.
      await notice(opened, /A reminder: this session has cost \$1\.40 so far/).waitFor();
      assert.match((await costItem(opened).textContent()) ?? '', /^\$1\.40 · \d+ %$/);
      const facts = chat.frame.locator('.turn-facts').last();
      assert.match((await facts.getAttribute('title')) ?? '', /^This turn: \$0\.70004\nPrompts: 100,010 tokens, of these 0 \(0 %\) from the cache, 100,000 written to it, 10 new/);
      await costItem(opened).hover();
      const tooltip = page.locator('.workbench-hover:visible', { hasText: 'Cache read' });
      await tooltip.waitFor();
      assert.match((await tooltip.textContent()) ?? '', /Next request: about 11\d,\d{3} tokens before it is answered, \$0\.\d+ while 100,000 of them are in the prompt cache \(\d minutes more\), \$0\.5\d after that/);
      await screenshot(page, `money-${theme}`);
      await opened.closeServer();
    });
  }

  it('stops at the limit, goes on with a higher one, and is explained to the cent', async () => {
    const opened = await spend('dark');
    const { chat, page } = opened;
    await chat.send('The third question?');
    await chat.frame.getByTestId('turn-summary').filter({ hasText: 'Stopped before it was passed: this session has cost $1.40 of the $1.96 that it may cost' }).waitFor();
    await screenshot(page, 'money-limit');
    await chat.idle();
    opened.changeSettings({ 'turnstone.maxBudgetUsd': 10 });
    await until('the limit is raised', async () => {
      // Rows far above leave the document: the place of the last one tells that another turn has ended, not their number.
      const place = async () => Number(await chat.frame.locator('article', { has: chat.frame.getByTestId('turn-summary') }).last().getAttribute('aria-posinset'));
      const before = await place();
      await chat.send('go on');
      await until('the turn has ended', async () => (await place()) > before);
      await chat.idle();
      return (await chat.messages('assistant').filter({ hasText: 'The third answer.' }).count()) > 0;
    });
    await chat.send('/cost');
    // And 10×4 + 100×20 + 500×5 + 100,000×0.2 = 24,540.
    await notice(opened, /This session has cost \$1\.42 \(\$1\.42462\)\.\s*claude-opus-5-5: \$1\.42462\s*answers, 3 requests: \$1\.42462\s*30 input: \$0\.00012\s*20,100 output: \$0\.402/).waitFor();
    await screenshot(page, 'money-explained');
    await opened.closeServer();
  });
});
