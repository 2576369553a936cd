import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listSessions } from '../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../support/engineHarness.ts';
import { message } from '../support/scriptedMessage.ts';
import { fault, turn } from '../support/scriptedTurn.ts';

describe('what a session is given back when it is opened again', function () {
  this.timeout(60_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  it('is what was chosen: model, mode, thinking and effort; but never the mode that asks nothing', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.') })]);
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    await runTurn(session, 'One');
    session.setModel('claude-opus-5-5');
    session.setPermissionMode('acceptEdits');
    session.setThinking('off');
    session.setEffort('low');
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([again.model, again.permissionMode, again.thinking, again.effort], ['claude-opus-5-5', 'acceptEdits', 'off', 'low']);
    again.setPermissionMode('bypassPermissions');
    await again.dispose();
    assert.equal((await harness.open({ resume: session.sessionId })).permissionMode, 'default');
  });

  it('is the time it took, with the waiting between attempts and without', async () => {
    harness = await EngineHarness.start([fault.overloaded(), turn({ reply: message('Yes.') })]);
    const session = await harness.open({ random: () => 0 });
    await runTurn(session, 'One');
    const { cost } = session;
    assert.ok(cost.apiDurationWithoutRetriesMs < cost.apiDurationMs, `${cost.apiDurationWithoutRetriesMs} of ${cost.apiDurationMs} ms`);
    assert.ok(cost.apiDurationMs <= cost.turnDurationMs);
    await session.dispose();
    assert.deepEqual((await harness.open({ resume: session.sessionId })).cost, cost);
  });

  it('is also what was chosen in the very moment in which its process ended, and its folder was gone', async () => {
    for (const isFolderGone of [false, true]) {
      harness = await EngineHarness.start([turn({ reply: message('Yes.') })]);
      const session = await harness.open();
      await runTurn(session, 'One');
      await session.dispose();
      const script = join(harness.cwd, 'last.mjs');
      const options = { cwd: harness.cwd, dataRoot: harness.dataRoot, resume: session.sessionId };
      await writeFile(
        script,
        `import { createEngine } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src/sdk/index.ts')).href)};
         import { rmSync } from 'node:fs';
         const session = await createEngine({ ...${JSON.stringify(options)}, endpoint: { baseUrl: 'http://127.0.0.1:9', apiKey: async () => 'k', apiKeySource: 'test' }, canUseTool: async () => ({ behavior: 'allow' }) });
         session.rename('Named at the end');
         ${isFolderGone ? `rmSync(${JSON.stringify(dirname(session.transcriptPath))}, { recursive: true });` : ''}
         process.exit(0);`,
      );
      const [code] = (await once(spawn(process.execPath, ['--no-warnings', script], { stdio: 'inherit' }), 'close')) as [number];
      assert.equal(code, 0);
      const [listed] = await listSessions({ cwd: harness.cwd, dataRoot: harness.dataRoot });
      assert.equal(listed?.title, 'Named at the end');
      if (!isFolderGone) assert.equal((await harness.open({ resume: session.sessionId })).title, 'Named at the end');
      await rm(script);
      if (!isFolderGone) await harness.close();
    }
  });
});
