import assert from 'node:assert/strict';
import { listField, splitFrontmatter, textField } from '../../../../src/engine/text/frontmatter.ts';

describe('splitFrontmatter', () => {
  it('reads texts, quoted texts, lists in both forms and folded texts, and the body behind them', () => {
    const head = splitFrontmatter(
      ['---', 'name: gsd:quick', 'description: "Say \\"hi\\": now"', "hint: 'it''s'", 'allowed-tools:', '  - Read', '  - Bash(git add:*)', 'globs: ["a/**/*.ts", "**/*.{js,ts}"]', 'long: >', '  one', '  two', 'odd line', 'model: opus # the big one', '---', '', 'Body', ''].join('\r\n'),
    );
    assert.equal(textField(head, 'name'), 'gsd:quick');
    assert.equal(textField(head, 'description'), 'Say "hi": now');
    assert.equal(textField(head, 'hint'), "it's");
    assert.deepEqual(listField(head, 'allowed-tools'), ['Read', 'Bash(git add:*)']);
    assert.deepEqual(listField(head, 'globs'), ['a/**/*.ts', '**/*.{js,ts}']);
    assert.equal(textField(head, 'long'), 'one two');
    assert.equal(textField(head, 'model'), 'opus');
    assert.equal(head.body, 'Body\n');
  });

  it('splits a list in one line at commas outside of brackets', () => {
    assert.deepEqual(listField(splitFrontmatter('---\nallowed-tools: Bash(gh pr view:*), Bash(a, b),Read\n---\n'), 'allowed-tools'), ['Bash(gh pr view:*)', 'Bash(a, b)', 'Read']);
  });

  it('takes a file without a head, or with one that never ends, as its body', () => {
    assert.equal(splitFrontmatter('# Title\n---\n').body, '# Title\n---\n');
    assert.equal(splitFrontmatter('---\nname: x\n').body, '---\nname: x\n');
    assert.equal(splitFrontmatter('\uFEFF---\nname: x\n---\nB').body, 'B');
  });
});
