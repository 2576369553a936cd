import assert from 'node:assert/strict';
import { visibleText } from '../../../../webview-ui/text/visibleText.ts';

describe('visibleText', () => {
  it('shows what turns or hides text, and leaves languages and emoji as they are', () => {
    assert.equal(visibleText('a\u202eb\u2066c\u200bd\u0000e\ufefff\u009b'), 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+0000⟩e⟨U+FEFF⟩f⟨U+009B⟩');
    for (const text of ['plain\ttext\n', 'שלום\u200f!', 'می\u200cخواهم', '👩\u200d👩\u200d👧', '\u00a0\u00ad', '']) assert.equal(visibleText(text), text);
  });
});
