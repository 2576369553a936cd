import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const project = fileURLToPath(new URL('../../../', import.meta.url));

describe('the package, imported by its name', function () {
  this.timeout(60_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-package-'));
    const installed = join(folder, 'node_modules', 'turnstone');
    await mkdir(installed, { recursive: true });
    await copyFile(join(project, 'package.json'), join(installed, 'package.json'));
    await build({
      absWorkingDir: project,
      entryPoints: { sdk: 'src/sdk/index.ts' },
      outdir: join(installed, 'dist'),
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      splitting: true,
      banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
      logLevel: 'error',
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives a program the engine: one turn with the demo model', async () => {
    await writeFile(join(folder, 'program.mjs'), `
      import { ask, QueryEngine, startDemoModel, DEMO_MODEL } from 'turnstone';
      const model = await startDemoModel();
      const endpoint = { baseUrl: model.url, apiKey: async () => model.apiKey, apiKeySource: 'demo' };
      const options = { cwd: process.cwd(), dataRoot: process.cwd() + '/home', model: DEMO_MODEL, endpoint, canUseTool: async () => ({ behavior: 'deny' }) };
      let result;
      for await (const message of ask('Hello', options)) if (message.type === 'result') result = message.subtype;
      console.log(typeof QueryEngine, result);
      process.exit();
    `);
    const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder });
    assert.equal(stdout, 'function success\n');
  });
});
