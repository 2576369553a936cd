import assert from 'node:assert/strict';
import { fileChange, scopeRows, targetRow, timeAgo } from '../../../../src/vscode/rewind/rewindPicks.ts';

const now = Date.parse('2026-11-30T12:00:00Z');

describe('rewindPicks', () => {
  it('says of a message what was asked, when, and what was done', () => {
    const target = { messageId: 'm', text: ' rename\n total ', timestamp: '2026-11-30T11:55:00Z', fileCount: 2, shellCommandCount: 1 };
    assert.deepEqual(targetRow(target, now), { label: 'rename total', description: '5 min ago', detail: '2 files written · $(terminal) 1 shell command' });
    assert.equal(targetRow({ ...target, fileCount: 0, shellCommandCount: 0 }, now).detail, 'no file written');
  });

  it('says before anything is done which files would change, and what is not covered', () => {
    const file = { path: '/w/src/cart.ts', action: 'restore', linesAdded: 3, linesRemoved: 1, changedSince: false } as const;
    const plan = { messageId: 'm', files: [file, { ...file, path: '/w/new.ts', action: 'delete' as const }], notCovered: [{ name: 'npm install', reason: 'a shell command' }], messagesRemoved: 2 };
    assert.deepEqual(scopeRows(plan, (path) => path.slice(3)), [
      { scope: 'both', label: 'Files and conversation', detail: 'src/cart.ts +3 −1, new.ts is deleted; the conversation ends before this message; what is cut off stays in the transcript — not brought back: npm install (a shell command)' },
      { scope: 'files', label: 'Files only', detail: 'src/cart.ts +3 −1, new.ts is deleted — not brought back: npm install (a shell command)' },
      { scope: 'conversation', label: 'Conversation only', detail: 'The conversation ends before this message; what is cut off stays in the transcript' },
    ]);
    assert.equal(fileChange({ ...file, action: 'recreate' }, (path) => path), '/w/src/cart.ts comes back');
  });

  it('counts time in the unit that people would use', () => {
    assert.deepEqual(
      ['2026-11-30T11:59:40Z', '2026-11-30T09:00:00Z', '2026-11-12T09:00:00Z', ''].map((timestamp) => timeAgo(timestamp, now)),
      ['just now', '3 h ago', 'Nov 12, 2026', ''],
    );
  });
});
