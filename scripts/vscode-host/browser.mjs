import { chromium } from 'playwright-core';
import { ensureChromium } from './chromium.mjs';

export const defaultViewport = { width: 1400, height: 900 };

/** Starts Chromium for a test; set HEADED=1 to watch it. */
export function launchBrowser() {
  return chromium.launch({
    executablePath: ensureChromium(),
    headless: process.env.HEADED !== '1',
    chromiumSandbox: process.getuid?.() !== 0, // Chromium refuses its sandbox to root
    args: [
      '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-extensions',
    ],
  });
}
