import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTailStart } from '../../../../src/engine/transcript/tailStart.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { inFolder } from './support.ts';

const filler = (uuid: string, size: number): string => `${JSON.stringify({ type: 'user', uuid, parentUuid: null, text: `"subtype":"compact_boundary"${'é'.repeat(size / 2)}` })}\n`;
const boundary = (headUuid?: string, requestUuid?: string): string =>
  `${JSON.stringify({ type: 'system', uuid: 'k', subtype: 'compact_boundary', compactMetadata: headUuid && { trigger: 'auto', preservedSegment: { headUuid, anchorUuid: 'k', tailUuid: 't', requestUuid }, summary: 's' } })}\n`;

describe('findTailStart', function () {
  this.timeout(60_000);

  const startIn = (text: string, limit = 1000): Promise<number> =>
    inFolder(async (folder) => {
      const path = join(folder, 'x.jsonl');
      await writeFile(path, text);
      return findTailStart(nodeFileSystem, path, Buffer.byteLength(text), limit);
    });

  it('is 0 for what may be read whole and where nothing was compacted', async () => {
    assert.equal(await startIn(boundary(), 1_000_000), 0);
    assert.equal(await startIn(filler('a', 6_000_000)), 0);
  });

  it('is the line of the last boundary, read from the end over chunk borders', async () => {
    const before = filler('a', 6_000_000) + boundary() + filler('b', 4_194_304 - 60);
    for (const shift of [0, 20, 40, 60]) {
      assert.equal(await startIn(before + boundary() + filler('c', 4_194_304 - 60 - shift)), Buffer.byteLength(before));
    }
  });

  it('reaches back to the messages that the boundary preserved', async () => {
    const first = filler('a', 2_000);
    assert.equal(await startIn(first + filler('head', 2_000) + filler('b', 5_000_000) + boundary('head')), Buffer.byteLength(first));
    assert.equal(await startIn(first + filler('request', 2_000) + filler('b', 5_000_000) + filler('head', 100) + boundary('head', 'request')), Buffer.byteLength(first));
  });
});
