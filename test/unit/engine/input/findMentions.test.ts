import assert from 'node:assert/strict';
import { findMentions, withoutPunctuation } from '../../../../src/engine/input/findMentions.ts';

const found = (text: string) => findMentions(text).map(({ path, lines, isExplicit }) => [path, lines && [lines.first, lines.last], isExplicit]);

describe('findMentions', () => {
  it('takes plain and quoted paths, blanks, and line ranges in both', () => {
    assert.deepEqual(found('See @src/a.ts and (@./b.ts), @"my notes.md" @c\\ d.md'), [
      ['src/a.ts', undefined, false],
      ['./b.ts),', undefined, true],
      ['my notes.md', undefined, true],
      ['c d.md', undefined, false],
    ]);
    assert.deepEqual(found('@a.ts#L3-9 @a.ts#L3 @"x y.ts"#L2-L4 @"x y.ts#L7" @a.ts#L9-3.'), [
      ['a.ts', [3, 9], true],
      ['a.ts', [3, 3], true],
      ['x y.ts', [2, 4], true],
      ['x y.ts', [7, 7], true],
      ['a.ts', [3, 9], true],
    ]);
  });

  it('finds none in code, addresses and package names with two at-signs, and each once', () => {
    assert.deepEqual(found('me@here.org `@a.ts` a@b\n```\n@c.ts\n```\n@@d @e @e'), [['e', undefined, false]]);
  });

  it('knows what ends a sentence', () => assert.deepEqual(['a.ts.', 'a.ts),', 'b/', 'c?!'].map(withoutPunctuation), ['a.ts', 'a.ts', 'b/', 'c']));
});
