// Pictures of the panel in every state, theme and width, to be looked at:
//   node webview-ui/dev/gallery.mjs [scene …]      (the browser: $CHROMIUM, else the system's)
import { mkdir } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { buildPanel, findChromium, servePanel } from './panelPage.mjs';
import { commands, scenes } from './scenes.mjs';
import { themes } from './themes.mjs';

const out = 'out/gallery';
const widths = [220, 300, 700];
const height = 720;

const wanted = process.argv.slice(2);
await mkdir(out, { recursive: true });
const files = await buildPanel();
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  for (const [sceneName, events] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(sceneName)) continue;
    for (const [themeName, theme] of Object.entries(themes)) {
      for (const width of widths) await takePicture({ sceneName, events, themeName, theme, width });
    }
  }
} finally {
  await browser.close();
}

async function takePicture({ sceneName, events, themeName, theme, width }) {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
  page.on('pageerror', (error) => console.error(`${sceneName}: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && console.error(`${sceneName}: ${message.text()}`));
  await servePanel(page, files, theme);
  await page.evaluate((list) => window.postMessage({ type: 'events', events: list }), events);
  await page.getByTestId('header-title').waitFor();
  if (sceneName.startsWith('always')) await page.getByTestId('always-allow').click();
  if (sceneName.startsWith('sessions')) await page.getByTestId('sessions-button').click();
  if (sceneName === 'sessions') await page.getByTestId('session-item').nth(1).hover();
  if (sceneName === 'undo') {
    await page.getByTestId('message').hover();
    await page.getByTestId('undo-change').last().focus();
  }
  if (sceneName === 'commands') await listCommands(page);
  if (sceneName === 'sessions-search') await searchSessions(page);
  // The approval's buttons wake up after a moment.
  await page.waitForTimeout(events.some((event) => event.type === 'approvals-changed' || event.type === 'questions-changed') ? 700 : 250);
  await page.screenshot({ path: `${out}/${sceneName}-${themeName}-${width}.png` });
  await page.close();
}

async function listCommands(page) {
  await page.getByTestId('composer').pressSequentially('/');
  await page.waitForFunction(() => window.posted.some(({ type }) => type === 'complete'));
  const request = await page.evaluate(() => window.posted.findLast(({ type }) => type === 'complete').request);
  await page.evaluate((list) => window.postMessage({ type: 'events', events: list }), [{ type: 'completions-listed', request, completions: commands }]);
  await page.getByTestId('completion').first().waitFor();
}

/** The host answers after what is typed has rested. */
async function searchSessions(page) {
  await page.getByTestId('session-search').fill('discount');
  await page.waitForFunction(() => window.posted.some(({ type, words }) => type === 'search-sessions' && words !== ''));
  const excerpt = { before: '…the rate that is used for the ', match: 'discount', after: ' is 0.1 in one place and 10 in the other, so that the sum is off by a cent on…' };
  const events = [{ type: 'sessions-found', request: 1, matches: [{ sessionId: 's3', excerpt }, { sessionId: 's4', excerpt: { ...excerpt, before: 'npm test -- ' } }], isDone: true }];
  await page.evaluate((list) => window.postMessage({ type: 'events', events: list }), events);
  await page.getByTestId('session-item').nth(1).focus();
}
