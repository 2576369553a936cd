import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutText, cutTextStart } from '../../../src/base/text.ts';
import { isWellFormed, wellFormed } from '../../../src/base/wellFormed.ts';

describe('cutText and cutTextStart', () => {
  it('never cut a pair, and cut no more than that needs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, limit) => {
        for (const cut of [cutText(text, limit), cutTextStart(text, limit)]) {
          assert.ok(cut.isWellFormed() && cut.length <= limit);
          assert.ok(cut.length >= Math.min(text.length, limit) - 1);
        }
        assert.ok(text.startsWith(cutText(text, limit)) && text.endsWith(cutTextStart(text, limit)));
      }),
    );
    assert.equal(cutText('a😀', 2), 'a');
    assert.equal(cutTextStart('😀a', 2), 'a');
  });
});

describe('wellFormed', () => {
  it('leaves what needs no change the same object, and what it gives holds no half of a pair', () => {
    const fine = { a: ['😀', 1, null, { b: true }] };
    assert.equal(wellFormed(fine), fine);
    assert.deepEqual(wellFormed({ 'a\ud800': ['\udc00', 1] }), { 'a\ufffd': ['\ufffd', 1] });
    const units = fc.array(fc.integer({ min: 0xd700, max: 0xe0ff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(fc.property(fc.object({ key: units, values: [units, fc.integer()] }), (value) => assert.ok(isWellFormed(wellFormed(value)))));
  });
});
