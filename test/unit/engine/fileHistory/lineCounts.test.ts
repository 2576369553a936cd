import assert from 'node:assert/strict';
import { lineCounts } from '../../../../src/engine/fileHistory/lineCounts.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('lineCounts', () => {
  it('counts lines that come and go', () => {
    assert.deepEqual(lineCounts(bytes('a\nb\nc\n'), bytes('a\nB\nc\nd\n')), { added: 2, removed: 1 });
    assert.deepEqual(lineCounts(undefined, bytes('a\nb\n')), { added: 2, removed: 0 });
    assert.deepEqual(lineCounts(bytes('a\nb'), undefined), { added: 0, removed: 2 });
    assert.deepEqual(lineCounts(undefined, undefined), { added: 0, removed: 0 });
  });

  it('counts nothing for what is no text', () => {
    assert.deepEqual(lineCounts(new Uint8Array([0, 1, 2]), bytes('a\n')), { added: 0, removed: 0 });
  });
});
