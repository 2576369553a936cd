import assert from 'node:assert/strict';
import { isProvenUnchanged, ReadFileState } from '../../../../src/engine/tools/readFileState.ts';
import type { SeenFile } from '../../../../src/engine/tools/readFileState.ts';

function seen(hash: string, text?: string): SeenFile {
  return { hash, onDisk: { mtimeMs: 1_000, size: 3 }, verifiedAtMs: 60_000, whole: true, text };
}

describe('ReadFileState', () => {
  it('tells fresh, changed and never read apart by content', () => {
    const state = new ReadFileState();
    state.record('/w/a.ts', seen('h1'));
    assert.equal(state.check('/w/a.ts', 'h1'), 'fresh');
    assert.equal(state.check('/w/a.ts', 'h2'), 'changed');
    assert.equal(state.check('/w/b.ts', 'h1'), 'never-read');
  });

  it('takes names that differ in case for one file only where the file system does', () => {
    const folding = new ReadFileState({ foldCase: true });
    folding.record('/W/A.ts', seen('h'));
    assert.equal(folding.check('/w/a.ts', 'h'), 'fresh');
    const exact = new ReadFileState();
    exact.record('/W/A.ts', seen('h'));
    assert.equal(exact.check('/w/a.ts', 'h'), 'never-read');
  });

  it('forgets the least recently used file beyond its limit', () => {
    const state = new ReadFileState({ maxEntries: 2 });
    state.record('/a', seen('a'));
    state.record('/b', seen('b'));
    state.get('/a');
    state.record('/c', seen('c'));
    assert.deepEqual(state.list().map((entry) => entry.path), ['/a', '/c']);
  });

  it('keeps only the hash of old files when their texts grow too large', () => {
    const state = new ReadFileState({ maxTextLength: 10 });
    state.record('/a', seen('a', '12345678'));
    state.record('/b', seen('b', '12345678'));
    assert.equal(state.get('/a')?.text, undefined);
    assert.equal(state.get('/a')?.hash, 'a');
    assert.equal(state.get('/b')?.text, '12345678');
    assert.equal(state.textLength, 8);
    state.forget('/b');
    assert.equal(state.textLength, 0);
  });

  it('takes a folder that is told of for all that is in it', () => {
    const state = new ReadFileState();
    for (const path of ['/w/src/a', '/w/src/deep/b', '/w/src2/c', '/w/src']) state.record(path, seen('h'));
    state.invalidate('/w/src');
    assert.deepEqual(state.list().map(({ path, seen: { onDisk } }) => [path, onDisk === undefined]), [['/w/src/a', true], ['/w/src/deep/b', true], ['/w/src2/c', false], ['/w/src', true]]);
  });

  it('gives a clone that goes its own way', () => {
    const state = new ReadFileState();
    state.record('/a', seen('a', 'x'));
    const copy = state.clone();
    copy.record('/a', seen('b', 'xy'));
    copy.record('/c', seen('c'));
    assert.equal(state.check('/a', 'a'), 'fresh');
    assert.equal(state.size, 1);
    assert.deepEqual([copy.size, copy.textLength, state.textLength], [2, 2, 1]);
  });
});

describe('isProvenUnchanged', () => {
  const disk = { mtimeMs: 1_000, size: 3 };

  it('trusts an old time stamp and the same size', () => {
    assert.equal(isProvenUnchanged(seen('h'), disk), true);
    assert.equal(isProvenUnchanged(seen('h'), { mtimeMs: 1_001, size: 3 }), false);
    assert.equal(isProvenUnchanged(seen('h'), { mtimeMs: 1_000, size: 4 }), false);
  });

  it('does not trust a time stamp that was young when it was looked at', () => {
    assert.equal(isProvenUnchanged({ ...seen('h'), verifiedAtMs: 1_500 }, disk), false);
  });

  it('does not trust anything after an event from outside', () => {
    const state = new ReadFileState();
    state.record('/a', seen('h'));
    state.invalidate('/a');
    assert.equal(isProvenUnchanged(state.get('/a')!, disk), false);
    assert.equal(state.check('/a', 'h'), 'fresh');
  });
});
