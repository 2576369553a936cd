import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { changedRange } from '../../../src/vscode/changedRange.ts';

describe('changedRange', () => {
  it('finds the one place that differs', () => {
    assert.deepEqual(changedRange('abcdef', 'abXdef'), { start: 2, endBefore: 3, endAfter: 3 });
    assert.deepEqual(changedRange('aaa', 'aaaa'), { start: 3, endBefore: 3, endAfter: 4 });
    assert.deepEqual(changedRange('same', 'same'), { start: 4, endBefore: 4, endAfter: 4 });
  });

  it('makes one text of the other and cuts no line end or surrogate pair', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r', '😀', '😁', 'é'), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { start, endBefore, endAfter } = changedRange(before, after);
        assert.equal(before.slice(0, start) + after.slice(start, endAfter) + before.slice(endBefore), after);
        for (const [whole, offset] of [[before, start], [before, endBefore], [after, endAfter]] as const) {
          assert.doesNotMatch(whole.slice(Math.max(0, offset - 1), offset + 1), /^(\r\n|[\ud800-\udbff][\udc00-\udfff])$/);
        }
      }),
    );
  });
});
