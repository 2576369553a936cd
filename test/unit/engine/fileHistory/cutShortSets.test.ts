import assert from 'node:assert/strict';
import { decideCutShort, openSets } from '../../../../src/engine/fileHistory/cutShortSets.ts';
import type { FileEvent } from '../../../../src/engine/fileHistory/rewindPlan.ts';
import type { ChangeSetLine, FileState, SnapshotLine } from '../../../../src/protocol/transcript.ts';

const file = (hash: string): FileState => ({ kind: 'file', hash, mode: 0o644, size: 1 });
const absent: FileState = { kind: 'absent' };
const line: ChangeSetLine = { type: 'change-set', sessionId: 's', timestamp: '', uuid: 'set', messageId: 'm', sequence: 5, files: [{ path: '/a', hashes: ['a1', 'a2'] }, { path: '/b', hashes: ['b1'] }] };
const event = (path: string, before: FileState, after: FileState | undefined, sequence = 6): FileEvent => ({ path, sequence, owner: 'm', before, after, toolUseId: 't', isRewind: false });
const decide = (a: FileState, b: FileState, events: readonly FileEvent[]) => decideCutShort(line, new Map([['/a', a], ['/b', b]]), events);

describe('A set whose writing was cut short', () => {
  it('is left as it is where nothing was written, or all of it', () => {
    assert.deepEqual(decide(file('a0'), absent, []), { files: [], notices: [] });
    assert.deepEqual(decide(file('a0'), absent, [event('/a', file('a0'), undefined)]), { files: [], notices: [] });
    assert.deepEqual(decide(file('a2'), file('b1'), [event('/a', file('a0'), file('a1')), event('/a', file('a1'), undefined), event('/b', absent, undefined)]), { files: [], notices: [] });
  });

  it('is whole also where a formatter has made something else of each write', () => {
    assert.deepEqual(decide(file('a2 formatted'), file('b1'), [event('/a', file('a0'), file('a1')), event('/a', file('a1'), file('a2 formatted')), event('/b', absent, file('b1'))]), { files: [], notices: [] });
  });

  it('is taken back where a part was written, also when the last write was not noted any more', () => {
    const { files, notices } = decide(file('a1'), absent, [event('/a', file('a0'), undefined)]);
    assert.deepEqual(files, [{ path: '/a', from: file('a1'), to: file('a0') }]);
    assert.match(notices.join(), /2 files that belong together.*taken back.*: \/a\./);
    assert.deepEqual(decide(file('a2'), absent, [event('/a', file('a0'), file('a1')), event('/a', file('a1'), undefined)]).files, [{ path: '/a', from: file('a2'), to: file('a0') }]);
  });

  it('what somebody has changed since is left alone and named', () => {
    const { files, notices } = decide(file('mine'), absent, [event('/a', file('a0'), file('a1'))]);
    assert.deepEqual(files, []);
    assert.match(notices.join(), /\/a has been changed since, and was left as it is/);
  });

  it('what was not kept is named', () => {
    const { files, notices } = decide(file('a1'), absent, []);
    assert.deepEqual(files, []);
    assert.match(notices.join(), /\/a was written, and what it held before was not kept/);
  });

  it('is looked for among the lines: without an end, and not overtaken by a later message', () => {
    const end: ChangeSetLine = { ...line, uuid: 'end', endOf: 'set', files: [], sequence: 9 };
    const later: SnapshotLine = { type: 'file-history-snapshot', sessionId: 's', timestamp: '', messageId: 'next', isSnapshotUpdate: true, files: [{ path: '/c', before: absent }], sequence: 10 };
    assert.deepEqual(openSets([line], []), [line]);
    assert.deepEqual(openSets([line, end], []), []);
    assert.deepEqual(openSets([line], [later]), []);
    assert.deepEqual(openSets([line], [{ ...later, files: [] }]), [line]);
  });
});
