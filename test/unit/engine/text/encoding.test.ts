import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { decodeText, encodeText, tryDecodeText } from '../../../../src/engine/text/encoding.ts';

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

describe('decodeText and encodeText', () => {
  it('keeps a byte order mark beside the text', () => {
    const bytes = bytesOf(0xef, 0xbb, 0xbf, 0x22, 0xc3, 0xa9, 0x22, 0x0a);
    const decoded = decodeText(bytes, 'f');
    assert.deepEqual(decoded, { text: '"é"\n', encoding: { name: 'utf-8', bom: true } });
    assert.deepEqual(encodeText(decoded.text, decoded.encoding), bytes);
  });

  it('keeps a second mark as a character of the text', () => {
    const bytes = bytesOf(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61);
    assert.equal(decodeText(bytes, 'f').text, '\ufeffa');
  });

  it('reads and writes UTF-16 of both byte orders', () => {
    const little = bytesOf(0xff, 0xfe, 0x3d, 0xd8, 0x42, 0xde, 0x0a, 0x00);
    const big = bytesOf(0xfe, 0xff, 0xd8, 0x3d, 0xde, 0x42, 0x00, 0x0a);
    for (const [bytes, name] of [[little, 'utf-16le'], [big, 'utf-16be']] as const) {
      const decoded = decodeText(bytes, 'f');
      assert.deepEqual(decoded, { text: '🙂\n', encoding: { name, bom: true } });
      assert.deepEqual(encodeText(decoded.text, decoded.encoding), bytes);
    }
  });

  it('refuses what cannot be written back without loss, and says why', () => {
    const latin1 = Buffer.from('const x = 1;\n// caf\xe9\n', 'latin1');
    assert.throws(() => decodeText(latin1, 'src/s.txt'), (error) => isTurnstoneError(error) && error.code === 'not_text' && /src\/s\.txt.*UTF-8.*left untouched/.test(error.message));
    assert.throws(() => decodeText(bytesOf(0x61, 0, 0x62), 'a.bin'), (error) => isTurnstoneError(error) && /binary/.test(error.message));
    assert.equal(tryDecodeText(bytesOf(0xff, 0xfe, 0x3d, 0xd8)), undefined);
    assert.equal(tryDecodeText(bytesOf(0xff, 0xfe, 0x3d)), undefined);
  });

  it('does not write half a character', () => {
    assert.throws(() => encodeText('a\ud83d', { name: 'utf-8', bom: false }), (error) => isTurnstoneError(error) && error.code === 'not_text');
  });

  it('gives any bytes back exactly or not at all', () => {
    const starts = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        const bytes = Uint8Array.from([...start, ...rest]);
        const decoded = tryDecodeText(bytes);
        if (decoded) assert.deepEqual(encodeText(decoded.text, decoded.encoding), bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives any text back', () => {
    const encodings = [{ name: 'utf-8', bom: false }, { name: 'utf-8', bom: true }, { name: 'utf-16le', bom: true }, { name: 'utf-16be', bom: true }] as const;
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...encodings), (text, encoding) => {
        if (text.includes('\0') || (text.startsWith('\ufeff') && !encoding.bom)) return;
        assert.deepEqual(tryDecodeText(encodeText(text, encoding)), { text, encoding });
      }),
    );
  });
});

describe('files from the wild', () => {
  const corpus = new URL('../../../../../shared/corpus/edit-hazards/', import.meta.url);

  it('each is given back byte for byte or refused', function () {
    if (!existsSync(corpus)) {
      console.log('      did not run: the folder of collected files is not here');
      return;
    }
    const refused: string[] = [];
    for (const name of readdirSync(corpus)) {
      const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
      const decoded = tryDecodeText(bytes);
      if (!decoded) refused.push(name);
      else assert.ok(Buffer.compare(encodeText(decoded.text, decoded.encoding), bytes) === 0, name);
    }
    assert.deepEqual(refused.sort(), [
      'big5-crlf.txt', 'control-characters.txt', 'gbk-main.c', 'gbk-text.txt', 'koi8-r.txt', 'latin2.txt',
      'shiftjis-crlf-readme.txt', 'shiftjis.txt', 'windows-1252.txt',
    ]);
  });
});
