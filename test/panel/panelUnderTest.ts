import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import type { ChatEvent, PanelToHost } from '../../src/protocol/chatView.ts';
import { buildPanel, findChromium, servePanel } from '../../webview-ui/dev/panelPage.mjs';
import type { PanelFiles, PanelTheme } from '../../webview-ui/dev/panelPage.mjs';
import { themes } from '../../webview-ui/dev/themes.mjs';

declare global {
  interface Window {
    posted: PanelToHost[];
  }
}

export interface PanelUnderTest {
  readonly page: Page;
  /** Posts the events and waits until a frame has shown them. */
  send(...events: readonly ChatEvent[]): Promise<void>;
  /** What the host was told since the last call, without drafts. */
  posted(): Promise<PanelToHost[]>;
}

export const opened: ChatEvent = { type: 'session-opened', sessionId: 's', title: 'Session', draft: 'kept', readOnly: false };

/** For each test of the calling `describe`, the bundled panel in a real browser, with a session opened. An error in the page fails the test. */
export function panelUnderTest({ theme = themes.dark, width = 400 }: { readonly theme?: PanelTheme; readonly width?: number } = {}): PanelUnderTest {
  let browser: Browser;
  let files: PanelFiles;
  let page: Page;
  let pageErrors: string[];
  before(async () => {
    files = await buildPanel();
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  });
  after(() => browser?.close());
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width, height: 700 } });
    pageErrors = [];
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
    await servePanel(page, files, theme);
    await send(opened);
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(pageErrors.filter((message) => !message.includes('ResizeObserver loop')), []);
  });

  async function send(...events: readonly ChatEvent[]): Promise<void> {
    await page.evaluate(async (list) => {
      window.postMessage({ type: 'events', events: list });
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    }, events);
  }

  return {
    get page() {
      return page;
    },
    send,
    async posted() {
      const messages = await page.evaluate(() => window.posted.splice(0));
      return messages.filter((message) => message.type !== 'draft-changed');
    },
  };
}
