import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/abort.ts';
import { SessionContext } from '../../../../src/engine/context/sessionContext.ts';
import type { Git } from '../../../../src/engine/ports.ts';
import { ReadFileState } from '../../../../src/engine/tools/readFileState.ts';
import { noDocuments } from '../../../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeEnvironment } from '../../../../src/platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

describe('SessionContext', () => {
  let folder: string;
  let looks: number;
  const git: Git = {
    run: async ([command], _cwd, signal) => {
      if (command === 'status') looks++;
      return signal.aborted ? undefined : `${command}\n`;
    },
  };
  const contextOf = (trusted: boolean) =>
    new SessionContext({
      files: nodeFileSystem,
      documents: noDocuments,
      digest: nodeDigest,
      git,
      clock: systemClock,
      environment: { ...nodeEnvironment('1', undefined), homeFolder: folder },
      readFileState: new ReadFileState(),
      cwd: folder,
      roots: [folder],
      trusted,
    });
  const namesIn = async (context: SessionContext, signal: AbortSignal) => context.parts(await context.gather(signal), []).map((part) => part.name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstone-context-'));
    looks = 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('looks at git once per session, also when turns end', async () => {
    const context = contextOf(true);
    for (let turn = 0; turn < 3; turn++) {
      const controller = new AbortController();
      assert.deepEqual(await namesIn(context, controller.signal), ['git', 'date']);
      controller.abort('the turn is over');
    }
    assert.equal(looks, 1);
  });

  it('looks again after a look that was interrupted', async () => {
    const context = contextOf(true);
    assert.deepEqual(await namesIn(context, AbortSignal.abort()), ['date']);
    assert.deepEqual(await namesIn(context, new AbortController().signal), ['git', 'date']);
    assert.equal(looks, 2);
  });

  it('never looks at git in a workspace that is not trusted', async () => {
    assert.deepEqual(await namesIn(contextOf(false), new AbortController().signal), ['date']);
    assert.equal(looks, 0);
  });
});
