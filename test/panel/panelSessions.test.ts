import assert from 'node:assert/strict';
import type { SessionSummary } from '../../src/protocol/chatView.ts';
import { panelUnderTest } from './panelUnderTest.ts';

const modified = new Date(Date.now() - 3_600_000).toISOString();
const sessions: readonly SessionSummary[] = [
  { sessionId: 'p', title: 'A pinned one', modified, messageCount: 3, size: 1_234_567, pinned: true },
  { sessionId: 's', title: 'The open one', modified, messageCount: 1 },
  { sessionId: 'c', title: 'From elsewhere', modified, messageCount: 9, source: 'claude-code' },
];

describe('the list of sessions', function () {
  this.timeout(60_000);
  const panel = panelUnderTest();
  const rows = () => panel.page.getByTestId('session-item');
  const focused = (): Promise<string | undefined> => panel.page.evaluate(() => (document.activeElement as HTMLElement).dataset['sessionId'] ?? (document.activeElement as HTMLElement).dataset['testid']);

  async function openList(): Promise<void> {
    await panel.page.getByTestId('sessions-button').click();
    await panel.send({ type: 'sessions-listed', sessions });
    await panel.posted();
  }

  it('says what is pinned, what is open and what another program wrote, and offers for each what can be done', async () => {
    await openList();
    assert.deepEqual(await rows().allTextContents(), ['Pinned: A pinned one1 h ago · 3 messages · 1.2 MB', 'The open one1 h ago · 1 message · open now', 'From elsewhere1 h ago · 9 messages · Claude Code']);
    const offered = await panel.page.locator('.session-actions').evaluateAll((actions) => actions.map((each) => [...each.querySelectorAll('button')].map((button) => button.title).join()));
    assert.deepEqual(offered, ['Unpin,Rename (F2),Export…,Delete… (Del)', 'Pin,Rename (F2),Export…,Delete… (Del)', 'Export…']);
    for (const [name, row] of [['pin-session', 0], ['export-session', 2], ['delete-session', 0]] as const) {
      await rows().nth(row).hover();
      await panel.page.locator('.session').nth(row).getByTestId(name).click();
    }
    assert.deepEqual(await panel.posted(), [{ type: 'pin-session', sessionId: 'p', pinned: false }, { type: 'export-session', sessionId: 'c' }, { type: 'delete-session', sessionId: 'p' }]);
  });

  it('is worked with the keyboard alone', async () => {
    await openList();
    await panel.page.getByTestId('session-search').focus();
    await panel.page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'p');
    await panel.page.keyboard.press('Tab');
    assert.equal(await focused(), 'pin-session');
    assert.equal(await panel.page.locator('.session-actions').first().evaluate((actions) => getComputedStyle(actions).opacity), '1');
    await panel.page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 's');
    await panel.page.keyboard.press('F2');
    await panel.page.keyboard.type('Its new name');
    await panel.page.keyboard.press('Home');
    await panel.page.keyboard.press('Enter');
    await panel.page.waitForFunction(() => (document.activeElement as HTMLElement).dataset['sessionId'] === 's');
    await panel.page.keyboard.press('Delete');
    await panel.page.keyboard.press('End');
    await panel.page.keyboard.press('F2');
    await panel.page.keyboard.press('Delete');
    assert.equal(await focused(), 'c');
    assert.deepEqual(await panel.posted(), [{ type: 'rename-session', sessionId: 's', title: 'Its new name' }, { type: 'delete-session', sessionId: 's' }]);
  });

  it('keeps the name as it was on Escape, and leaves neither the list nor the turn', async () => {
    await openList();
    await rows().first().focus();
    await panel.page.keyboard.press('F2');
    await panel.page.keyboard.type('never');
    await panel.page.keyboard.press('Escape');
    await panel.page.waitForFunction(() => (document.activeElement as HTMLElement).dataset['sessionId'] === 'p');
    assert.deepEqual([await panel.posted(), await rows().count()], [[], 3]);
  });

  it('finds titles at once and shows what the host finds as it comes, without what came late of an earlier search', async () => {
    await openList();
    const search = panel.page.getByTestId('session-search');
    await search.fill('open');
    await panel.send();
    assert.deepEqual(await rows().count(), 1);
    await panel.page.waitForFunction(() => window.posted.some((message) => message.type === 'search-sessions'));
    await panel.send({ type: 'sessions-found', request: 1, matches: [{ sessionId: 's' }], isDone: false }, { type: 'sessions-found', request: 1, matches: [{ sessionId: 'c', excerpt: { before: 'it says ', match: 'open', after: ' here' } }], isDone: false });
    assert.deepEqual(await rows().allTextContents(), ['The open one1 h ago · 1 message · open now', 'From elsewhere1 h ago · 9 messages · Claude Codeit says open here']);
    assert.match((await panel.page.getByRole('status').first().textContent()) ?? '', /2 sessions found so far, looking on/);
    await panel.send({ type: 'sessions-found', request: 1, matches: [], isDone: true });
    assert.equal(await panel.page.getByRole('status').first().textContent(), '2 sessions found.');
    await search.fill('pinned');
    await panel.send();
    await panel.send({ type: 'sessions-found', request: 1, matches: [{ sessionId: 'c', excerpt: { before: '', match: 'late', after: '' } }], isDone: true });
    assert.deepEqual(await rows().allTextContents(), ['Pinned: A pinned one1 h ago · 3 messages · 1.2 MB']);
    await panel.page.waitForFunction(() => window.posted.some((message) => message.type === 'search-sessions' && message.words === 'pinned'));
    await search.press('Escape');
    assert.deepEqual([await search.inputValue(), await rows().count()], ['', 3]);
    // Effects run after a frame.
    await panel.send();
    assert.deepEqual(await panel.posted(), [
      { type: 'search-sessions', request: 1, words: 'open' },
      { type: 'search-sessions', request: 1, words: '' },
      { type: 'search-sessions', request: 2, words: 'pinned' },
      { type: 'search-sessions', request: 2, words: '' },
    ]);
  });

  it('of thousands of sessions makes a hundred rows, and more when asked', async () => {
    await panel.page.getByTestId('sessions-button').click();
    const many = Array.from({ length: 2_000 }, (_, index) => ({ sessionId: `m${index}`, title: `Session ${index}`, modified, messageCount: 1 }));
    await panel.send({ type: 'sessions-listed', sessions: many.slice(0, 1_000) }, { type: 'sessions-listed', sessions: many.slice(1_000), isMore: true });
    assert.equal(await rows().count(), 100);
    await panel.page.getByText('Show 200 more sessions').click();
    await panel.send();
    assert.equal(await rows().count(), 300);
    await panel.page.getByTestId('session-search').fill('Session 1999');
    await panel.send();
    assert.deepEqual(await rows().count(), 1);
  });

  it('a session of another program can be read and gone on with in a copy', async () => {
    await panel.send({ type: 'session-opened', sessionId: 'c', title: 'From elsewhere', draft: '', readOnly: true, isForeign: true });
    assert.match((await panel.page.getByTestId('read-only').textContent()) ?? '', /Claude Code: its file is read and never changed/);
    assert.equal(await panel.page.getByTestId('composer').count(), 0);
    await panel.posted();
    await panel.page.getByTestId('fork-session').click();
    assert.deepEqual(await panel.posted(), [{ type: 'fork-session' }]);
  });
});
