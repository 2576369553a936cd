import assert from 'node:assert/strict';
import { commandsBeside, unwatchedChanges } from '../../../../src/engine/fileHistory/shellCommands.ts';
import type { SnapshotLine } from '../../../../src/protocol/transcript.ts';

let sequence = 0;
const line = (fields: Partial<SnapshotLine>): SnapshotLine => ({ type: 'file-history-snapshot', sessionId: 's', timestamp: '', messageId: 'm', isSnapshotUpdate: true, files: [], sequence: ++sequence, ...fields });
const changed = (shellRun: string, ...paths: string[]): SnapshotLine => line({ shellRun, files: paths.map((path) => ({ path, before: { kind: 'absent' } })) });

describe('what is said of shell commands before going back', () => {
  it('their changes may be the user’s where nothing told what the user did, and the command ran for a while', () => {
    const lines = [
      line({ shellRun: 'long', shellCommand: 'npm  test' }), changed('long', '/a', '/b'), line({ shellRun: 'long', shellGap: null, shellUnwatchedMs: 42_000 }),
      line({ shellRun: 'longer', shellCommand: 'make' }), changed('longer', '/b'), line({ shellRun: 'longer', shellGap: null, shellUnwatchedMs: 60_000 }),
      line({ shellRun: 'short', shellCommand: 'ls' }), changed('short', '/c'), line({ shellRun: 'short', shellGap: null, shellUnwatchedMs: 20 }),
      line({ shellRun: 'watched', shellCommand: 'sleep 9' }), changed('watched', '/d'), line({ shellRun: 'watched', shellGap: null }),
    ];
    assert.deepEqual([...unwatchedChanges(lines, lines)], [['/a', { command: 'npm test', ranMs: 42_000 }], ['/b', { command: 'make', ranMs: 60_000 }]]);
    assert.deepEqual([...unwatchedChanges(lines, [])], []);
  });

  it('commands of other sessions that ran beside them are named, once', () => {
    const lines = [line({ shellRun: 'one', shellCommand: 'make' }), changed('one', '/a'), line({ shellRun: 'one', shellGap: null, shellBeside: ['npm i', 'npm  i'] })];
    assert.deepEqual(commandsBeside(lines, lines), ['npm i']);
    assert.deepEqual(commandsBeside(lines, lines.filter(({ files }) => files.length === 0)), []);
  });
});
