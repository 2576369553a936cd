import assert from 'node:assert/strict';
import { htmlToMarkdown } from '../../../src/platform/htmlToMarkdown.ts';

const convert = async (html: string): Promise<string> => (await htmlToMarkdown(html, 'https://example.org/docs/page.html')).markdown;

describe('htmlToMarkdown', function () {
  this.timeout(30_000);

  it('keeps headings, lists, emphasis and code', async () => {
    assert.equal(
      await convert('<h1>Title</h1><p>Some <b>bold</b> and <em>quiet</em> text with <code>x()</code>.</p><ul><li>one<li>two</ul><pre><code class="language-js">let x = 1;\n</code></pre>'),
      '# Title\n\nSome **bold** and *quiet* text with `x()`.\n\n-   one\n-   two\n\n```js\nlet x = 1;\n```',
    );
  });

  it('makes addresses whole, and links of what leads nowhere just text', async () => {
    assert.equal(await convert('<a href="next.html">a</a> <a href="/(x)">b</a> <a href="#here">c</a> <a href="javascript:alert(1)">d</a>'), '[a](https://example.org/docs/next.html) [b](https://example.org/%28x%29) c d');
    assert.equal(await convert('<p>see <img src="a.png" alt="a plot"><img src="data:image/png;base64,AAAA" alt="tiny"><img src="b.png"></p>'), 'see ![a plot](https://example.org/docs/a.png)tiny');
  });

  it('makes tables, with or without a head', async () => {
    assert.equal(await convert('<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2 | 3<br>4</td></tr></tbody></table>'), '| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 4 |');
    assert.equal(await convert('<table><tr><td>1</td></tr><tr><td>2</td></tr></table>'), '| 1 |\n| --- |\n| 2 |');
  });

  it('leaves out what nobody reads', async () => {
    assert.equal(await convert('<title>T</title><style>p{}</style><p>text<!-- no --></p><script>if (a < b) "</p>"</script><svg><text>no</text></svg><noscript>no</noscript><button>no</button>'), 'text');
    assert.equal(await convert('<p>text</p><script>never closed <p>no</p>'), 'text');
  });

  it('tells the title', async () => {
    assert.equal((await htmlToMarkdown('<html><head><title>Caf&eacute; &amp; snake_case</title></head></html>', 'https://e.org/')).title, 'Café & snake_case');
    assert.equal((await htmlToMarkdown('<p>x</p>', 'https://e.org/')).title, undefined);
  });

  it('bears pages that are nested too deeply, too long, or broken', async () => {
    assert.equal(await convert(`${'<div>'.repeat(100_000)}deep`), 'deep');
    const long = await convert('<p>word</p>\n'.repeat(50_000));
    assert.match(long, /^word\n\nword\n[\s\S]*\(The page is longer; the rest was left out\.\)$/);
    assert.match(await convert(`<p>x</p>${'y'.repeat(2_000_000)}`), /^x\n\ny+\n\n\(The page is longer/);
    assert.equal(await convert(`a${'<!--'.repeat(200_000)}`), 'a');
    assert.equal(await convert(`<p>${'<title '.repeat(200_000)}`.slice(0, 100)), '');
  });
});
