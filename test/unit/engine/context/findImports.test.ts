import assert from 'node:assert/strict';
import { findImports, looksLikeFile, onlyImports } from '../../../../src/engine/context/findImports.ts';

describe('findImports', () => {
  it('finds what stands at the start of a word, each once, without what ends the sentence', () => {
    assert.deepEqual(findImports('See @README.md, (@./docs/a.md) and @~/notes.md.\n@README.md\n@my\\ notes.md'), ['README.md', './docs/a.md', '~/notes.md', 'my notes.md']);
  });

  it('takes no address, no code and no comment for one', () => {
    assert.deepEqual(findImports('mail me@here.org `@a.md` <!-- @b.md -->\n```\n@c.md\n```\n@@d'), []);
  });

  it('tells paths of files from names', () => {
    assert.deepEqual(['./a', '../a', '~/a', '/a', 'a.md', 'pytest.fixture', 'media', 'types/node'].map(looksLikeFile), [true, true, true, true, true, false, false, false]);
  });

  it('knows a file that only imports', () => {
    assert.deepEqual(['@AGENTS.md\n', '\n@a.md\n  @b.md', '@AGENTS.md\nAnd this.', ''].map(onlyImports), [true, true, false, false]);
  });
});
