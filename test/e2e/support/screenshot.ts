import type { Locator, Page } from 'playwright-core';
import fs from 'node:fs';
import path from 'node:path';
import { inProject } from '../../../scripts/vscode-host/index.mjs';

/** The pictures in the documentation are replaced only on demand, so that a test run leaves the checkout as it was. */
const folder = process.env.UPDATE_SCREENSHOTS === '1' ? inProject('docs', 'screenshots') : inProject('out', 'screenshots');

/** Takes a picture of the window or a part of it; returns the file. */
export async function screenshot(what: Page | Locator, name: string): Promise<string> {
  return writePicture(what, path.join(folder, `${name}.png`));
}

/** A picture of what a failed test left on the screen; never for the documentation. */
export async function failureScreenshot(page: Page, title: string): Promise<string> {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100);
  return writePicture(page, inProject('out', 'screenshots', `failed-${name}.png`));
}

async function writePicture(what: Page | Locator, file: string): Promise<string> {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await what.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  return file;
}
