import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { applyEdit } from '../../../../src/engine/text/editMatch.ts';
import { tryDecodeUnicode } from '../../../../src/engine/text/encoding.ts';
import { withLineFeeds } from '../../../../src/engine/text/lineEndings.ts';

function edit(text: string, oldString: string, newString: string, replaceAll = false): string {
  const outcome = applyEdit(text, { oldString, newString, replaceAll });
  if (outcome.ok) return outcome.text;
  throw new Error(`${outcome.reason}: ${outcome.message}`);
}

function refusal(text: string, oldString: string, newString: string, replaceAll = false): string {
  const outcome = applyEdit(text, { oldString, newString, replaceAll });
  return outcome.ok ? `changed to ${JSON.stringify(outcome.text)}` : `${outcome.reason}: ${outcome.message}`;
}

describe('applyEdit and line ends', () => {
  it('finds text of several lines in a CRLF file and inserts CRLF lines', () => {
    assert.equal(edit('a\r\nb\r\nc\r\n', 'a\nb', 'a\nX\nb'), 'a\r\nX\r\nb\r\nc\r\n');
  });

  it('leaves the other lines of a mixed file as they are', () => {
    assert.equal(edit('a\r\nb\nc\r\n', 'c', 'd'), 'a\r\nb\nd\r\n');
    assert.equal(edit('a\r\nb\nc\r\n', 'a\nb\nc', 'A\nb\nC'), 'A\r\nb\nC\r\n');
  });

  it('gives an inserted line the end of its neighbours', () => {
    assert.equal(edit('a\nb\nc\r\nd\r\n', 'c', 'c\nX'), 'a\nb\nc\r\nX\r\nd\r\n');
    assert.equal(edit('a\nb\nc\r\nd\r\n', 'a', 'a\nX'), 'a\nX\nb\nc\r\nd\r\n');
    assert.equal(edit('a\r\nb', 'b', 'b\nX'), 'a\r\nb\r\nX');
  });

  it('removes a whole line with its end', () => {
    assert.equal(edit('a\r\nb\r\nc\r\n', 'b\n', ''), 'a\r\nc\r\n');
    assert.equal(edit('a\r\nb\r\nc', '\nc', ''), 'a\r\nb');
  });

  it('sees two places where only the line ends differ, as the model does', () => {
    assert.match(refusal('x\r\ny\nx\ny\n', 'x\ny', 'z'), /^ambiguous: .*lines 1, 3/);
  });

  it('keeps explicit carriage returns', () => {
    assert.equal(edit('a\r\nb\r\n', 'a\r\nb', 'a\r\nX\r\nb'), 'a\r\nX\r\nb\r\n');
    assert.equal(edit('a\nb\n', 'a', 'a\r'), 'a\r\nb\n');
    assert.equal(edit('a\rb\rc', 'a\rb', 'a\rX'), 'a\rX\rc');
  });
});

describe('applyEdit is exact', () => {
  it('trims nothing', () => {
    assert.equal(edit('a\tb  \nc\n', 'b  \n', 'b   \n\n'), 'a\tb   \n\nc\n');
    assert.match(refusal('a b\n', ' a b', 'x'), /^not-found/);
    assert.match(refusal('a b c\n', 'a b  c', 'x'), /^not-found/);
  });

  it('leaves entities, no-break spaces and dollar signs what they are', () => {
    assert.equal(edit('<p>a&nbsp;b\u00a0c</p>', 'c</p>', "$& $1 &amp;\u00a0</p>"), "<p>a&nbsp;b\u00a0$& $1 &amp;\u00a0</p>");
  });

  it('does not take composed and decomposed accents for the same, but says so', () => {
    assert.match(refusal('const cafe\u0301 = 1;\n', 'const caf\u00e9 = 1;', 'x'), /^not-found: .*accents/);
  });

  it('replaces every place with replace_all, and reports how many', () => {
    const outcome = applyEdit('/v1/batches /v1/batches\n/v1/batches', { oldString: '/v1/batches', newString: '/v2/batches', replaceAll: true });
    assert.deepEqual(outcome, { ok: true, text: '/v2/batches /v2/batches\n/v2/batches', replacements: 3 });
  });

  it('creates content only in an empty file', () => {
    assert.equal(edit('', '', 'new\n'), 'new\n');
    assert.match(refusal('a', '', 'b'), /^not-empty/);
  });
});

describe('applyEdit refuses', () => {
  it('an ambiguous text, with the lines of all places, overlapping ones too', () => {
    assert.match(refusal('foo\nfoo\nfoo\n', 'foo\nfoo\n', 'x'), /^ambiguous: .*2 times, beginning at lines 1, 2\./);
    assert.match(refusal('ab\ncd\nab\n', 'ab', 'x'), /lines 1, 3\./);
  });

  it('a text that is not there, with the nearest place', () => {
    const text = 'import a\n\nfunction total(items) {\n  return items.length;\n}\n';
    const message = refusal(text, 'function total(item) {\n  return 1;', 'x');
    assert.match(message, /^not-found/);
    assert.match(message, /\n3\tfunction total\(items\) \{\n/);
  });

  it('and says what is different where that is simple', () => {
    assert.match(refusal('\tif (a) {\n', '    if (a) {\n', 'x'), /white space/);
    assert.match(refusal('say \u201chello\u201d\nsay \u201chello\u201d twice\n', 'say "hello"', 'x'), /quotes/);
    assert.match(refusal('const Total = 1\n', 'const total = 1', 'x'), /upper and lower case/);
    assert.match(refusal('const total = 1\n', '     1\tconst total = 1', 'x'), /line number and a tab/);
    assert.match(refusal('abc\n', '?!', 'x'), /No line in it is similar/);
  });

  it('a change of nothing', () => {
    assert.match(refusal('a', 'a', 'a'), /^no-change/);
    assert.match(refusal('a\r\nb', 'a\nb', 'a\r\nb'), /^no-change/);
  });
});

const lineArbitrary = fc.tuple(fc.constantFrom('a', 'b', 'ab', '', ' ', 'é', '🙂', '\r', 'x\u2028'), fc.constantFrom('\n', '\r\n')).map((parts) => parts.join(''));
const textArbitrary = fc.tuple(fc.array(lineArbitrary, { maxLength: 12 }), fc.constantFrom('', 'end')).map(([lines, end]) => lines.join('') + end);

describe('applyEdit on any text', () => {
  it('leaves every character outside of the edit as it was', () => {
    let applied = 0;
    fc.assert(
      fc.property(textArbitrary, fc.nat(), fc.nat({ max: 12 }), fc.constantFrom('', 'N', 'N\nM', '\n', 'N\n'), (text, seed, length, newString) => {
        const view = withLineFeeds(text);
        const start = view.length === 0 ? 0 : seed % view.length;
        const oldString = view.slice(start, start + length);
        const outcome = applyEdit(text, { oldString, newString, replaceAll: false });
        if (oldString === '' || oldString.includes('\r') || !outcome.ok) return;
        applied++;
        const rawStart = rawOffset(text, start);
        const rawEnd = rawOffset(text, start + oldString.length);
        assert.ok(outcome.text.startsWith(text.slice(0, rawStart)));
        assert.ok(outcome.text.endsWith(text.slice(rawEnd)));
        const middle = outcome.text.slice(rawStart, outcome.text.length - (text.length - rawEnd));
        assert.equal(withLineFeeds(middle), newString);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(applied > 200, `only ${applied} edits were applied`);
  });

  it('puts no other line end into a file that has only one kind', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.nat(), (words, ending, seed) => {
        const text = words.map((word, index) => `${word}${index}${ending}`).join('');
        const target = `${words[seed % words.length]}${seed % words.length}`;
        const result = edit(text, target, 'one\ntwo\n\nthree');
        assert.equal(result, text.replace(target, `one${ending}two${ending}${ending}three`));
      }),
    );
  });
});

/** Written the slow way on purpose, to check the fast one. */
function rawOffset(text: string, viewOffset: number): number {
  let raw = 0;
  for (let view = 0; view < viewOffset; view++) raw += text.startsWith('\r\n', raw) ? 2 : 1;
  return raw;
}

describe('edits of files from the wild', () => {
  const corpus = new URL('../../../../../shared/corpus/edit-hazards/', import.meta.url);

  it('change one line and nothing else', () => {
    if (!existsSync(corpus)) {
      console.log('      did not run: the folder of collected files is not here');
      return;
    }
    for (const name of readdirSync(corpus)) {
      const text = tryDecodeUnicode(new Uint8Array(readFileSync(new URL(name, corpus))))?.text;
      if (text === undefined) continue;
      const line = withLineFeeds(text).split('\n').find((candidate) => candidate.length > 3 && text.indexOf(candidate) === text.lastIndexOf(candidate));
      if (line === undefined) continue;
      const at = text.indexOf(line);
      assert.equal(edit(text, line, `${line}!`), `${text.slice(0, at)}${line}!${text.slice(at + line.length)}`, name);
    }
  });
});
