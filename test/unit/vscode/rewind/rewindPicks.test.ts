import assert from 'node:assert/strict';
import { conflictText, decisionRows, fileChange, scopeRows, targetRow, timeAgo } from '../../../../src/vscode/rewind/rewindPicks.ts';

const now = Date.parse('2026-11-30T12:00:00Z');

describe('rewindPicks', () => {
  it('says of a message what was asked, when, and what was done', () => {
    const target = { messageId: 'm', text: ' rename\n total ', timestamp: '2026-11-30T11:55:00Z', fileCount: 2, shellCommandCount: 1 };
    assert.deepEqual(targetRow(target, now), { label: 'rename total', description: '5 min ago', detail: '2 files written · $(terminal) 1 shell command' });
    assert.equal(targetRow({ ...target, linesAdded: 3, linesRemoved: 1 }, now).detail, '2 files written +3 −1 · $(terminal) 1 shell command');
    assert.equal(targetRow({ ...target, fileCount: 0, shellCommandCount: 0 }, now).detail, 'no file written');
  });

  it('says before anything is done which files would change, and what is not covered', () => {
    const file = { path: '/w/src/cart.ts', action: 'restore', linesAdded: 3, linesRemoved: 1, changedSince: false } as const;
    const plan = { messageId: 'm', files: [file, { ...file, path: '/w/new.ts', action: 'delete' as const }], notCovered: [{ name: 'npm install', reason: 'a shell command' }], messagesRemoved: 2 };
    assert.deepEqual(scopeRows(plan, (path) => path.slice(3)), [
      { scope: 'both', label: 'Files and conversation', detail: 'src/cart.ts +3 −1, new.ts is deleted; the conversation ends before this message; what follows is kept — not brought back: npm install (a shell command)' },
      { scope: 'files', label: 'Files only', detail: 'src/cart.ts +3 −1, new.ts is deleted — not brought back: npm install (a shell command)' },
      { scope: 'conversation', label: 'Conversation only', detail: 'The conversation ends before this message; what follows is kept' },
      { scope: 'fork', label: 'Fork: go on in a copy', detail: 'A new session up to this message; this one and all files stay as they are' },
    ]);
    assert.equal(fileChange({ ...file, action: 'recreate' }, (path) => path), '/w/src/cart.ts comes back');
  });

  it('offers for a file that others changed what can be done, the safest first, and says when markers would be written', () => {
    const file = { path: '/w/a', action: 'restore', linesAdded: 1, linesRemoved: 1, changedSince: true } as const;
    const conflicts = [{ firstLine: 3, lineCount: 3 }, { firstLine: 9, lineCount: 0 }];
    const offered = (more: object): string[] => decisionRows({ ...file, ...more }).map(({ decision, label }) => `${decision}: ${label}`);
    assert.deepEqual(offered({ merge: { conflicts: [] } }), ['merge: Merge', 'skip: Leave as it is', 'overwrite: Overwrite']);
    assert.deepEqual(offered({ merge: { conflicts } }), ['merge: Merge, and mark the conflicts in the file', 'skip: Leave as it is', 'overwrite: Overwrite']);
    assert.deepEqual(offered({ action: 'delete' }), ['skip: Leave as it is', 'overwrite: Delete']);
    assert.match(decisionRows({ ...file, merge: { conflicts } })[0]!.detail, /2 conflicts, at lines 3–5, 9: both versions are written between marker lines/);
    assert.equal(conflictText([{ firstLine: 7, lineCount: 1 }]), '1 conflict, at line 7');
  });

  it('counts time in the unit that people would use', () => {
    assert.deepEqual(
      ['2026-11-30T11:59:40Z', '2026-11-30T09:00:00Z', '2026-11-12T09:00:00Z', ''].map((timestamp) => timeAgo(timestamp, now)),
      ['just now', '3 h ago', 'Nov 12, 2026', ''],
    );
  });
});
