import assert from 'node:assert/strict';
import fc from 'fast-check';
import { maskCode } from '../../../../src/engine/text/maskCode.ts';

const outside = (text: string): string => maskCode(text).replace(/[ \n]+/g, ' ').trim();

describe('maskCode', () => {
  it('blanks fences, also of tildes, of other lengths, and one that is never closed', () => {
    assert.equal(outside('a\n```ts\n@in\n```\nb'), 'a b');
    assert.equal(outside('a\n~~~\n```\n@in\n~~~\nb'), 'a b');
    assert.equal(outside('a\n````\n```\n@in\n````\nb'), 'a b');
    assert.equal(outside('a\r\n```\r\n@in\r\n```\r\nb').replaceAll('\r', '').trim(), 'a b');
    assert.equal(outside('a\n```\n@in'), 'a');
  });

  it('blanks code spans, also over a line break, but not over the end of a paragraph', () => {
    assert.equal(outside('a `@in` b ``x ` @in`` c'), 'a b c');
    assert.equal(outside('a `one\ntwo` b'), 'a b');
    assert.equal(outside('a ` b\n\nc ` @d'), 'a ` b c ` @d');
  });

  it('blanks comments', () => assert.equal(outside('a <!-- @in\n\n@in --> b'), 'a b'));

  it('keeps length, line breaks and what is outside of code, for any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[`~@a \n<!>-]*$/), (text) => {
        const masked = maskCode(text);
        assert.equal(masked.length, text.length);
        for (let i = 0; i < text.length; i++) assert.ok(masked[i] === text[i] || (masked[i] === ' ' && text[i] !== '\n'));
      }),
    );
  });

  it('is done with many backticks of many lengths', () => {
    const text = Array.from({ length: 2_000 }, (_, i) => '`'.repeat((i % 50) + 1)).join(' ');
    assert.equal(maskCode(text).length, text.length);
  });
});
