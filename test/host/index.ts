// The tests that run inside the extension host of a real VS Code, bundled into one file that its `run` is called of.
import Mocha from 'mocha';
import fs from 'node:fs';
import util from 'node:util';

/** Every *.test.ts of this folder; the architecture test notices one that is missing. Imported late: they use mocha's globals. */
const testFiles = [
  () => import('./smoke.test.ts'),
  () => import('./contributions.test.ts'),
  () => import('./editorDocuments.test.ts'),
  () => import('./fileWatching.test.ts'),
  () => import('./languageServices.test.ts'),
  () => import('./proposalReview.test.ts'),
  () => import('./reviewPlaces.test.ts'),
  () => import('./rewind.test.ts'),
  () => import('./savesBesideCommands.test.ts'),
  () => import('./session.test.ts'),
  () => import('./sessionCatalog.test.ts'),
  () => import('./mirroring.test.ts'),
];

/** Called by VS Code (extensionTestsPath); rejects when a test failed. */
export async function run(): Promise<void> {
  // The console of an extension host is full of other voices, so the results go to a file where one is given.
  const outputFile = process.env.TEST_OUTPUT;
  if (outputFile) {
    Mocha.reporters.Base.consoleLog = (...values: unknown[]) => fs.appendFileSync(outputFile, `${util.format(...values)}\n`);
  }
  const grep = process.env.TEST_GREP;
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 120_000, ...(grep ? { grep } : {}) });
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha);
  for (const load of testFiles) {
    await load();
  }
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.once('end', () => writeCounts(runner.stats));
  });
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}

function writeCounts(stats: Mocha.Stats | undefined): void {
  const file = process.env.TEST_RESULTS;
  if (file && stats) {
    fs.writeFileSync(file, JSON.stringify({ passed: stats.passes, failed: stats.failures }));
  }
}
