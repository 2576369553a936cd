import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdit } from '../../../../src/engine/text/editMatch.ts';

function edit(text: string, oldString: string, newString: string): { text: string; note: string | undefined } {
  const outcome = applyEdit(text, { oldString, newString, replaceAll: false });
  if (outcome.ok) return { text: outcome.text, note: outcome.note };
  throw new Error(`${outcome.reason}: ${outcome.message}`);
}

describe('an edit that quotes the file in another typography', () => {
  it('matches across curly and straight quotes, changes only what it changes, and says so', () => {
    const { text, note } = edit('He said “don’t” and left.\n', `He said "don't" and left.`, `He said "don't" and stayed.`);
    assert.equal(text, 'He said “don’t” and stayed.\n');
    assert.match(note!, /one place only.*quotation marks/);
    assert.equal(edit(`say("hi")\n`, 'say(“hi”)', 'say(“ho”)').text, `say("ho")\n`);
  });

  it('matches across white space at line ends, and keeps it on the lines that stay', () => {
    const { text, note } = edit('if (a) {  \r\n\tb();\t\r\n}\r\n', 'if (a) {\n\tb();\n}', 'if (a) {\n\tc();\n}');
    assert.equal(text, 'if (a) {  \r\n\tc();\t\r\n}\r\n');
    assert.match(note!, /white space at the end of lines/);
    assert.equal(edit('a\nb\nc\n', 'a  \nb \n', 'a  \nB \n').text, 'a\nB\nc\n');
    assert.equal(edit('a b\n', 'a b ', 'x').text, 'x\n');
    assert.equal(edit('a  \nb\n', 'a\nb\n', 'a\n').text, 'a  \n');
    assert.throws(() => edit('a   ', 'a\n', 'b\n'), /not-found/);
  });

  it('takes neither where two places fit, nor white space within a line, nor one that an exact match excludes', () => {
    assert.throws(() => edit('“a”\n‘a’ “a”\n', '"a"', 'b'), /not-found/);
    assert.throws(() => edit('a  b\n', 'a b', 'c'), /not-found/);
    assert.throws(() => edit('foobar\n', 'foo ', 'x'), /not-found/);
    assert.deepEqual(edit('“a”\n"a"\n', '"a"', '"b"'), { text: '“a”\n"b"\n', note: undefined });
    assert.throws(() => edit('a\n\n\nb', '   \n  ', 'c'), /not-found/);
  });

  it('leaves every character outside of the change as it is', () => {
    const word = fc.constantFrom('one', '“two”', 'it’s', '"x"', '\t', '  ', '\n', ' \n', '\r\n', '🙂');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(word, { maxLength: 8 }), fc.constantFrom('A', '“A”', ''), (before, after, fresh) => {
        const [head, tail] = [before.join(''), after.join('')];
        const text = `${head}unique “old” text \nhere${tail}`;
        const outcome = applyEdit(text, { oldString: 'unique "old" text\nhere', newString: `unique "old" ${fresh}\nhere`, replaceAll: false });
        assert.ok(outcome.ok);
        assert.equal(outcome.text, `${head}unique “old” ${fresh} \nhere${tail}`);
      }),
    );
  });
});
