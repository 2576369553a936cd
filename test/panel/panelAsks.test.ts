import assert from 'node:assert/strict';
import type { ApprovalView, QuestionsView, RetryView } from '../../src/protocol/chatView.ts';
import { panelUnderTest } from './panelUnderTest.ts';

describe('what the panel asks', () => {
  const panel = panelUnderTest();

  it('puts questions with one and with several answers, and room for own words', async () => {
    await panel.send({ type: 'turn-changed', running: true }, { type: 'questions-changed', questions });
    const answer = panel.page.getByTestId('questions-answer');
    await panel.page.getByLabel('Tabs').check();
    await panel.page.getByLabel('Unit').check();
    await panel.page.getByLabel('End to end').check();
    await panel.page.getByLabel('Unit').uncheck();
    assert.equal(await answer.isEnabled(), false, 'one question has no answer yet');
    await panel.page.getByTestId('question-other').nth(2).fill(' heron ');
    await answer.click();
    assert.deepEqual((await panel.posted()).slice(1), [
      { type: 'questions-answer', id: 'q', answers: [{ chosen: ['Tabs'] }, { chosen: ['End to end'] }, { chosen: [], other: 'heron' }] },
    ]);
    await panel.send({ type: 'questions-changed', questions: { ...questions, id: 'next' } });
    await panel.page.getByTestId('questions-skip').click();
    assert.deepEqual(await panel.posted(), [{ type: 'questions-answer', id: 'next', answers: null }]);
    await panel.send({ type: 'questions-changed', questions: null });
    assert.equal(await panel.page.getByTestId('questions').count(), 0);
  });

  it('shows a plan as it is meant to be read', async () => {
    await panel.send({ type: 'approvals-changed', approvals: [{ id: 'p', kind: 'plan', title: 'The plan', detail: '# Steps\n\n1. Read\n2. **Write**' }] });
    assert.equal(await panel.page.getByTestId('approval').locator('ol li strong').textContent(), 'Write');
    await panel.page.getByTestId('reject-reason').fill('Smaller steps');
    await panel.page.getByTestId('reject').click();
    assert.deepEqual((await panel.posted()).slice(1), [{ type: 'approval-answer', id: 'p', behavior: 'deny', reason: 'Smaller steps' }]);
  });

  it('an approval and questions at the same time are answered one after the other, and the first says that more waits', async () => {
    const command: ApprovalView = { id: 'c', kind: 'command', title: 'Run a command', detail: 'npm test' };
    await panel.send({ type: 'questions-changed', questions }, { type: 'approvals-changed', approvals: [command] });
    assert.equal(await panel.page.getByTestId('questions').count(), 0);
    assert.match((await panel.page.getByTestId('approval').textContent()) ?? '', /1 more/);
    await panel.page.getByTestId('approve').click();
    await panel.send({ type: 'approvals-changed', approvals: [] });
    await panel.page.getByTestId('questions-skip').click();
    assert.deepEqual((await panel.posted()).slice(1), [{ type: 'approval-answer', id: 'c', behavior: 'allow' }, { type: 'questions-answer', id: 'q', answers: null }]);
  });

  it('offers the proposal of an edit that was left open, not its approval', async () => {
    const leftOpen: ApprovalView = { id: 'e', kind: 'edit', title: 'Edit src/cart.ts', detail: 'src/cart.ts', isLeftOpen: true };
    await panel.send({ type: 'approvals-changed', approvals: [leftOpen] });
    assert.equal(await panel.page.getByTestId('approve').textContent(), 'Show proposal');
    await panel.send({ type: 'approvals-changed', approvals: [{ ...leftOpen, title: 'Change 2 files', detail: 'src/cart.ts (out of date: the file has changed since)\nsrc/money.ts' }] });
    assert.match(await panel.page.getByTestId('approval').innerText(), /Change 2 files[^]*src\/cart\.ts \(out of date: the file has changed since\)\nsrc\/money\.ts/);
    assert.equal(await panel.page.getByTestId('open-diff').count(), 0);
  });

  it('asks before a very long wait', async () => {
    const retry: RetryView = { attempt: 1, maxRetries: 10, retryAt: Date.now() + 45 * 60_000, reason: 'Rate limit reached.', needsConfirmation: true };
    await panel.send({ type: 'turn-changed', running: true }, { type: 'retry-changed', retry });
    assert.match((await panel.page.getByTestId('retry-banner').textContent()) ?? '', /Rate limit reached\. The server asks to wait until .*, 45 min from now/);
    await panel.page.getByTestId('give-up').click();
    await panel.page.getByTestId('long-wait').click();
    await panel.page.keyboard.press('Escape');
    assert.deepEqual((await panel.posted()).slice(1), [{ type: 'long-wait-answer', wait: false }, { type: 'long-wait-answer', wait: true }, { type: 'interrupt' }]);
    await panel.send({ type: 'retry-changed', retry: { ...retry, needsConfirmation: undefined, maxRetries: 0 } });
    assert.doesNotMatch((await panel.page.getByTestId('retry-banner').textContent()) ?? '', / of /);
  });

  it('gives code one ground, whatever VS Code thinks of the element', async () => {
    await panel.send({ type: 'items-put', items: [{ kind: 'text', id: 'a', markdown: '```ts\nconst a = 1;\n```', streaming: false }] });
    const code = panel.page.locator('.code-block code');
    assert.equal(await code.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgba(0, 0, 0, 0)');
  });

  it('offers no way back to a command that is not part of the conversation, and says that images were sent', async () => {
    const timestamp = '2026-11-30T09:00:00Z';
    await panel.send({ type: 'items-put', items: [{ kind: 'user', id: 'c', text: '/cost', timestamp, isLocal: true }, { kind: 'user', id: 'u', text: 'Look', timestamp, imageCount: 2 }] });
    const messages = panel.page.getByTestId('message');
    assert.deepEqual([await messages.nth(0).getByTestId('rewind-here').count(), await messages.nth(1).getByTestId('rewind-here').count()], [0, 1]);
    assert.match((await messages.nth(1).textContent()) ?? '', /^Look\s*2 images/);
  });
});

const option = (label: string) => ({ label, description: '' });
const questions: QuestionsView = {
  id: 'q',
  questions: [
    { question: 'How is it indented?', header: 'Indent', options: [option('Tabs'), option('Blanks')], multiSelect: false },
    { question: 'Which tests?', header: 'Tests', options: [option('Unit'), option('End to end')], multiSelect: true },
    { question: 'Which word?', header: 'Word', options: [option('one'), option('two')], multiSelect: false },
  ],
};
