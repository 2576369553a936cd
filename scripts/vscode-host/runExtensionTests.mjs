import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import util from 'node:util';
import { launchBrowser } from './browser.mjs';
import { ensureHost } from './install.mjs';
import { linkExtension } from './linkExtension.mjs';
import { startServer } from './server.mjs';
import { writeTestSettings } from './settings.mjs';
import { workbenchUrl } from './workbenchUrl.mjs';

/**
 * Runs a bundled test module inside the extension host of a real workbench, as `code --extensionTestsPath` does, and shows
 * what it writes to the file named by the variable TEST_OUTPUT.
 * @param {{ tests: string, extension: string, workspace?: string, settings?: object, hostVersion?: string,
 *   dataFolder?: string, extensionsFolder?: string, env?: Record<string, string>, trust?: boolean, limitSeconds?: number }} options
 * @returns {Promise<number>} 0 all passed, 1 a test failed, 2 the host did not work; then the folder with the logs is kept and named
 */
export async function runExtensionTests(options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'turnstone-host-'));
  const outputFile = path.join(folder, 'output.txt');
  fs.writeFileSync(outputFile, '');
  const showMore = follow(outputFile);
  const timer = setInterval(showMore, 100);
  let code = 2;
  try {
    code = await runInWorkbench(options, folder, { TEST_OUTPUT: outputFile, ...options.env });
  } catch (error) {
    console.error(error);
  } finally {
    clearInterval(timer);
    showMore();
  }
  if (code === 2) {
    console.error(`The host did not work. Its logs are kept in ${folder}`);
  } else {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return code;
}

async function runInWorkbench(options, folder, env) {
  const { tests, extension, workspace, settings, extensionsFolder, trust, hostVersion, limitSeconds = 900 } = options;
  const dataFolder = options.dataFolder ?? path.join(folder, 'data');
  writeTestSettings(dataFolder, settings);
  const host = ensureHost(hostVersion);
  const server = await startServer({ host, dataFolder, extensionsFolder, env, trust });
  let browser;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage();
    const exitCode = await openAndWait(page, workbenchUrl(server.url, { workspace, extension: linkExtension(extension, folder), tests }), folder, limitSeconds);
    return exitCode === 0 ? 0 : exitCode === undefined ? 2 : 1;
  } finally {
    await browser?.close();
    await server.stop();
  }
}

/** Resolves to the exit code the extension host gave, or undefined if it gave none. */
async function openAndWait(page, url, folder, limitSeconds) {
  const log = fs.createWriteStream(path.join(folder, 'console.log'));
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  // The test driver of the workbench calls these two.
  await page.exposeFunction('codeAutomationLog', (type, values) => void log.write(`[${type}] ${util.format(...values)}\n`));
  await page.exposeFunction('codeAutomationExit', (code) => finish(code));
  page.once('crash', () => finish(undefined));
  const timer = setTimeout(() => {
    console.error(`The tests did not finish within ${limitSeconds} s.`);
    finish(undefined);
  }, limitSeconds * 1000);
  try {
    await page.goto(url, { waitUntil: 'commit' });
    return await finished;
  } finally {
    clearTimeout(timer);
    log.end();
  }
}

/** Returns a function that prints what has been added to a file since the last call. */
function follow(file) {
  let shown = 0;
  return () => {
    const all = fs.readFileSync(file);
    process.stdout.write(all.subarray(shown));
    shown = all.length;
  };
}
