import assert from 'node:assert/strict';
import { createTwoFilesPatch } from 'diff';
import { parseDiff } from '../../../../webview-ui/text/parseDiff.ts';

describe('parseDiff', () => {
  it('numbers the lines of both files and marks the gap between hunks', () => {
    const diff = ['--- a/x', '+++ b/x', '@@ -2,3 +2,3 @@', ' two', '-three', '+THREE', ' four', '@@ -20 +20,2 @@ function x()', ' twenty', '+more', '\\ No newline at end of file', ''].join('\n');
    assert.deepEqual(parseDiff(diff), [
      { kind: 'same', text: 'two', line: 2 },
      { kind: 'removed', text: 'three', line: 3 },
      { kind: 'added', text: 'THREE', line: 3 },
      { kind: 'same', text: 'four', line: 4 },
      { kind: 'gap', text: '' },
      { kind: 'same', text: 'twenty', line: 20 },
      { kind: 'added', text: 'more', line: 21 },
    ]);
  });

  it('takes lines that look like headers for what they are', () => {
    const lines = parseDiff(createTwoFilesPatch('a', 'a', '-- old\nsame\n', '++ new\nsame\n'));
    assert.deepEqual(lines.map(({ kind, text }) => [kind, text]), [['removed', '-- old'], ['added', '++ new'], ['same', 'same']]);
  });

  it('names the files where there are several', () => {
    const diff = 'diff src/a.ts\n@@ -1 +1 @@\n-diff old\n+new\ndiff src/b c.ts\n@@ -3 +3 @@\n three\n';
    assert.deepEqual(parseDiff(diff).map(({ kind, text, line }) => [kind, text, line]), [
      ['file', 'src/a.ts', undefined],
      ['removed', 'diff old', 1],
      ['added', 'new', 1],
      ['file', 'src/b c.ts', undefined],
      ['same', 'three', 3],
    ]);
  });

  it('has nothing to show for nothing', () => {
    assert.deepEqual(parseDiff(''), []);
  });
});
