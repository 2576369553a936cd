import assert from 'node:assert/strict';
import { decideFile, fileEvents, historiesSince, sequenceOfMessage } from '../../../../src/engine/fileHistory/rewindPlan.ts';
import type { FileState, RewindLine, SnapshotLine } from '../../../../src/protocol/transcript.ts';

const stamp = { sessionId: 's', timestamp: '' };
const absent: FileState = { kind: 'absent' };
const file = (hash: string, mode = 0o644): FileState => ({ kind: 'file', hash, mode, size: 1 });
const large: FileState = { kind: 'uncovered', reason: 'it is larger than 50 MB' };
const snapshot = (sequence: number, messageId: string, files: SnapshotLine['files'] = []): SnapshotLine => ({
  ...stamp,
  type: 'file-history-snapshot',
  messageId,
  isSnapshotUpdate: files.length > 0,
  files,
  sequence,
});
const rewind = (sequence: number, files: RewindLine['files']): RewindLine => ({
  ...stamp,
  type: 'rewind',
  uuid: `r${sequence}`,
  messageId: 'm',
  scope: 'both',
  leafUuid: null,
  previousLeafUuid: null,
  files,
  sequence,
});

describe('historiesSince', () => {
  const path = '/a';
  const snapshots = [
    snapshot(1, 'm1'),
    snapshot(2, 'm1', [{ path, before: file('A') }]),
    snapshot(3, 'm1', [{ path, after: file('B') }]),
    snapshot(4, 'm2'),
    snapshot(5, 'm2', [{ path, before: file('B') }]),
    snapshot(6, 'm2', [{ path, after: file('C') }]),
  ];

  it('goes back to what the file was before its first change since', () => {
    const events = fileEvents(snapshots, []);
    assert.deepEqual(historiesSince(events, 1), [{ path, to: file('A'), leftAs: file('C'), changedBetween: false, changes: [{ before: file('A'), after: file('C') }] }]);
    assert.deepEqual(historiesSince(events, 4), [{ path, to: file('B'), leftAs: file('C'), changedBetween: false, changes: [{ before: file('B'), after: file('C') }] }]);
    assert.deepEqual(historiesSince(events, 7), []);
  });

  it('counts a rewind as a change among the others, in their order', () => {
    const events = fileEvents([...snapshots, snapshot(8, 'm3'), snapshot(9, 'm3', [{ path, before: file('A') }])], [rewind(7, [{ path, from: file('C'), to: file('A') }])]);
    assert.deepEqual(historiesSince(events, 8), [{ path, to: file('A'), leftAs: undefined, changedBetween: false, changes: [{ before: file('A'), after: undefined }] }]);
    assert.deepEqual(historiesSince(events, 4), [{ path, to: file('B'), leftAs: undefined, changedBetween: false, changes: [{ before: file('B'), after: undefined }] }]);
  });

  it('knows a folder by what was changed in it before it went and a file came in its place', () => {
    const here: FileState = { kind: 'absent', missingFolders: [] };
    const lines = [
      snapshot(2, 'm1', [{ path: '/f/in', before: here, after: file('I') }]),
      snapshot(3, 'm1', [{ path: '/f/in', before: file('I'), after: { kind: 'absent', missingFolders: ['/f'] } }]),
      snapshot(4, 'm1', [{ path: '/f', before: here, after: file('F') }]),
    ];
    const to = (since: number) => historiesSince(fileEvents(lines, []), since).map((history) => [history.path, history.to.kind]);
    assert.deepEqual(to(1), [['/f/in', 'absent'], ['/f', 'folder']]);
    assert.deepEqual(to(4), [['/f', 'absent']]);
  });

  it('sees that somebody else wrote between two of the changes', () => {
    const events = fileEvents(snapshots.with(4, snapshot(5, 'm2', [{ path, before: file('user') }])), []);
    assert.equal(historiesSince(events, 1)[0]!.changedBetween, true);
    assert.deepEqual(historiesSince(events, 1)[0]!.changes, [{ before: file('A'), after: file('B') }, { before: file('user'), after: file('C') }]);
    assert.equal(historiesSince(events, 4)[0]!.changedBetween, false);
  });

  it('lets the next message with a snapshot stand for one without', () => {
    assert.equal(sequenceOfMessage(snapshots, ['m1', 'lost', 'm2'], 'lost'), 4);
    assert.equal(sequenceOfMessage(snapshots, ['m1', 'm2', 'lost'], 'lost'), Number.POSITIVE_INFINITY);
  });
});

describe('decideFile', () => {
  const change = (action: string, changedSince = false): object => ({ kind: 'change', action, changedSince });
  const cases: [name: string, to: FileState, leftAs: FileState | undefined, present: FileState, isUnsaved: boolean, decision: object][] = [
    ['as the agent left it', file('A'), file('B'), file('B'), false, change('restore')],
    ['only the mode differs', file('A', 0o755), file('A'), file('A'), false, change('restore')],
    ['made by the agent', absent, file('B'), file('B'), false, change('delete')],
    ['deleted by the agent', file('A'), absent, absent, false, change('recreate')],
    ['deleted by the user', file('A'), file('B'), absent, false, change('recreate', true)],
    ['changed by the user', file('A'), file('B'), file('U'), false, change('restore', true)],
    ['unsaved text', file('A'), file('B'), file('B'), true, change('restore', true)],
    ['unsaved text that happens to be the same', file('A'), file('B'), file('A'), true, change('restore', true)],
    ['end not noted', file('A'), undefined, file('B'), false, change('restore', true)],
    ['replaced by a link', file('A'), file('B'), { kind: 'link', target: 'x' }, false, change('restore', true)],
    ['back already', file('A'), file('B'), file('A'), false, { kind: 'same' }],
    ['gone already', absent, file('B'), absent, false, { kind: 'same' }],
    ['gone, its new folder not', { kind: 'absent', missingFolders: ['/f'] }, absent, { kind: 'absent', missingFolders: [] }, false, { kind: 'folders' }],
    ['gone, and so is its old folder', { kind: 'absent', missingFolders: [] }, file('B'), { kind: 'absent', missingFolders: ['/f'] }, false, { kind: 'same' }],
    ['gone with its folder by a rewind', { kind: 'absent', missingFolders: [] }, { kind: 'absent', missingFolders: ['/f'] }, { kind: 'absent', missingFolders: ['/f'] }, false, { kind: 'folders' }],
    ['too large then', large, file('B'), file('B'), false, { kind: 'notCovered', reason: 'it is larger than 50 MB' }],
    ['too large now', file('A'), large, large, false, { kind: 'notCovered', reason: "what is there now can't be kept: it is larger than 50 MB" }],
  ];
  for (const [name, to, leftAs, present, isUnsaved, decision] of cases) {
    it(name, () => assert.deepEqual(decideFile({ path: '/a', to, leftAs, changedBetween: false, changes: [] }, present, isUnsaved), decision));
  }
});
