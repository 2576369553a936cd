import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTranscript, projectFolder, transcriptPath } from '../../../../src/engine/transcript/transcriptPath.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { inFolder, sessionId } from './support.ts';

describe('transcriptPath', () => {
  it('names folders like Claude Code does', () => {
    assert.equal(transcriptPath('/root', '/home/ann/my.shop_2', 'id'), '/root/projects/-home-ann-my-shop-2/id.jsonl');
    assert.equal(transcriptPath('C:\\data', 'D:\\Müll', 'id'), 'C:\\data\\projects\\D--M-ll\\id.jsonl');
  });

  it('keeps long names apart and within what file systems take', () => {
    const [one, other] = ['a', 'b'].map((end) => projectFolder('/root', `/${'long/'.repeat(80)}${end}`).split('/').at(-1)!);
    assert.notEqual(one, other);
    assert.ok(one!.length < 255);
    assert.match(one!, /^[a-zA-Z0-9-]+$/);
  });

  it('finds a session by uuid in any project, and by path', () =>
    inFolder(async (folder) => {
      const path = transcriptPath(folder, '/somewhere/else', sessionId);
      await mkdir(projectFolder(folder, '/somewhere/else'), { recursive: true });
      await writeFile(path, '');
      assert.equal(await findTranscript(nodeFileSystem, folder, sessionId), path);
      assert.equal(await findTranscript(nodeFileSystem, folder, path), path);
      assert.equal(await findTranscript(nodeFileSystem, folder, 'unknown'), undefined);
      assert.equal(await findTranscript(nodeFileSystem, folder, `../${sessionId}`), undefined);
      assert.equal(await findTranscript(nodeFileSystem, folder, join(folder, 'no.jsonl')), undefined);
      assert.equal(await findTranscript(nodeFileSystem, join(folder, 'nothing'), sessionId), undefined);
    }));
});
