import assert from 'node:assert/strict';
import type { CodeNode } from '../../../../webview-ui/markdown/codeTree.ts';
import { highlight } from '../../../../webview-ui/markdown/highlight.ts';

describe('highlight', () => {
  it('cuts code into pieces with a meaning and loses no character', () => {
    const code = 'const a = "<b>"; // done\n';
    const nodes = highlight(code, 'ts');
    assert.equal(textOf(nodes), code);
    assert.deepEqual(nodes.flatMap((node) => (typeof node === 'string' ? [] : [[node.scope, textOf(node.children)]])), [['keyword', 'const'], ['string', '"<b>"'], ['comment', '// done']]);
  });

  it('colours languages within languages', () => {
    const code = '<style>a { color: red }</style><script>let a = 1</script>';
    assert.equal(textOf(highlight(code, 'html')), code);
  });

  it('leaves code of unknown languages and very long code plain', () => {
    assert.deepEqual(highlight('x <- 1', 'klingon'), ['x <- 1']);
    const long = 'let a = 1;\n'.repeat(10_000);
    assert.deepEqual(highlight(long, 'ts'), [long]);
  });

  it('remembers what it has coloured', () => {
    assert.equal(highlight('let b', 'js'), highlight('let b', 'js'));
  });
});

function textOf(nodes: readonly CodeNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}
