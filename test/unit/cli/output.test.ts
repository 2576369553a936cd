import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { Output } from '../../../src/cli/output.ts';

describe('Output', () => {
  it('waits for a slow reader', async () => {
    const written: string[] = [];
    const slow = new Writable({ highWaterMark: 1, write: (chunk, _encoding, done) => setImmediate(() => (written.push(String(chunk)), done())) });
    const output = new Output(slow, () => assert.fail('the reader is there'));
    await output.write('one');
    await output.write('two');
    assert.deepEqual(written, ['one', 'two']);
  });

  it('keeps why nothing can be written, when it is not that nobody reads', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })) });
    let told = 0;
    const output = new Output(full, () => (told += 1));
    await output.write('one');
    assert.deepEqual([told, output.failure], [1, 'ENOSPC: no space left on device, write']);
  });

  it('tells once that the reader has gone and goes on quietly', async () => {
    const gone = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })) });
    let told = 0;
    const output = new Output(gone, () => (told += 1));
    await output.write('one');
    await new Promise((resolve) => setImmediate(resolve));
    await output.write('two');
    assert.deepEqual([told, output.readerIsGone, output.failure], [1, true, undefined]);
  });
});
