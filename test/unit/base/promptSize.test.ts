import assert from 'node:assert/strict';
import { promptLength } from '../../../src/base/promptSize.ts';

describe('promptLength', () => {
  it('counts the text and all images', () => assert.equal(promptLength('four', [{ data: 'abc' }, { data: 'de' }]), 9));
});
