import assert from 'node:assert/strict';
import { unifiedDiff } from '../../../../src/engine/text/unifiedDiff.ts';

describe('unifiedDiff', () => {
  it('shows one changed line of a CRLF file as one changed line', () => {
    const diff = unifiedDiff('a\r\nb\r\nc\r\n', 'a\r\nX\r\nc\r\n');
    assert.deepEqual(
      [diff.text, diff.linesAdded, diff.linesRemoved, diff.isCut],
      ['@@ -1,3 +1,3 @@\n a\n-b\n+X\n c', 1, 1, false],
    );
  });

  it('is empty for equal texts', () => {
    const diff = unifiedDiff('a\n', 'a\n');
    assert.deepEqual([diff.text, diff.linesAdded, diff.linesRemoved], ['', 0, 0]);
  });

  it('marks a change of line ends and of the final line end', () => {
    assert.match(unifiedDiff('a\r\n', 'a\n').text, /-a␍\n\+a$/);
    assert.match(unifiedDiff('a\n', 'a').text, /No newline at end of file/);
  });

  it('counts the lines of a new and of an emptied file', () => {
    assert.equal(unifiedDiff('', 'a\nb\n').linesAdded, 2);
    assert.equal(unifiedDiff('a\nb\n', '').linesRemoved, 2);
  });

  it('cuts to a showable size and says so', () => {
    const many = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
    const diff = unifiedDiff('', many, { maxLength: 300 });
    assert.ok(diff.isCut && diff.text.length < 350);
    assert.match(diff.text, /… \d+ more lines$/);
    assert.equal(diff.linesAdded, 500);
    assert.match(unifiedDiff('', 'x'.repeat(5_000)).text, /… \(line cut\)/);
  });

  it('answers in bounded time for a rewritten file', () => {
    const lines = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index * 7919 % 10007}`).join('\n');
    const diff = unifiedDiff(`same\n${lines('old')}\n`, `same\n${lines('new')}\n`);
    assert.deepEqual([diff.linesAdded, diff.linesRemoved, diff.isCut], [20_000, 20_000, true]);
  });
});
