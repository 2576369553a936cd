import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { textEncodings } from '../../../src/platform/textEncodings.ts';
import { longForm } from '../../support/longForm.ts';
import { Desk } from './fileHistory/support.ts';
import { openToolBench } from './tools/toolBench.ts';

const marker = 'the line to change';
const ends = fc.constantFrom('\n', '\r\n');
const words = fc.array(fc.constantFrom('plain', 'größe', '日本語', '中文字', '한국어', 'привет', '“q”', '\t'), { maxLength: 12 }).map((all) => all.join(' '));
const names = ['windows1252', 'iso88592', 'koi8r', 'gbk', 'big5', 'shiftjis', 'eucjp', 'euckr', 'utf8', 'utf16le'];
/** Text in an encoding, or any bytes at all. */
const stretch = fc.oneof(words, fc.uint8Array({ maxLength: 40 }));

interface Parts {
  readonly name: string;
  readonly before: string | Uint8Array;
  readonly after: string | Uint8Array;
  readonly end: string;
  readonly hasMark: boolean;
}

/** Bytes before the marker, the marker, and after it. */
async function build({ name, before, after, end, hasMark }: Parts): Promise<[Buffer, Buffer, Buffer]> {
  const encode = async (text: string): Promise<Buffer> => Buffer.from((await textEncodings.encode(text, name))!);
  const bytes = async (part: string | Uint8Array): Promise<Buffer> => (typeof part === 'string' ? encode(part) : Buffer.from(part));
  const mark = !hasMark ? Buffer.alloc(0) : name === 'utf16le' ? Buffer.from([0xff, 0xfe]) : Buffer.from([0xef, 0xbb, 0xbf]);
  return [Buffer.concat([mark, await bytes(before), await encode(end)]), await encode(marker), Buffer.concat([await encode(end), await bytes(after)])];
}

describe('any bytes and any edit', function () {
  this.timeout(120_000);

  it('every byte outside of the edit stays, and going back gives the very file; or nothing is changed', async () => {
    const bench = await openToolBench();
    let made = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.record({ name: fc.constantFrom(...names), before: stretch, after: stretch, end: ends, hasMark: fc.boolean() }), fc.constantFrom('changed', '', 'two\nlines'), async (parts, fresh) =>
          Desk.use(async (desk) => {
            const [before, middle, after] = await build(parts);
            const original = Buffer.concat([before, middle, after]);
            const path = desk.at('f');
            await writeFile(path, original);
            desk.say('m1');
            Object.assign(bench, { context: { ...bench.context, fileHistory: desk.history } });
            await bench.run('Read', { file_path: path });
            const { isError } = await bench.run('Edit', { file_path: path, old_string: marker, new_string: fresh });
            const now = await readFile(path);
            if (isError) return assert.deepEqual(now, original);
            made++;
            assert.deepEqual(now.subarray(0, before.length), before);
            assert.deepEqual(now.subarray(now.length - after.length), after);
            assert.equal(now.subarray(before.length, now.length - after.length).toString('latin1').replaceAll('\0', '').replaceAll('\r\n', '\n'), fresh);
            await desk.rewind('m1');
            assert.deepEqual(await readFile(path), original);
          }),
        ),
        { numRuns: longForm ? 1_000 : 120 },
      );
      assert.ok(made > (longForm ? 300 : 40), `${made} edits were made`);
    } finally {
      await bench.dispose();
    }
  });
});
