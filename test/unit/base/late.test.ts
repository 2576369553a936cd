import assert from 'node:assert/strict';
import { late } from '../../../src/base/late.ts';

describe('late', () => {
  it('makes the value when it is first asked for, and once, also where that is undefined', () => {
    let made = 0;
    const value = late(() => {
      made++;
      return undefined;
    });
    assert.equal(made, 0);
    assert.equal(value(), undefined);
    assert.equal(value(), undefined);
    assert.equal(made, 1);
  });
});
