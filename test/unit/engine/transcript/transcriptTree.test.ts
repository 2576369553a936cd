import assert from 'node:assert/strict';
import { activeBranch, afterCompaction } from '../../../../src/engine/transcript/transcriptTree.ts';
import type { TranscriptEntry } from '../../../../src/engine/transcript/transcriptEntry.ts';

type Line = Record<string, unknown>;
const entriesOf = (...lines: Line[]): TranscriptEntry[] => lines.map((value, index) => ({ number: index + 1, value }));
const said = (uuid: string, parentUuid: string | null, more: Line = {}): Line => ({ type: 'user', uuid, parentUuid, ...more });
const rewind = (leafUuid: string | null, scope = 'both'): Line => ({ type: 'rewind', uuid: 'r', scope, leafUuid });
const progress = (uuid: string, parentUuid: string): Line => ({ type: 'progress', uuid, parentUuid });
const boundary = (uuid: string, logicalParentUuid: string, more: Line = {}): Line => ({ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, logicalParentUuid, ...more });
const uuids = (entries: readonly TranscriptEntry[]): unknown => entries.map(({ value }) => value['uuid']).join(' ');

const cases: { name: string; lines: Line[]; branch: string }[] = [
  { name: 'nothing', lines: [], branch: '' },
  { name: 'a straight line', lines: [said('a', null), said('b', 'a')], branch: 'a b' },
  { name: 'the newest of two branches', lines: [said('a', null), said('b', 'a'), said('c', 'a')], branch: 'a c' },
  { name: 'back to a message', lines: [said('a', null), said('b', 'a'), rewind('a')], branch: 'a' },
  { name: 'back to the very start', lines: [said('a', null), rewind(null)], branch: '' },
  { name: 'going on after a rewind', lines: [said('a', null), said('b', 'a'), rewind('a'), said('c', 'a')], branch: 'a c' },
  { name: 'a rewind taken back', lines: [said('a', null), said('b', 'a'), rewind('a'), rewind('b')], branch: 'a b' },
  { name: 'a rewind of files only', lines: [said('a', null), said('b', 'a'), rewind('a', 'files')], branch: 'a b' },
  { name: 'a rewind to a message that is lost', lines: [said('a', null), rewind('gone')], branch: 'a' },
  { name: 'progress is walked through, never a leaf', lines: [said('a', null), progress('p', 'a'), said('b', 'p'), progress('q', 'b')], branch: 'a p b' },
  { name: 'a sub-agent beside', lines: [said('a', null), said('x', null, { isSidechain: true }), said('b', 'a'), said('y', 'x', { isSidechain: true })], branch: 'a b' },
  { name: 'a sub-agent alone', lines: [said('x', null, { isSidechain: true }), said('y', 'x', { isSidechain: true })], branch: 'x y' },
  { name: 'a missing parent is bridged', lines: [said('a', null), said('b', 'a'), said('d', 'c')], branch: 'a b d' },
  { name: 'a circle ends', lines: [said('a', 'b'), said('b', 'a')], branch: 'a b' },
  { name: 'a line written twice', lines: [said('a', null), said('b', 'a'), said('a', null), said('b', 'a')], branch: 'a b' },
  { name: 'across a compaction', lines: [said('a', null), boundary('k', 'a'), said('b', 'k')], branch: 'a k b' },
];

describe('activeBranch', () => {
  for (const { name, lines, branch } of cases) {
    it(name, () => {
      const found = activeBranch(entriesOf(...lines));
      assert.equal(uuids(found.entries), branch);
      assert.equal(found.leafUuid, branch.split(' ').at(-1) || null);
    });
  }

  it('says which lines were bridged', () => {
    assert.deepEqual(activeBranch(entriesOf(said('a', null), said('c', 'lost'))).bridged, [2]);
  });
});

describe('calls side by side, as Claude Code chains them', () => {
  const call = (uuid: string, parentUuid: string, id: string, tool: string): Line => said(uuid, parentUuid, { type: 'assistant', message: { id, content: [{ type: 'tool_use', id: tool }] } });
  const result = (uuid: string, parentUuid: string, tool: string): Line => said(uuid, parentUuid, { message: { content: [{ type: 'tool_result', tool_use_id: tool }] } });

  it('are all on the branch, in their order', () => {
    const lines = [said('a', null), call('c1', 'a', 'm', 't1'), call('c2', 'c1', 'm', 't2'), progress('p', 'c2'), result('r1', 'c1', 't1'), result('r2', 'p', 't2'), said('b', 'r2')];
    assert.equal(uuids(activeBranch(entriesOf(...lines)).entries), 'a c1 c2 p r1 r2 b');
    const fork = [said('a', null), call('c1', 'a', 'm', 't1'), result('r1', 'c1', 't1'), call('c2', 'c1', 'm', 't2'), result('r2', 'c2', 't2'), said('b', 'r1')];
    assert.equal(uuids(activeBranch(entriesOf(...fork)).entries), 'a c1 r1 c2 r2 b');
  });

  it('of a branch that was left stay out', () => {
    const lines = [said('a', null), call('c1', 'a', 'm', 't1'), result('r1', 'c1', 't1'), said('b', 'a'), call('c2', 'b', 'n', 't2'), result('r2', 'c2', 't2')];
    assert.equal(uuids(activeBranch(entriesOf(...lines)).entries), 'a b c2 r2');
  });
});

describe('afterCompaction', () => {
  const lines = [said('a', null), said('b', 'a'), said('c', 'b'), boundary('k', 'c'), said('s', 'k'), said('d', 's')];

  it('keeps all without a boundary, and only what follows the last one with it', () => {
    assert.equal(uuids(afterCompaction(entriesOf(said('a', null)))), 'a');
    assert.equal(uuids(afterCompaction(entriesOf(...lines))), 'k s d');
  });

  it('puts the preserved segment behind its anchor', () => {
    const compactMetadata = { preservedSegment: { headUuid: 'b', tailUuid: 'c', anchorUuid: 's' } };
    assert.equal(uuids(afterCompaction(entriesOf(...lines.with(3, boundary('k', 'c', { compactMetadata }))))), 'k s b c d');
  });

  it('puts the request being worked on before it, and leaves out boundaries that lie in it', () => {
    const compactMetadata = { preservedSegment: { headUuid: 'c', tailUuid: 'e', anchorUuid: 'm', requestUuid: 'a' } };
    const longer = [...lines.slice(0, 3), boundary('k', 'c'), said('e', 'k'), boundary('m', 'e', { compactMetadata }), said('f', 'm')];
    assert.equal(uuids(afterCompaction(entriesOf(...longer))), 'm a c e f');
  });

  it('does without a segment that is lost', () => {
    const compactMetadata = { preservedSegment: { headUuid: 'b', tailUuid: 'gone', anchorUuid: 's' } };
    assert.equal(uuids(afterCompaction(entriesOf(...lines.with(3, boundary('k', 'c', { compactMetadata }))))), 'k s d');
  });
});
