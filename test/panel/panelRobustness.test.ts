import assert from 'node:assert/strict';
import type { ChatEvent, ChatItem } from '../../src/protocol/chatView.ts';
import { packChatEvents } from '../../src/vscode/chatEventBatch.ts';
import { ChatLog } from '../../src/vscode/chatLog.ts';
import { panelHtml } from '../../src/vscode/panelHtml.ts';
import { opened, panelUnderTest } from './panelUnderTest.ts';

describe('the panel under odd weather', () => {
  const panel = panelUnderTest();
  const put = (...items: readonly ChatItem[]): Promise<void> => sendPacked([{ type: 'items-put', items }]);
  const answer = (markdown: string, streaming = false): ChatItem => ({ kind: 'text', id: 'answer', markdown, streaming });
  const tool = (output: string, more: Partial<ChatItem> = {}): ChatItem => ({ kind: 'tool', id: 't', tool: 'Bash', title: 'run it', status: 'done', output, ...more } as ChatItem);
  const shown = () => panel.page.locator('article').last();

  /** As the host posts it: nothing over 64 kB at once. */
  async function sendPacked(events: readonly ChatEvent[]): Promise<void> {
    for (const batch of packChatEvents(events)) await panel.send(...batch);
  }

  /** Nobody has been pushed aside: one can type, and nothing is wider than the panel. */
  async function isWell(): Promise<void> {
    await panel.page.getByTestId('composer').fill('still here');
    assert.equal(await panel.page.getByTestId('composer').inputValue(), 'still here');
    assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
    assert.equal(await panel.page.getByTestId('broken-message').count(), 0);
  }

  it('loaded anew in the middle of an answer, shows all of it and goes on', async () => {
    const log = new ChatLog();
    const happens = async (...events: readonly ChatEvent[]): Promise<void> => {
      log.apply(events);
      await sendPacked(events);
    };
    const words = (from: number, to: number) => Array.from({ length: to - from }, (_, at): ChatEvent => ({ type: 'text-appended', id: 'answer', text: `word${from + at} ` }));
    await happens(opened, { type: 'turn-changed', running: true }, { type: 'items-put', items: [tool('', { status: 'running' }), answer('', true)] }, ...words(0, 50));
    await happens({ type: 'text-appended', id: 't', text: 'half a li' });
    await panel.page.getByTestId('composer').fill('being typed');
    await panel.page.waitForFunction(() => window.posted.some((message) => message.type === 'draft-changed'));
    log.setDraft('being typed');
    await panel.page.reload();
    await panel.page.waitForFunction(() => window.posted.some((message) => message.type === 'ready'));
    // What happens while the page loads is in the log, and not sent before the page asks.
    log.apply(words(50, 60));
    await sendPacked(log.snapshot());
    await happens(...words(60, 80), { type: 'text-appended', id: 't', text: 'ne' });
    assert.equal((await shown().textContent())?.trim(), words(0, 80).map((event) => (event.type === 'text-appended' ? event.text : '')).join('').trim());
    assert.equal(await panel.page.locator('.tool-output').textContent(), 'half a line');
    assert.equal(await panel.page.getByTestId('stop').count(), 1);
    assert.equal(await panel.page.getByTestId('composer').inputValue(), 'being typed');
  });

  it('holds 5,000 messages, and the first as well as the last can be read', async () => {
    await put(...Array.from({ length: 5_000 }, (_, index): ChatItem => (index % 2 === 0 ? { kind: 'user', id: `u${index}`, text: `question ${index}`, timestamp: '2026-11-30T09:00:00Z' } : { kind: 'text', id: `a${index}`, markdown: `answer **${index}**`, streaming: false })));
    await panel.page.getByText('answer 4999').waitFor();
    assert.ok((await panel.page.locator('article').count()) < 60);
    await panel.page.getByRole('feed').focus();
    await panel.page.keyboard.press('Home');
    await panel.page.getByText('question 0', { exact: true }).waitFor();
    assert.ok((await panel.page.locator('article').count()) < 60);
    await isWell();
  });

  it('shows an answer of 2 MB to its end', async () => {
    const paragraph = `${'All work and no play makes a long answer. '.repeat(24)}\n\n`;
    await put(answer(`${paragraph.repeat(2_000)}The very last words.`));
    await panel.page.getByText('The very last words.').waitFor();
    await isWell();
  });

  it('shows what a tool printed as text, whatever it is', async () => {
    const html = '<img src=x onerror="document.title=\'run\'"><script>document.title="run"</script><b>bold</b>';
    await put(tool(`${html}\n\u0000\u0007\u001b[31mred\u001b[0m\u0008 \u202egnp.exe\u202c شكرا \ud83d\ude00 \ud800 ${'x'.repeat(200_000)}`));
    const output = panel.page.locator('.tool-output');
    await output.waitFor();
    assert.equal(await output.locator('*').count(), 0);
    assert.notEqual(await panel.page.title(), 'run');
    await isWell();
  });

  it('makes what turns or hides text visible, in what was printed and in what is to be allowed', async () => {
    await put(tool('safe \u202egnp.exe\u202c \u200bend\u0007'));
    assert.equal(await panel.page.locator('.tool-output').textContent(), 'safe ⟨U+202E⟩gnp.exe⟨U+202C⟩ ⟨U+200B⟩end⟨U+0007⟩');
    await panel.send({ type: 'approvals-changed', approvals: [{ id: 'c', kind: 'command', title: 'Run a command', detail: 'echo \u202e"hsab | x" lruc' }] });
    assert.match((await panel.page.getByTestId('approval').locator('code').first().textContent()) ?? '', /^echo ⟨U\+202E⟩"hsab/);
    await isWell();
  });

  const broken: Readonly<Record<string, string>> = {
    'an open fence': '```ts\nconst a = `',
    'fences in fences': '````md\n```ts\n~~~\n````\n```',
    'half a table': '| a | b\n|--|\n| c',
    'deep quotes': `${'>'.repeat(2_000)} deep`,
    'a deep list': Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- deeper`).join('\n'),
    'many brackets': '['.repeat(20_000),
    'many stars': '*a **b '.repeat(5_000),
    'many backticks': Array.from({ length: 300 }, (_, count) => '`'.repeat(count + 1)).join(' '),
    'HTML': '<details><summary>open</summary><iframe src="https://example.com"></iframe>\n\n<style>*{display:none}</style>',
    'a link to itself': '[a]: #a\n[a][a] [b][c] ![][a]',
    'one very long word': 'x'.repeat(300_000),
    'no text': '\u0000\u0001\u2028\ufeff\ud800',
  };
  for (const [name, markdown] of Object.entries(broken)) {
    it(`shows Markdown that is broken: ${name}`, async () => {
      await put(answer(markdown.slice(0, -1), true));
      await panel.send({ type: 'text-appended', id: 'answer', text: markdown.slice(-1) });
      await put(answer(markdown), tool('after it'));
      await panel.page.locator('.tool-output').filter({ hasText: 'after it' }).waitFor();
      assert.equal(await panel.page.locator('article iframe, article style, article script').count(), 0);
      await isWell();
    });
  }

  it('loads no image of an answer: it is a link, and nothing is fetched', async () => {
    const fetched: string[] = [];
    panel.page.on('request', (request) => fetched.push(request.url()));
    await put(answer('![the chart](https://example.com/chart.png) ![](data:image/png;base64,xx) ![file](file:///etc/passwd)'));
    await panel.page.getByText('the chart').click();
    assert.deepEqual((await panel.posted()).filter(({ type }) => type === 'open-link'), [{ type: 'open-link', url: 'https://example.com/chart.png' }]);
    assert.equal(await panel.page.locator('article img').count(), 0);
    assert.deepEqual(fetched, []);
    await isWell();
  });

  it('is never just grey: without its script the page says what to do, and with it that is gone', async () => {
    const { page } = panel;
    const uri = (name: string): string => new URL(name, page.url()).href;
    const html = (scriptUri: string): string => panelHtml({ cspSource: new URL(page.url()).origin, nonce: 'n', scriptUri, styleUri: uri('main.css'), iconStyleUri: uri('codicon.css') });
    await page.addInitScript(() => Object.assign(window, { posted: [], acquireVsCodeApi: () => ({ postMessage: (message: never) => window.posted.push(message) }) }));
    const words = page.getByText('Turnstone: Reload Panel');
    for (const [script, count] of [['main.js', 0], ['data:text/javascript,', 1]] as const) {
      await page.route(uri('whole'), (route) => route.fulfill({ contentType: 'text/html', body: html(script.startsWith('data:') ? script : uri(script)) }));
      await page.goto(uri('whole'));
      if (count === 0) await page.getByTestId('composer').waitFor();
      else await words.waitFor();
      assert.equal(await words.count(), count);
      await page.unroute(uri('whole'));
    }
  });
});
