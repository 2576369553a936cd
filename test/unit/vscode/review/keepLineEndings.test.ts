import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { keepLineEndings } from '../../../../src/vscode/review/keepLineEndings.ts';

describe('keepLineEndings', () => {
  it('leaves a text with one kind of line end as it is shown', () => {
    assert.equal(keepLineEndings('a\r\nb\r\n', 'a\r\nB\r\n'), 'a\r\nB\r\n');
    assert.equal(keepLineEndings('a\nb', 'a\r\nb'), 'a\r\nb');
  });

  it('gives the lines of a mixed text their own line ends back', () => {
    assert.equal(keepLineEndings('a\r\nb\nc\rd', 'a\nb\nc\nd'), 'a\r\nb\nc\rd');
    assert.equal(keepLineEndings('a\r\nb\nc\r\nd', 'a\nb\nnew\nc\nd'), 'a\r\nb\nnew\nc\r\nd');
    assert.equal(keepLineEndings('a\r\nb\nc\r\nd\n', 'a\nc\nd\n'), 'a\r\nc\r\nd\n');
  });

  it('changes nothing but line ends, and undoes what an editor does to them', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r'), { maxLength: 20 }).map((parts) => parts.join(''));
    const asShown = (whole: string): string => whole.replace(/\r\n|\r|\n/g, '\n');
    fc.assert(
      fc.property(text, text, (proposed, other) => {
        assert.equal(keepLineEndings(proposed, asShown(other)).replace(/\r\n|\r|\n/g, '\n'), asShown(other));
        const kinds = new Set(proposed.match(/\r\n|\r|\n/g));
        if (kinds.size > 1) assert.equal(keepLineEndings(proposed, asShown(proposed)), proposed);
      }),
    );
  });
});
