import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { inFolder } from './support.ts';

const corpus = join(import.meta.dirname, '../../../../../shared/corpus/transcripts');

describe('transcripts of Claude Code', () => {
  it('are read through progress and attachment lines, unknown types and its own snapshots', () =>
    inFolder(async (folder) => {
      const base = { sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/ann' };
      const usage = { input_tokens: 1, output_tokens: 2 };
      const lines = [
        { type: 'file-history-snapshot', messageId: 'u', snapshot: { messageId: 'u', trackedFileBackups: {} }, isSnapshotUpdate: false },
        { ...base, type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'hi' }, toolUseResult: 'text' },
        { ...base, type: 'attachment', uuid: 'at', parentUuid: 'u', attachment: { type: 'skill_listing' } },
        { ...base, type: 'progress', uuid: 'p', parentUuid: 'at', toolUseID: 't', data: {} },
        { ...base, type: 'assistant', uuid: 'a', parentUuid: 'p', message: { id: 'm', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'ho' }], usage } },
        { type: 'queue-operation', operation: 'enqueue' },
        { type: 'custom-title', customTitle: 'Mine' },
        { type: 'ai-title', aiTitle: 'Its' },
      ];
      const path = join(folder, 'x.jsonl');
      await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
      const loaded = await loadTranscript(nodeFileSystem, path);
      assert.deepEqual(loaded.messages.map(({ uuid }) => uuid), ['u', 'a']);
      assert.deepEqual([loaded.sessionId, loaded.labels, loaded.snapshots, loaded.notices], ['s', { customTitle: 'Mine', aiTitle: 'Its', pinned: undefined }, [], []]);
    }));

  it('real ones are all read', async function () {
    this.timeout(120_000);
    if (!existsSync(corpus)) {
      console.log('      (did not run on real transcripts: ../shared/corpus is not here)');
      return;
    }
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
    assert.ok(paths.length > 50);
    let withMessages = 0;
    for (const path of paths) {
      const loaded = await loadTranscript(nodeFileSystem, join(corpus, path));
      const isDamaged = /truncated|two-objects|edge_cases/.test(path);
      if (!isDamaged) assert.deepEqual(loaded.notices.filter((notice) => /could not be read and was skipped|left out/.test(notice)), [], path);
      if (loaded.messages.length > 0) withMessages++;
    }
    // Some consist of summaries or snapshots alone.
    assert.ok(withMessages > paths.length * 0.9);
  });
});
