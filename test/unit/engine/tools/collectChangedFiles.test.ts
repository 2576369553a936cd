import assert from 'node:assert/strict';
import { unlink, utimes, writeFile } from 'node:fs/promises';
import { collectChangedFiles } from '../../../../src/engine/tools/collectChangedFiles.ts';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

describe('collectChangedFiles', () => {
  let bench: ToolBench;
  const notes = async (): Promise<string[]> => (await collectChangedFiles(bench.context.readFileState, bench.context)).map((note) => note.text.replaceAll(bench.folder, ''));
  const put = (text: string): Promise<void> => writeFile(bench.at('f.txt'), text);

  beforeEach(async () => {
    bench = await openToolBench();
    await put('one\ntwo\n');
    await bench.run('Read', { file_path: 'f.txt' });
  });
  afterEach(() => bench.dispose());

  it('tells nothing of a file that was only touched', async () => {
    await utimes(bench.at('f.txt'), new Date(), new Date(Date.now() + 9_000));
    assert.deepEqual(await notes(), []);
  });

  it('tells the changed lines once, and then they count as read', async () => {
    await put('one\n2\n');
    const [note, ...more] = await notes();
    assert.match(note!, /^\/f\.txt was changed since you read it[\s\S]*\n-two\n\+2$/);
    assert.deepEqual(more, []);
    assert.deepEqual(await notes(), []);
    assert.match(await bench.say('Edit', { file_path: 'f.txt', old_string: '2', new_string: '3' }), /^Changed/);
    assert.deepEqual(await notes(), []);
  });

  it('trusts an old time stamp and the same size, until an event from outside', async () => {
    await utimes(bench.at('f.txt'), 1_000, 1_000);
    await bench.run('Read', { file_path: 'f.txt' });
    await put('one\nTWO\n');
    await utimes(bench.at('f.txt'), 1_000, 1_000);
    assert.deepEqual(await notes(), [], 'an old time stamp is trusted');
    bench.context.readFileState.invalidate(bench.at('f.txt'));
    assert.equal((await notes()).length, 1);
  });

  it('after a change too large to show asks to read again before an edit, and says so once', async () => {
    await put(Array.from({ length: 3_000 }, (_, index) => `line ${index}`).join('\n'));
    const [note] = await notes();
    assert.match(note!, /Read it again before you edit it[\s\S]*more lines$/);
    assert.deepEqual(await notes(), []);
    assert.match(await bench.say('Edit', { file_path: 'f.txt', old_string: 'line 7\n', new_string: 'x\n' }), /Read it again/);
  });

  it('tells of unsaved text, and of a file that is gone', async () => {
    bench.unsaved.set(bench.at('f.txt'), 'one\ntwo\nthree');
    assert.match((await notes())[0]!, /\+three/);
    bench.unsaved.clear();
    await unlink(bench.at('f.txt'));
    assert.deepEqual(await notes(), ['/f.txt was deleted or moved since you read it.']);
    assert.deepEqual(await notes(), []);
  });
});
