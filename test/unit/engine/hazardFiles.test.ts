import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { decodeText } from '../../../src/engine/text/encoding.ts';
import { withLineFeeds } from '../../../src/engine/text/lineEndings.ts';
import { textEncodings } from '../../../src/platform/textEncodings.ts';
import { Desk } from './fileHistory/support.ts';
import { openToolBench } from './tools/toolBench.ts';
import type { ToolBench } from './tools/toolBench.ts';

const fresh = 'CHANGED';
type Tool = 'Edit' | 'MultiEdit' | 'Write';
const tools: readonly Tool[] = ['Edit', 'MultiEdit', 'Write'];

/** Words, then any characters of ASCII: most files have the first, some of these only the last. */
const patterns = [/(?<![^\t\n\r -~])[A-Za-z]{4,}/g, /(?<![^\t\n\r -~])[0-9A-Za-z"[\]]{2,}/g];

/** What is changed where there is no such word. */
const foreign: Readonly<Record<string, readonly [word: string, encoding: string]>> = { 'big5-crlf.txt': ['文本編輯器', 'big5'], 'control-characters.txt': ['\x15', 'utf8'], 'utf16be-bom.txt': ['only', 'utf16be'] };

interface Place {
  readonly word: string;
  readonly from: number;
  readonly to: number;
  readonly fresh: Buffer;
}

/**
 * A word of ASCII that stands in the bytes once, found without our decoder: as single bytes, or in two each. What stands
 * before it is ASCII too, so that its first letter is no second half of a character.
 */
async function findPlace(name: string, bytes: Buffer): Promise<Place | undefined> {
  if (foreign[name]) {
    const [word, encoding] = foreign[name];
    const sought = Buffer.from((await textEncodings.encode(word, encoding))!);
    const from = bytes.indexOf(sought);
    return from >= 0 && from === bytes.lastIndexOf(sought) ? { word, from, to: from + sought.length, fresh: Buffer.from((await textEncodings.encode(fresh, encoding))!) } : undefined;
  }
  for (const pattern of patterns) {
    for (const wide of ['latin1', 'utf16le'] as const) {
      const shown = bytes.toString(wide);
      for (const { 0: word, index } of shown.matchAll(pattern)) {
        if (index === 0 || shown.indexOf(word) !== shown.lastIndexOf(word)) continue;
        const from = Buffer.byteLength(shown.slice(0, index), wide);
        return { word, from, to: from + Buffer.byteLength(word, wide), fresh: Buffer.from(fresh, wide) };
      }
    }
  }
  return undefined;
}

/** What a model that has read the file would send to change that word. */
async function inputOf(tool: Tool, path: string, word: string, bytes: Buffer): Promise<object> {
  if (tool === 'Edit') return { file_path: path, old_string: word, new_string: fresh };
  if (tool === 'MultiEdit') return { file_path: path, edits: [{ old_string: word, new_string: 'half way there' }, { old_string: 'half way there', new_string: fresh }] };
  const text = (await decodeText(bytes, { encodings: textEncodings }))?.text ?? bytes.toString('latin1');
  return { file_path: path, content: withLineFeeds(text).replace(word, () => fresh) };
}

/** Changes one word of a file in each way and goes back each time. Gives what was refused, as `tool: reason`. */
async function tryFile(bench: ToolBench, name: string, bytes: Buffer): Promise<string[]> {
  const place = await findPlace(name, bytes);
  assert.ok(place, `${name} has a word to change`);
  const expected = Buffer.concat([bytes.subarray(0, place.from), place.fresh, bytes.subarray(place.to)]);
  const refused: string[] = [];
  for (const tool of tools) {
    await Desk.use(async (desk) => {
      const path = desk.at(name);
      await writeFile(path, bytes);
      await chmod(path, 0o640);
      desk.say('m1');
      Object.assign(bench, { context: { ...bench.context, fileHistory: desk.history } });
      const shown = await bench.run('Read', { file_path: path });
      const { isError, content } = await bench.run(tool, await inputOf(tool, path, place.word, bytes));
      const now = await readFile(path);
      if (isError) {
        assert.ok(now.equals(bytes), `${name}: refused, but changed`);
        refused.push(`${tool}: ${typeof content === 'string' ? content : ''} (${shown.isError ? 'not read' : 'read'})`.replaceAll(path, name));
        return;
      }
      assert.ok(now.equals(expected), `${name}: ${tool} changed more than its word`);
      await desk.rewind('m1');
      assert.ok((await readFile(path)).equals(bytes), `${name}: ${tool} was not undone`);
      assert.equal((await stat(path)).mode & 0o777, 0o640);
    });
  }
  return refused;
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const encoded = async (text: string, name: string): Promise<Buffer> => Buffer.from((await textEncodings.encode(text, name))!);
const chinese = '/* 这是一个用来测试编码的文件，里面有很多汉字，编辑以后不能改变 */\n';
const japanese = '// これは文字コードを試すためのファイルです。変更しても他は変わらない。\n';
const russian = '// Это файл для проверки кодировки, остальное должно остаться без изменений.\n';

/** One small file of each kind. */
const own: Readonly<Record<string, Buffer | Promise<Buffer>>> = {
  'bom.json': Buffer.from('\uFEFF{\n  "name": "étoile",\n  "only": 1\n}\n'),
  'bom-twice.txt': Buffer.from('\uFEFF\uFEFFa\nonly\n'),
  'crlf.cs': Buffer.from('class A {\r\n\tint only;\r\n}\r\n'),
  'one-lf-in-crlf.resx': Buffer.from('one\r\ntwo\nonly\r\nfour\r\n'),
  'one-crlf-in-lf.md': Buffer.from('one\ntwo\r\nonly\nfour\n'),
  'old-mac.h': Buffer.from('a\rb\r// only\r'),
  'all-ends.h': Buffer.from('a\r\nb\rc\n\r\r\n// only\n\r'),
  'no-final-newline.cbl': Buffer.from('a\n  only'),
  'trailing-white-space.tsv': Buffer.from('a\t\t\n \n\tonly \t \n\n\n  '),
  'long-line.min.js': Buffer.from(`var a=0;${'a+=1;'.repeat(20_000)}only(a)`),
  'curly.md': Buffer.from('“q” ‘s’ "q" \'s\' — only…\n'),
  'no-break.jsx': Buffer.from('<a>\u00A0only\u202F\u2007x</a>\n'),
  'returns-twice.txt': Buffer.from('a\r\r\nb\r\r\nonly\r\r\n'),
  'return-before-crlf.txt': Buffer.from('a\r\r\nb\r\nonly\r\n'),
  'separators.js': Buffer.from('a\u2028b\u2029c\u0085d\u000Be\u000Cf only\n'),
  'decomposed.js': Buffer.from('"e\u0301" "\u00E9" "한글" "\u1112\u1161\u11AB" only\n'),
  'wide.txt': Buffer.from('👩‍👩‍👧 𝒳 🇩🇪 ﷽ \u202Ertl\u202C only\n'),
  'entities.html': Buffer.from('&lt;a&gt; &amp;amp; $& $1 $$ \\n only\n'),
  'control.txt': Buffer.from('a\x01\x02\x1B[31m\x7F\n only\n'),
  'nul.txt': Buffer.from('a\0b\n only\n'),
  'damaged-utf8.txt': Buffer.concat([Buffer.from('größe 日本\n only\n'), Buffer.from([0xff, 0xc3, 0x0a, 0xed, 0xa0, 0x80, 0x0a, 0xf4])]),
  'utf16le-bom.ttl': Buffer.from('\uFEFF# étoile 日本\r\nonly\r\n', 'utf16le'),
  'utf16be-bom.txt': utf16be('\uFEFF# étoile 日本\nonly\n'),
  'utf16le.txt': Buffer.from('the first line\r\nonly this one\r\n', 'utf16le'),
  'latin1.txt': Buffer.from('const x = 1;\n// caf\xe9 only\n', 'latin1'),
  'windows-1252.txt': encoded('“Größe” – 5 € für Käse, äöüß\n only\n', 'windows1252'),
  'latin2.txt': encoded('Zażółć gęślą jaźń, všechno zůstává\n only\n', 'iso88592'),
  'koi8-r.txt': encoded(`${russian.repeat(3)} only\n`, 'koi8r'),
  'gbk.c': encoded(`${chinese.repeat(3)} only\r\n`, 'gbk'),
  'big5.txt': encoded('這是一個用來測試編碼的檔案，裡面有很多漢字，編輯以後不能改變。\r\n only\r\n', 'big5'),
  'shiftjis.txt': encoded(`${japanese.repeat(3)} only\r\n`, 'shiftjis'),
  'euc-jp.txt': encoded(`${japanese.repeat(3)} only\n`, 'eucjp'),
  'euc-kr.txt': encoded('// 이것은 문자 집합을 시험하는 파일입니다. 나머지는 그대로 있어야 합니다.\n only\n', 'euckr'),
};

describe('files that editors are known to damage', function () {
  this.timeout(120_000);
  let bench: ToolBench;

  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  async function refusedOf(files: readonly (readonly [string, Buffer | Promise<Buffer>])[]): Promise<Record<string, string[]>> {
    const refused: Record<string, string[]> = {};
    for (const [name, bytes] of files) {
      const reasons = await tryFile(bench, name, await bytes);
      if (reasons.length > 0) refused[name] = reasons;
    }
    return refused;
  }

  function assertOnlyRefused(refused: Record<string, string[]>, name: string): void {
    assert.deepEqual(Object.keys(refused), [name]);
    for (const [at, reason] of refused[name]!.entries()) assert.ok(reason.startsWith(`${tools[at]}: ${name} cannot be read or edited as text: it is a binary file. It was left untouched.`), reason);
  }

  it('one small file of each kind: a word is changed in three ways and nothing else is, and going back gives the very file', async () => {
    assertOnlyRefused(await refusedOf(Object.entries(own)), 'nul.txt');
  });

  it('files from the wild, in the same way', async () => {
    const corpus = new URL('../../../../shared/corpus/edit-hazards/', import.meta.url);
    if (!existsSync(corpus)) {
      console.log('      did not run: the folder of collected files is not here');
      return;
    }
    assertOnlyRefused(await refusedOf(readdirSync(corpus).map((name) => [name, readFileSync(new URL(name, corpus))] as const)), 'control-characters.txt');
  });
});
