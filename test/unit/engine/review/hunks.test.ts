import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hunksBetween, hunkVerdicts, revertHunk } from '../../../../src/engine/review/hunks.ts';

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd'), { maxLength: 12 }).map((all) => all.join(''));

describe('hunks', () => {
  it('are the lines that differ', () => {
    assert.deepEqual(hunksBetween('a\nb\nc\n', 'a\nB\nC\nc\nd'), [
      { oldStart: 1, oldCount: 1, newStart: 1, newCount: 2 },
      { oldStart: 3, oldCount: 0, newStart: 4, newCount: 1 },
    ]);
    assert.deepEqual(hunksBetween('a\r\nb', 'a\nb'), [{ oldStart: 0, oldCount: 1, newStart: 0, newCount: 1 }]);
    assert.deepEqual(hunksBetween('same', 'same'), []);
    assert.deepEqual(hunksBetween('', 'new\n'), [{ oldStart: 0, oldCount: 0, newStart: 0, newCount: 1 }]);
  });

  it('taken back one by one, in any order, give the old text byte for byte', () => {
    fc.assert(
      fc.property(lines, lines, fc.infiniteStream(fc.nat()), (before, after, picks) => {
        let now = after;
        for (let left = hunksBetween(before, now); left.length > 0; left = hunksBetween(before, now)) {
          const next = revertHunk(before, now, left[(picks.next().value as number) % left.length]!);
          assert.ok(hunksBetween(before, next).length < left.length, 'one less than before');
          now = next;
        }
        assert.equal(now, before);
      }),
    );
  });

  it('have a verdict each, worked out from the texts alone', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n';
    const proposed = 'one\n2\n3\nfour\n5\n6\nseven\n';
    assert.deepEqual(hunkVerdicts(before, proposed, proposed), ['accepted', 'accepted', 'accepted']);
    assert.deepEqual(hunkVerdicts(before, proposed, before), ['rejected', 'rejected', 'rejected']);
    assert.deepEqual(hunkVerdicts(before, proposed, 'one\n2\n3\n4\n5\n6\nSEVEN\n'), ['accepted', 'rejected', 'edited']);
  });

  it('are all accepted where nothing was changed, and all rejected where everything was taken back', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const count = hunksBetween(before, after).length;
        assert.deepEqual(hunkVerdicts(before, after, after), Array.from({ length: count }, () => 'accepted'));
        assert.deepEqual(hunkVerdicts(before, after, before), Array.from({ length: count }, () => 'rejected'));
      }),
    );
  });
});
