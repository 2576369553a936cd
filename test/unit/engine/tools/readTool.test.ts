import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';
import { pngHeader } from '../../../support/imageHeaders.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('Read', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  const put = (name: string, content: string | Uint8Array): Promise<void> => writeFile(bench.at(name), content);
  const read = (input: object): Promise<string> => bench.say('Read', { file_path: 'f.txt', ...input });
  const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `l${index + 1}\n`).join('');

  it('numbers lines, and keeps leading and trailing white space', async () => {
    await put('f.txt', '\ta  \n\n b');
    assert.equal(await read({}), '     1\t\ta  \n     2\t\n     3\t b');
  });

  it('reads a range and says what there is besides', async () => {
    await put('f.txt', numbered(10));
    assert.equal(await read({ offset: 4, limit: 2 }), '     4\tl4\n     5\tl5\n(Lines 4 to 5 of 10. Use offset and limit to read others.)');
    const seen = bench.context.readFileState.get(bench.at('f.txt'));
    assert.deepEqual([seen?.whole, seen?.range], [false, { firstLine: 4, lineCount: 2 }]);
    await read({});
    await read({ offset: 2, limit: 1 });
    assert.equal(bench.context.readFileState.get(bench.at('f.txt'))?.whole, true);
  });

  it('stops after 2,000 lines, cuts long lines and says so', async () => {
    await put('f.txt', `${'x'.repeat(5_000)}\n${numbered(2_500)}`);
    const text = await read({});
    assert.match(text, /x… \(line cut, it has 5000 characters\)\n/);
    assert.match(text, /\(Lines 1 to 2000 of 2501\./);
    assert.equal(bench.context.readFileState.get(bench.at('f.txt'))?.whole, false);
  });

  it('refuses what is too much for one result, with what to do', async () => {
    await put('f.txt', `${'y'.repeat(1_500)}\n`.repeat(400));
    assert.match(await read({}), /too much for one result.*offset and limit/);
    assert.match(await read({ limit: 2 }), /^     1\tyyy/);
  });

  it('says when a file is empty and when there is no such line', async () => {
    await put('f.txt', '');
    assert.equal(await read({}), '(The file is empty.)');
    await put('f.txt', 'a\n');
    assert.match(await read({ offset: 5 }), /has 1 lines; there is none at offset 5/);
  });

  it('names similar files, and says what folders are', async () => {
    await mkdir(bench.at('src'));
    await put('src/cart.ts', '');
    assert.match(await read({ file_path: 'src/cart.js' }), /does not exist\. Similar names in the same folder: cart\.ts\./);
    assert.match(await read({ file_path: 'lib/x.ts' }), /neither does its folder/);
    assert.match(await read({ file_path: 'src' }), /src is a folder/);
  });

  it('shows images by what they hold, not by their name', async () => {
    await put('logo.dat', png);
    assert.deepEqual((await bench.run('Read', { file_path: 'logo.dat' })).content, [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } }]);
    await put('page.png', '<html>');
    assert.equal(await read({ file_path: 'page.png' }), '     1\t<html>\n(page.png is named like an image, but it holds this text.)');
    await put('big.png', Buffer.concat([png, Buffer.alloc(4_000_000)]));
    assert.match(await read({ file_path: 'big.png' }), /too large to be shown.*3\.75 MB/);
    await put('long.png', pngHeader(2984, 8340));
    assert.match(await read({ file_path: 'long.png' }), /^long\.png is too large to be shown to the model: 2984 × 8340 pixels, at most 8000/);
  });

  it('refuses other binary files', async () => {
    await put('a.bin', Buffer.from([1, 0, 2]));
    assert.match(await read({ file_path: 'a.bin' }), /a\.bin cannot be read or edited as text: it is a binary file/);
  });

  it('shows the cells of a notebook', async () => {
    await put('n.ipynb', JSON.stringify({ cells: [{ cell_type: 'code', source: ['a = 1\n', 'a'], outputs: [{ output_type: 'execute_result', data: { 'text/plain': ['1'], 'image/png': 'x' } }] }] }));
    assert.match(await read({ file_path: 'n.ipynb' }), /--- cell 1: code ---\n.*a = 1\n.*a\n.*--- output ---\n.*1\n.*\(also: image\/png\)/);
  });
});
