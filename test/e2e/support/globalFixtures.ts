// Loaded by mocha before the specs (--require): ends the shared server and browser, and pictures what failed.
import type { Context } from 'mocha';
import { closeShared, openWorkbenches } from './harness.ts';
import { failureScreenshot } from './screenshot.ts';

export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== 'failed') {
      return;
    }
    for (const { page } of openWorkbenches()) {
      const file = await failureScreenshot(page, test.fullTitle()).catch((error: unknown) => `none (${String(error)})`);
      console.log(`      the window when it failed: ${file}`);
    }
  },
};

export async function mochaGlobalTeardown(): Promise<void> {
  await closeShared();
}
