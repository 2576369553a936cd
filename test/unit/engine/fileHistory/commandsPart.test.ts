import assert from 'node:assert/strict';
import { commandsPart } from '../../../../src/engine/fileHistory/commandsPart.ts';
import type { FileState } from '../../../../src/protocol/transcript.ts';

const file = (hash: string): FileState => ({ kind: 'file', hash, mode: 0o644, size: 1 });
const absent: FileState = { kind: 'absent' };
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(file) as [FileState, FileState, FileState, FileState];

describe('what of a change a command did', () => {
  it('all of it, where nobody else wrote', () => {
    assert.deepEqual(commandsPart(a, b, []), [{ before: a, after: b }]);
    assert.deepEqual(commandsPart(a, a, []), []);
  });

  it('nothing, where another wrote it all', () => {
    assert.deepEqual(commandsPart(a, b, [{ before: a, after: b }]), []);
    assert.deepEqual(commandsPart(a, c, [{ before: a, after: b }, { before: b, after: c }]), []);
    assert.deepEqual(commandsPart(a, absent, [{ before: a, after: absent }]), []);
  });

  it('what lies before, between and after the writes of others', () => {
    assert.deepEqual(commandsPart(a, c, [{ before: b, after: c }]), [{ before: a, after: b }]);
    assert.deepEqual(commandsPart(a, c, [{ before: a, after: b }]), [{ before: b, after: c }]);
    assert.deepEqual(commandsPart(a, a, [{ before: a, after: b }]), [{ before: b, after: a }]);
    assert.deepEqual(commandsPart(a, d, [{ before: b, after: c }]), [{ before: a, after: b }, { before: c, after: d }]);
  });

  it('an unknown part, where what another wrote is not known', () => {
    assert.deepEqual(commandsPart(a, b, [{ before: a, after: undefined }]), [{ before: a }]);
    assert.deepEqual(commandsPart(a, b, [{ before: a, after: c }, { before: undefined, after: b }]), [{ before: a }]);
    assert.deepEqual(commandsPart(a, a, [{ before: undefined, after: undefined }]), []);
  });
});
