import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dominantLineEnding, splitLines, withLineEndingsOf, withLineFeeds } from '../../../../src/engine/text/lineEndings.ts';

describe('splitLines', () => {
  it('keeps content and end of each line apart', () => {
    assert.deepEqual(splitLines('a\r\n\nb\rc'), [
      { content: 'a', ending: '\r\n' },
      { content: '', ending: '\n' },
      { content: 'b\rc', ending: '' },
    ]);
    assert.deepEqual(splitLines(''), []);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\r', '\n', '\r\n')), (parts) => {
        const text = parts.join('');
        assert.equal(splitLines(text).map((line) => line.content + line.ending).join(''), text);
      }),
    );
  });
});

describe('dominantLineEnding', () => {
  it('counts', () => {
    assert.equal(dominantLineEnding('a'), undefined);
    assert.equal(dominantLineEnding('a\r\nb\r\nc\n'), '\r\n');
    assert.equal(dominantLineEnding('a\r\nb\nc\n'), '\n');
  });
});

describe('withLineEndingsOf', () => {
  it('turns a whole new text into the one kind of line end that the file has', () => {
    assert.equal(withLineEndingsOf('a\r\nb\r\n', 'x\ny\nz\n'), 'x\r\ny\r\nz\r\n');
    assert.equal(withLineEndingsOf('a\nb\n', 'x\ny\r\n'), 'x\ny\r\n');
    assert.equal(withLineEndingsOf('', 'x\ny\n'), 'x\ny\n');
  });

  it('keeps mixed line ends line by line', () => {
    assert.equal(withLineEndingsOf('a\r\nb\nc\r\n', 'a\nB\nc\nd\n'), 'a\r\nB\nc\r\nd\r\n');
    assert.equal(withLineEndingsOf('a\nb\r\nc\n', 'a\nnew\nb\nc\n'), 'a\nnew\nb\r\nc\n');
  });

  it('keeps a carriage return before a line end, where the whole text looks like one with Windows line ends', () => {
    assert.equal(withLineEndingsOf('a\r\r\nb\r\r\n', 'a\r\nB\r\n'), 'a\r\r\nB\r\r\n');
    assert.equal(withLineEndingsOf('a\r\r\nb\r\nc\n', 'a\r\nb\nC\n'), 'a\r\r\nb\r\nC\n');
    assert.equal(withLineEndingsOf('a\r\nb\n', 'a\nb\r\n'), 'a\r\nb\r\n');
  });

  it('never changes anything but line ends, and gives the same text back unchanged', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n'), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(withLineFeeds(withLineEndingsOf(before, after)), withLineFeeds(after));
      }),
      { numRuns: 2_000 },
    );
    const anyEnds = fc.array(fc.constantFrom('a', 'b', '\r', '\n', '\r\n'), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(fc.property(anyEnds, (before) => assert.equal(withLineEndingsOf(before, withLineFeeds(before)), before)), { numRuns: 2_000 });
  });
});
