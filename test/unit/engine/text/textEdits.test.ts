import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyRangeEdits } from '../../../../src/engine/text/textEdits.ts';

type Row = readonly [line: number, character: number, endLine: number, endCharacter: number, newText: string];
const range = (...[line, character, endLine, endCharacter, newText]: Row) => ({ line, character, endLine, endCharacter, newText });

describe('applyRangeEdits', () => {
  it('makes edits that all mean the text as it was, in any order', () => {
    assert.equal(applyRangeEdits('ab\r\ncd\n', [range(2, 1, 2, 3, 'X'), range(1, 2, 1, 3, 'long')]), 'along\r\nX\n');
    assert.equal(applyRangeEdits('a\nb', [range(1, 2, 2, 1, ' '), range(2, 2, 2, 2, '\n')]), 'a b\n');
    assert.equal(applyRangeEdits('', [range(1, 1, 1, 1, 'x')]), 'x');
  });

  it('refuses ranges that overlap or lie outside', () => {
    assert.equal(applyRangeEdits('abc', [range(1, 1, 1, 3, 'x'), range(1, 2, 1, 4, 'y')]), undefined);
    for (const bad of [range(2, 1, 2, 1, ''), range(1, 5, 1, 5, ''), range(1, 0, 1, 1, ''), range(1, 3, 1, 2, ''), range(0, 1, 1, 1, '')]) {
      assert.equal(applyRangeEdits('abc', [bad]), undefined);
    }
  });

  it('replaces what stands between two offsets of any text', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '🙂'), maxLength: 6 });
    fc.assert(
      fc.property(piece, piece, piece, fc.string(), (before, middle, after, newText) => {
        const place = (text: string) => [text.split('\n').length, text.length - (text.lastIndexOf('\n') + 1) + 1] as const;
        assert.equal(applyRangeEdits(before + middle + after, [range(...place(before), ...place(before + middle), newText)]), before + newText + after);
      }),
    );
  });
});
