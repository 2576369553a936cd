import type { Browser, BrowserContext, Page } from 'playwright-core';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  copySample, defaultViewport, ensureHost, type Host, type HostServer, launchBrowser, linkExtension, projectEnvironment, projectRoot, startServer, workbenchUrl,
  writeTestSettings,
} from '../../../scripts/vscode-host/index.mjs';
import { ChatPanel } from './chatPanel.ts';
import { extensionHostsEnd } from './extensionHosts.ts';
import { type Theme, themeClass, themeName } from './themes.ts';
import { Workbench } from './workbench.ts';

/** The key that every extension host of the tests finds in its environment; the scripted model server accepts it. */
export const testApiKey = 'test-key';

export interface OpenOptions {
  /** Where the scripted model server listens; without it the extension has a key and nowhere to go. */
  readonly baseUrl?: string;
  /** User settings beside the quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: Theme;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Files to write into the copy of the sample before it is opened, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface OpenedWorkbench {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly chat: ChatPanel;
  /** The copy of the sample workspace, a git repository. */
  readonly workspace: string;
  /** The TURNSTONE_HOME of this test alone. */
  readonly home: string;
  /** Takes effect in the open window, as when the user edits settings.json. */
  changeSettings(settings: Readonly<Record<string, unknown>>): void;
  showTheme(theme: Theme): Promise<void>;
  /** Ends the window and its extension host. Also done for every window still open when the tests end. */
  close(): Promise<void>;
}

interface SharedHost {
  readonly folder: string;
  readonly host: Host;
  readonly extension: string;
  readonly server: HostServer;
  readonly browser: Browser;
}

let shared: Promise<SharedHost> | undefined;
const opened = new Set<OpenedWorkbench>();

/**
 * Opens VS Code with the extension on a fresh copy of the sample workspace, with a fresh place for sessions. Server and
 * browser are shared by all tests and user settings belong to the server, so one window is open at a time.
 */
export async function openWorkbench(options: OpenOptions = {}): Promise<OpenedWorkbench> {
  for (const earlier of opened) {
    await earlier.close();
  }
  shared ??= startShared();
  const { folder, host, extension, server, browser } = await shared;
  const own = fs.mkdtempSync(path.join(folder, 'test-'));
  const workspace = copySample(own);
  writeFiles(workspace, options.files ?? {});
  const home = path.join(own, 'home');
  let settings = settingsFor(options, home, host);
  const write = (): void => writeTestSettings(path.join(folder, 'data'), settings);
  write();
  const context = await browser.newContext({ viewport: options.viewport ?? defaultViewport });
  const page = await newPage(context);
  const workbench = new Workbench(page);
  const result: OpenedWorkbench = {
    page, workbench, workspace, home, chat: new ChatPanel(page),
    changeSettings(changes) {
      settings = { ...settings, ...changes };
      write();
    },
    async showTheme(theme) {
      result.changeSettings({ 'workbench.colorTheme': themeName(host.vscodeFolder, theme) });
      await page.locator(`.monaco-workbench.${themeClass(theme)}`).waitFor();
    },
    async close() {
      opened.delete(result);
      await context.close();
      await extensionHostsEnd(server.pid);
    },
  };
  opened.add(result);
  await page.goto(workbenchUrl(server.url, { workspace, extension }), { waitUntil: 'commit' });
  await workbench.ready();
  return result;
}

/** The windows that are open now, for a picture when a test fails. */
export function openWorkbenches(): Iterable<OpenedWorkbench> {
  return opened;
}

/** Ends browser and server and removes everything the tests made. */
export async function closeShared(): Promise<void> {
  const running = await shared?.catch(() => undefined);
  shared = undefined;
  opened.clear();
  if (running) {
    await running.browser.close();
    await running.server.stop();
    fs.rmSync(running.folder, { recursive: true, force: true });
  }
}

async function startShared(): Promise<SharedHost> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'turnstone-e2e-'));
  const userHome = path.join(folder, 'user');
  fs.mkdirSync(userHome);
  // A home of its own: what whoever runs the tests keeps in ~ must not change their outcome.
  const env = projectEnvironment({ HOME: userHome, ANTHROPIC_API_KEY: testApiKey, ANTHROPIC_BASE_URL: undefined, TURNSTONE_HOME: undefined });
  const dataFolder = path.join(folder, 'data');
  const extension = linkExtension(projectRoot, folder);
  const host = ensureHost(process.env.VSCODE_HOST_VERSION);
  const server = await startServer({ host, dataFolder, env });
  try {
    return { folder, host, extension, server, browser: await launchBrowser() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function settingsFor({ baseUrl, settings, theme = 'dark' }: OpenOptions, home: string, host: Host): Readonly<Record<string, unknown>> {
  return {
    'turnstone.home': home,
    // A request that no script expects; the tests of titles turn it on.
    'turnstone.titles': false,
    ...(baseUrl === undefined ? {} : { 'turnstone.baseUrl': baseUrl }),
    'workbench.colorTheme': themeName(host.vscodeFolder, theme),
    ...settings,
  };
}

async function newPage(context: BrowserContext): Promise<Page> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  // Generous, because a loaded machine makes everything slow; nothing is measured by it.
  page.setDefaultTimeout(60_000);
  return page;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}
