import assert from 'node:assert/strict';
import type { ApprovalView, ChatEvent, ChatItem } from '../../src/protocol/chatView.ts';
import { panelUnderTest } from './panelUnderTest.ts';

/** The bundled panel in a real browser, with this test as its host. */
describe('the chat panel', () => {
  const panel = panelUnderTest();
  const { send, posted } = panel;

  const focused = (): Promise<string | undefined> => panel.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['testid']);

  /** Waits until the end of the conversation is seen; fails by timeout. */
  async function atEnd(): Promise<void> {
    await panel.page.waitForFunction(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.scroller') as HTMLElement;
      return scrollHeight - scrollTop - clientHeight < 2 && document.querySelector('.jump') === null;
    });
  }

  /** What stands at the top of the view, and where, once scrolling has come to rest. */
  async function readingPlace(): Promise<{ position: string | null; top: number }> {
    return panel.page.evaluate(async () => {
      const scroller = document.querySelector('.scroller') as HTMLElement;
      for (let before = -1; before !== scroller.scrollTop; ) {
        before = scroller.scrollTop;
        for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame);
      }
      const { top } = scroller.getBoundingClientRect();
      const first = [...scroller.querySelectorAll('article')].find((article) => article.getBoundingClientRect().bottom > top + 1);
      return { position: first?.getAttribute('aria-posinset') ?? null, top: Math.round(first?.getBoundingClientRect().top ?? NaN) };
    });
  }

  it('says ready, takes the draft, and sends what is typed with Enter only', async () => {
    assert.deepEqual(await posted(), [{ type: 'ready' }]);
    const composer = panel.page.getByTestId('composer');
    assert.equal(await composer.inputValue(), 'kept');
    await composer.fill('first');
    await composer.press('Shift+Enter');
    await panel.page.keyboard.type('second');
    await composer.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
    assert.deepEqual(await posted(), []);
    await composer.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'prompt-submit', text: 'first\nsecond' }]);
    assert.equal(await composer.inputValue(), '');
  });

  it('shows a session of 3,000 items at its end, with few of them in the document', async () => {
    await send({ type: 'items-put', items: longSession });
    await panel.page.getByText('question 999', { exact: true }).waitFor();
    await atEnd();
    assert.ok((await panel.page.locator('article').count()) < 60);
  });

  it('follows the answer, stays where the user scrolled to, and goes back to the end on request', async () => {
    await send({ type: 'items-put', items: [...longSession, streaming] }, { type: 'turn-changed', running: true });
    for (let index = 0; index < 30; index++) await send({ type: 'text-appended', id: 'stream', text: `paragraph ${index}\n\n` });
    await panel.page.getByText('paragraph 29', { exact: true }).waitFor();
    await atEnd();
    await panel.page.mouse.move(200, 300);
    await panel.page.mouse.wheel(0, -600);
    await panel.page.locator('.jump').waitFor();
    const reading = await readingPlace();
    for (let index = 0; index < 10; index++) await send({ type: 'text-appended', id: 'stream', text: `more ${index}\n\n` });
    assert.deepEqual(await readingPlace(), reading);
    await panel.page.locator('.jump').click();
    await atEnd();
  });

  it('asks for a decision without taking the focus, deaf at first to keys and clicks', async () => {
    await panel.page.getByTestId('composer').focus();
    await panel.page.evaluate(async (list) => {
      window.postMessage({ type: 'events', events: list });
      const button = (): HTMLButtonElement | null => document.querySelector('[data-testid="approve"]');
      while (!button()) await new Promise(requestAnimationFrame);
      // In flight already when the card appeared.
      button()?.click();
      button()?.focus();
    }, [{ type: 'turn-changed', running: true }, { type: 'approvals-changed', approvals: [approval] }] satisfies ChatEvent[]);
    assert.equal(await focused(), 'composer');
    assert.deepEqual(await posted(), [{ type: 'ready' }]);
    await panel.page.getByTestId('reject-reason').fill('Not here');
    await panel.page.getByTestId('reject').click();
    assert.deepEqual(await posted(), [{ type: 'approval-answer', id: 'call', behavior: 'deny', reason: 'Not here' }]);
    await send({ type: 'approvals-changed', approvals: [{ ...approval, id: 'next' }] });
    await panel.page.getByTestId('approve').click();
    assert.deepEqual(await posted(), [{ type: 'approval-answer', id: 'next', behavior: 'allow' }]);
  });

  it('interrupts with Escape wherever the focus is, only while a turn runs', async () => {
    await panel.page.keyboard.press('Escape');
    await send({ type: 'turn-changed', running: true });
    await panel.page.getByTestId('sessions-button').focus();
    await panel.page.keyboard.press('Escape');
    assert.deepEqual(await posted(), [{ type: 'ready' }, { type: 'interrupt' }]);
  });

  it('shows a box in place of a message that cannot be shown; the others and the log have theirs', async () => {
    const broken = { kind: 'text', id: 'broken', markdown: { not: 'text' }, streaming: false } as unknown as ChatItem;
    await send({ type: 'items-put', items: [{ kind: 'user', id: 'u', text: 'still here', timestamp: '2026-11-30T09:00:00Z' }, broken] });
    await panel.page.getByTestId('broken-message').waitFor();
    await panel.page.getByText('still here').waitFor();
    const errors = (await posted()).filter((message) => message.type === 'panel-error');
    assert.equal(errors.length, 1);
  });

  it('asks the host to go back, to say a message anew or only so; a command goes into the composer before what is being typed', async () => {
    // The card below must not cover the buttons.
    const below: ChatItem = { kind: 'tool', id: 't', tool: 'Read', title: 'a.ts', status: 'done', output: '' };
    await send({ type: 'items-put', items: [{ kind: 'user', id: 'u', text: 'old words', timestamp: '2026-11-30T09:00:00Z' }, below] });
    await panel.page.getByTestId('message').hover();
    await panel.page.getByRole('button', { name: 'Edit and send again…' }).click();
    await panel.page.getByTestId('rewind-here').click();
    assert.deepEqual(await posted(), [{ type: 'ready' }, { type: 'rewind', messageId: 'u', edit: true }, { type: 'rewind', messageId: 'u' }]);
    assert.equal(await panel.page.getByTestId('composer').inputValue(), 'kept');
    await send({ type: 'items-put', items: [{ kind: 'user', id: 'u', text: '/cost', timestamp: '2026-11-30T09:00:00Z', isLocal: true }] });
    await panel.page.getByTestId('message').hover();
    await panel.page.getByRole('button', { name: 'Put into the message box' }).click();
    assert.equal(await panel.page.getByTestId('composer').inputValue(), '/cost\n\nkept');
  });

  it('takes back what one message or one call did, by pointer and by keyboard, and only where files were changed', async () => {
    const call = (id: string): ChatItem => ({ kind: 'tool', id, tool: 'Bash', title: `run ${id}`, status: 'done', output: '' });
    await send({ type: 'items-put', items: [{ kind: 'user', id: 'u', text: 'change it', timestamp: '2026-11-30T09:00:00Z' }, call('reads'), call('writes')] });
    assert.deepEqual([await panel.page.getByTestId('undo-message').count(), await panel.page.getByTestId('undo-change').count()], [0, 0]);
    await send({ type: 'changes-listed', messageIds: ['u'], toolUseIds: ['writes'], undoneToolUseIds: [], redoableToolUseIds: [] });
    await panel.page.getByTestId('message').hover();
    await panel.page.getByRole('button', { name: 'Undo the changes of this message…' }).click();
    const onCard = panel.page.getByTestId('tool-card').nth(1).getByRole('button', { name: 'Undo this change…' });
    await onCard.focus();
    assert.equal(await onCard.evaluate((button) => getComputedStyle(button.parentElement!).opacity), '1');
    await panel.page.keyboard.press('Enter');
    assert.equal(await panel.page.getByTestId('undo-change').count(), 1);
    assert.deepEqual(await posted(), [{ type: 'ready' }, { type: 'undo-change', selection: { messageId: 'u' } }, { type: 'undo-change', selection: { toolUseId: 'writes' } }]);
    await send({ type: 'changes-listed', messageIds: [], toolUseIds: [], undoneToolUseIds: ['writes'], redoableToolUseIds: ['writes'] });
    assert.equal(await panel.page.getByTestId('tool-card').nth(1).getByTestId('undone').textContent(), 'undone');
    assert.equal(await panel.page.getByTestId('undo-change').count(), 0);
    await panel.page.getByTestId('redo-change').focus();
    await panel.page.keyboard.press('Enter');
    assert.deepEqual((await posted()).at(-1), { type: 'redo-change' });
    await send({ type: 'changes-listed', messageIds: [], toolUseIds: [], undoneToolUseIds: ['writes'], redoableToolUseIds: [] });
    assert.equal(await panel.page.getByTestId('redo-change').count(), 0);
    await send({ type: 'session-opened', sessionId: 'r', title: '', draft: '', readOnly: true }, { type: 'items-put', items: [call('writes')] }, { type: 'changes-listed', messageIds: [], toolUseIds: ['writes'], undoneToolUseIds: [], redoableToolUseIds: [] });
    assert.equal(await panel.page.getByTestId('undo-change').count(), 0);
  });

  it('opens links through the host, and nothing else', async () => {
    await send({ type: 'items-put', items: [{ kind: 'text', id: 'a', markdown: '[good](https://example.com/) [bad](javascript:alert(1))', streaming: false }] });
    await panel.page.getByText('good').click();
    await panel.page.getByText('bad').click();
    assert.deepEqual(await posted(), [{ type: 'ready' }, { type: 'open-link', url: 'https://example.com/' }]);
  });
});

const approval: ApprovalView = { id: 'call', kind: 'command', title: 'Run a command', detail: 'npm test' };
const streaming: ChatItem = { kind: 'text', id: 'stream', markdown: '', streaming: true };

const longSession: readonly ChatItem[] = Array.from({ length: 1000 }, (_, index): readonly ChatItem[] => [
  { kind: 'user', id: `u${index}`, text: `question ${index}`, timestamp: '2026-11-30T09:00:00Z' },
  { kind: 'text', id: `a${index}`, markdown: `answer **${index}**\n\n${'word '.repeat(index % 80)}\n\n\`\`\`ts\nconst a = 1;\n\`\`\``, streaming: false },
  { kind: 'tool', id: `t${index}`, tool: 'Bash', title: 'ls', status: 'done', output: 'file\n'.repeat(index % 9) },
]).flat();
