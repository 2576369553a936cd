import assert from 'node:assert/strict';
import fc from 'fast-check';
import { starMatches } from '../../../../src/engine/permissions/starMatches.ts';
import { ruleSet, verdictOf } from './support.ts';

describe('patterns with stars', () => {
  it('mean what a regular expression would', () => {
    const texts = (letters: string): fc.Arbitrary<string> => fc.array(fc.constantFrom(...letters.split('')), { maxLength: 8 }).map((each) => each.join(''));
    fc.assert(fc.property(texts('ab*'), texts('ab'), (pattern, text) => {
      assert.equal(starMatches(pattern, text), new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text));
    }), { numRuns: 2_000 });
  });

  it('take no time, however many stars there are and whatever they are held against', async () => {
    const rule = `Bash(git *${' a*'.repeat(40)} b)`;
    assert.equal(await verdictOf(`git ${'a '.repeat(400)}c`, { allow: [rule] }), 'ask');
    assert.equal(await verdictOf(`git ${'a '.repeat(400)}b`, { deny: [rule] }), 'deny');
    assert.equal(ruleSet({ deny: [`mcp__${'*a'.repeat(28)}*b`] }).forTool('deny', `mcp__s__${'a'.repeat(56)}`), undefined);
  });
});
