import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { decodeText, encodeText, tryDecodeUnicode } from '../../../../src/engine/text/encoding.ts';
import { shownText } from '../../../../src/engine/text/byteEscapes.ts';
import { textEncodings as encodings } from '../../../../src/platform/textEncodings.ts';

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
const starts = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];

describe('decodeText and encodeText', () => {
  it('keeps a byte order mark beside the text', async () => {
    const bytes = bytesOf(0xef, 0xbb, 0xbf, 0x22, 0xc3, 0xa9, 0x22, 0x0a);
    const decoded = await decodeText(bytes);
    assert.deepEqual(decoded, { text: '"é"\n', encoding: { name: 'utf-8', bom: true } });
    assert.deepEqual(await encodeText(decoded!.text, decoded!.encoding), bytes);
  });

  it('keeps a second mark as a character of the text', async () => {
    assert.equal((await decodeText(bytesOf(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61)))!.text, '\ufeffa');
  });

  it('reads and writes UTF-16 of both byte orders, with and without a mark', async () => {
    const little = [0x3d, 0xd8, 0x42, 0xde, 0x0a, 0x00, 0x61, 0x00, 0x62, 0x00];
    const big = [0xd8, 0x3d, 0xde, 0x42, 0x00, 0x0a, 0x00, 0x61, 0x00, 0x62];
    for (const [start, rest, name] of [[[0xff, 0xfe], little, 'utf-16le'], [[0xfe, 0xff], big, 'utf-16be'], [[], little, 'utf-16le'], [[], big, 'utf-16be']] as const) {
      const bytes = bytesOf(...start, ...rest);
      const decoded = await decodeText(bytes);
      assert.deepEqual(decoded, { text: '🙂\nab', encoding: { name, bom: start.length > 0 } });
      assert.deepEqual(await encodeText(decoded!.text, decoded!.encoding), bytes);
    }
    const chinese = bytesOf(0x2d, 0x4e, 0x87, 0x65);
    assert.equal((await decodeText(chinese, { hint: 'utf16le' }))!.text, '中文');
  });

  it('refuses what is no text', async () => {
    assert.equal(await decodeText(bytesOf(0x61, 0, 0x62), { encodings }), undefined);
    assert.equal(await decodeText(bytesOf(0xff, 0xfe, 0x3d, 0xd8), { encodings }), undefined);
    assert.equal(await decodeText(bytesOf(0xff, 0xfe, 0x3d), { encodings }), undefined);
    assert.equal(await decodeText(bytesOf(0x89, 0x01, 0x02, 0x03, 0xff, 0x04), { encodings }), undefined);
  });

  it('does not write half a character', async () => {
    await assert.rejects(encodeText('a\ud83d', { name: 'utf-8', bom: false }), (error) => isTurnstoneError(error) && error.code === 'not_text');
  });

  it('carries damaged UTF-8 byte for byte, and shows it as such', async () => {
    const bytes = Buffer.concat([Buffer.from('größer – café\n'), bytesOf(0xe2, 0x80), Buffer.from('ende\n')]);
    const decoded = await decodeText(bytes, { encodings });
    assert.deepEqual(decoded!.encoding, { name: 'utf-8', bom: false, hasEscapes: true });
    assert.equal(shownText(decoded!.text), 'größer – café\n\ufffd\ufffdende\n');
    assert.ok(same(await encodeText(decoded!.text.replace('ende', 'Ende'), decoded!.encoding), Buffer.concat([Buffer.from('größer – café\n'), bytesOf(0xe2, 0x80), Buffer.from('Ende\n')])));
  });

  it('takes the editor’s word for the encoding where it fits all bytes', async () => {
    const bytes = Buffer.from([0xd0, 0xcf, 0xc9, 0x0a]);
    assert.deepEqual(await decodeText(bytes, { encodings, hint: 'koi8r' }), { text: 'пои\n', encoding: { name: 'koi8r', bom: false } });
    assert.equal((await decodeText(Buffer.from('größe'), { encodings, hint: 'windows1252' }))!.text, 'grÃ¶ÃŸe');
    // Half a pair: it can't be Shift_JIS, whatever the editor says.
    assert.notEqual((await decodeText(bytesOf(0x61, 0x83), { encodings, hint: 'shiftjis' }))!.encoding.name, 'shiftjis');
  });

  it('refuses to write what the encoding does not have, by name', async () => {
    for (const [name, text] of [['windows-1252', 'a → b'], ['Shift_JIS', '한'], ['iso88591', '€']] as const) {
      await assert.rejects(encodeText(text, { name, bom: false }, encodings), (error) => isTurnstoneError(error) && error.code === 'not_text' && /U\+[0-9A-F]{4}.*Nothing was written.*UTF-8/.test(error.message));
    }
    await assert.rejects(encodeText('a', { name: 'no such', bom: false }, encodings), (error) => isTurnstoneError(error) && error.code === 'not_text');
  });

  it('gives any bytes back exactly or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), fc.constantFrom(undefined, 'gbk', 'shiftjis', 'windows1251', 'utf16le'), async (start, rest, hint) => {
        const bytes = Uint8Array.from([...start, ...rest]);
        const decoded = await decodeText(bytes, { encodings, hint });
        if (decoded) assert.deepEqual(await encodeText(decoded.text, decoded.encoding, encodings), bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives any text back', async () => {
    const all = [{ name: 'utf-8', bom: false }, { name: 'utf-8', bom: true }, { name: 'utf-16le', bom: true }, { name: 'utf-16be', bom: true }] as const;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.constantFrom(...all), async (text, encoding) => {
        if (text.includes('\0') || (text.startsWith('\ufeff') && !encoding.bom)) return;
        assert.deepEqual(tryDecodeUnicode(await encodeText(text, encoding)), { text, encoding });
      }),
    );
  });

  it('changes no byte outside of an edit, in any encoding', async () => {
    const letters = 'abc \r\n"\'äßéñ日本語漢字가나다中文字абвгд';
    const names = ['utf-8', 'utf-16le', 'utf-16be', 'windows1252', 'windows1251', 'iso88592', 'koi8r', 'gbk', 'gb18030', 'big5', 'shiftjis', 'eucjp', 'euckr'];
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.array(fc.array(fc.constantFrom(...Array.from(letters)), { maxLength: 8 }).map((part) => part.join('')), { minLength: 4, maxLength: 4 }),
        async (name, parts) => {
          const encoding = { name, bom: name.startsWith('utf-16') };
          const [before, old, after, fresh] = parts as [string, string, string, string];
          const encode = (text: string): Promise<Uint8Array | undefined> => encodeText(text, encoding, encodings).catch(() => undefined);
          const whole = await encode(before + old + after);
          const edited = await encode(before + fresh + after);
          if (!whole || !edited) return;
          tried++;
          const start = (await encode(before))!;
          const end = (await encodeText(after, { ...encoding, bom: false }, encodings));
          assert.ok(same(edited.subarray(0, start.length), whole.subarray(0, start.length)));
          assert.ok(same(edited.subarray(edited.length - end.length), whole.subarray(whole.length - end.length)));
        },
      ),
      { numRuns: 2_000 },
    );
    assert.ok(tried > 300, String(tried));
  });
});

describe('what bytes are', () => {
  const words = {
    Shift_JIS: ['shiftjis', 'これは日本語のテキストです。設定ファイルを読み込みます。\r\n'],
    'EUC-JP': ['eucjp', 'これは日本語のテキストです。設定ファイルを読み込みます。\n'],
    'EUC-KR': ['euckr', '이것은 한국어 텍스트입니다. 설정 파일을 읽습니다.\n'],
    Big5: ['big5', '這是一個繁體中文的文字檔案，用來測試編碼。\n'],
    GB18030: ['gbk', '这是一个简体中文的文本文件，用来测试编码。\n'],
    'windows-1251': ['windows1251', 'Это обычный русский текст, записанный в старой кодировке.\n'],
  } as const;

  for (const [label, [name, text]] of Object.entries(words)) {
    it(`is found out for ${label}`, async () => {
      const bytes = (await encodings.encode(text.repeat(4), name))!;
      const decoded = await decodeText(bytes, { encodings });
      assert.equal(decoded!.text, text.repeat(4));
      assert.ok(same(await encodeText(decoded!.text, decoded!.encoding, encodings), bytes));
    });
  }

  it('is found out for a word of French, and for a few of Chinese', async () => {
    assert.equal((await decodeText(Buffer.from('const x = 1;\n// caf\xe9 note\n', 'latin1'), { encodings }))!.text, 'const x = 1;\n// café note\n');
    const code = (await encodings.encode('int main(void) {\n  /* 主函数 */ return 0;\n}\n', 'gbk'))!;
    assert.equal((await decodeText(code, { encodings }))!.text, 'int main(void) {\n  /* 主函数 */ return 0;\n}\n');
  });
});

describe('files from the wild', () => {
  const corpus = new URL('../../../../../shared/corpus/edit-hazards/', import.meta.url);

  it('each is given back byte for byte or refused', async function () {
    this.timeout(60_000);
    if (!existsSync(corpus)) {
      console.log('      did not run: the folder of collected files is not here');
      return;
    }
    const refused: string[] = [];
    const found: Record<string, string> = {};
    for (const name of readdirSync(corpus)) {
      const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
      const decoded = await decodeText(bytes, { encodings });
      if (!decoded) refused.push(name);
      else assert.ok(same(await encodeText(decoded.text, decoded.encoding, encodings), bytes), name);
      if (decoded && decoded.encoding.name !== 'utf-8') found[name] = decoded.encoding.name;
    }
    assert.deepEqual(refused, ['control-characters.txt']);
    assert.deepEqual(found, {
      'big5-crlf.txt': 'Big5',
      'gbk-main.c': 'GB18030',
      'gbk-text.txt': 'GB18030',
      'koi8-r.txt': 'KOI8-R',
      'latin2.txt': 'ISO-8859-2',
      'shiftjis-crlf-readme.txt': 'Shift_JIS',
      'shiftjis.txt': 'Shift_JIS',
      'utf16le-bom.ttl': 'utf-16le',
      'utf16le-complicated.txt': 'utf-16le',
      'utf16le.txt': 'utf-16le',
      'windows-1252.txt': 'windows-1252',
    });
  });
});
