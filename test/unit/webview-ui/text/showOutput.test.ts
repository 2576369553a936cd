import assert from 'node:assert/strict';
import { showOutput } from '../../../../webview-ui/text/showOutput.ts';

describe('showOutput', () => {
  it('takes out colours, titles and links of terminals', () => {
    assert.deepEqual(showOutput('\u001b[1;32mok\u001b[0m \u001b]0;title\u0007done \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\'), { text: 'ok done link', cut: false });
  });

  it('shows a progress bar as it stands, not each of its moments', () => {
    assert.equal(showOutput('start\r\n10 %\r50 %\r100 %\nend\r\n').text, 'start\n100 %\nend\n');
  });

  it('shows the end of a long output from the start of a line, and says so', () => {
    const { text, cut } = showOutput(Array.from({ length: 10_000 }, (_, line) => `line ${line}\n`).join(''));
    assert.equal(cut, true);
    assert.match(text, /^line \d+\n/);
    assert.ok(text.endsWith('line 9999\n') && text.length <= 30_000);
    assert.equal(showOutput('x'.repeat(40_000)).text.length, 30_000);
  });
});
