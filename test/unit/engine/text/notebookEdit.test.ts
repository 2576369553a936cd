import assert from 'node:assert/strict';
import fc from 'fast-check';
import { itemSpans, memberSpans, rootSpan } from '../../../../src/engine/text/jsonSpans.ts';
import { editNotebook } from '../../../../src/engine/text/notebookEdit.ts';
import type { NotebookEdit } from '../../../../src/engine/text/notebookEdit.ts';

const change = (text: string, edit: Partial<NotebookEdit>): string => {
  const outcome = editNotebook(text, { mode: 'replace', cellId: undefined, cellType: undefined, source: '', newId: 'new00001', ...edit });
  return outcome.ok ? outcome.text : `refused: ${outcome.message}`;
};

/** As Jupyter writes them: one blank per level, sorted keys, lines with their ends. */
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Héllo\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {
    "weight": 1.0
   },
   "outputs": [],
   "source": [
    "1 + 1"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

describe('editNotebook', () => {
  it('replaces a source and nothing else', () => {
    assert.equal(change(jupyter, { cellId: 'sum', source: 'a = "é"\na' }), jupyter.replace('"1 + 1"', '"a = \\"é\\"\\n",\n    "a"'));
    assert.equal(change(jupyter, { cellId: '1', source: '' }), jupyter.replace(/\[\n {4}"# H[^\]]*\]/, '[]'));
  });

  it('keeps Windows line ends, tabs, and a missing final line end', () => {
    const tabs = jupyter.trimEnd().replace(/^ +/gm, (blanks) => '\t'.repeat(blanks.length)).replaceAll('\n', '\r\n');
    assert.equal(change(tabs, { cellId: '2', source: 'x\ny' }), tabs.replace('"1 + 1"', '"x\\n",\r\n\t\t\t\t"y"'));
  });

  it('keeps one-line files in one line, sources that are one string, and escapes', () => {
    const one = '{"cells": [{"cell_type": "code", "source": "caf\\u00e9", "outputs": [], "metadata": {}}], "nbformat": 4, "nbformat_minor": 2}';
    assert.equal(change(one, { cellId: '1', source: 'é\nx' }), one.replace('"caf\\u00e9"', '"\\u00e9\\nx"'));
    assert.equal(change(one, { mode: 'insert', cellType: 'markdown', source: 'hi' }), one.replace('[{', '[{"cell_type": "markdown", "metadata": {}, "source": ["hi"]}, {'));
    const tight = '{"cells":[{"cell_type":"raw","metadata":{},"source":[]}],"nbformat":4}';
    assert.equal(change(tight, { cellId: '1', source: 'a\nb' }), tight.replace('"source":[]', '"source":["a\\n","b"]'));
  });

  it('inserts first, in between and last, with an id where the format has them', () => {
    const cell = ['  {', '   "cell_type": "code",', '   "execution_count": null,', '   "id": "new00001",', '   "metadata": {},', '   "outputs": [],', '   "source": [', '    "x"', '   ]', '  }'].join('\n');
    const insert = { mode: 'insert', cellType: 'code', source: 'x' } as const;
    assert.equal(change(jupyter, insert), jupyter.replace('"cells": [\n', `"cells": [\n${cell},\n`));
    assert.equal(change(jupyter, { ...insert, cellId: 'intro' }), jupyter.replace('  },\n  {', `  },\n${cell},\n  {`));
    assert.equal(change(jupyter, { ...insert, cellId: 'sum' }), jupyter.replace('  }\n ],', `  },\n${cell}\n ],`));
    assert.equal(change(jupyter, { ...insert, cellType: undefined }), 'refused: cell_type is needed to insert a cell: code or markdown');
  });

  it('deletes the first, the last and the only cell, and fills an empty notebook', () => {
    const onlySum = change(jupyter, { mode: 'delete', cellId: 'intro' });
    assert.deepEqual(JSON.parse(onlySum), { ...JSON.parse(jupyter), cells: [JSON.parse(jupyter).cells[1]] });
    assert.match(onlySum, /^\{\n "cells": \[\n {2}\{\n {3}"cell_type": "code"/);
    assert.match(change(jupyter, { mode: 'delete', cellId: 'sum' }), /"text"\n {3}\]\n {2}\}\n \],\n "metadata"/);
    const empty = change(onlySum, { mode: 'delete', cellId: '1' });
    assert.match(empty, /^\{\n "cells": \[\],\n/);
    assert.match(change(empty, { mode: 'insert', cellType: 'markdown', source: 'x' }), /^\{\n "cells": \[\n {2}\{\n {3}"cell_type": "markdown",\n[\s\S]*\n {2}\}\n \],\n/);
  });

  it('changes the type of a cell and keeps all else of it as it was written', () => {
    const asText = change(jupyter, { cellId: 'sum', cellType: 'markdown', source: 'x' });
    assert.equal(asText, jupyter.replace('"code",\n   "execution_count": 3', '"markdown"').replace('   "outputs": [],\n', '').replace('"1 + 1"', '"x"'));
    assert.equal(change(asText, { cellId: 'sum', cellType: 'code', source: '1 + 1' }), jupyter.replace('": 3', '": null'));
  });

  it('says what is wrong', () => {
    assert.match(change('{"cells": 3}', { cellId: '1' }), /not a Jupyter notebook of format 4/);
    assert.match(change('no json', { cellId: '1' }), /not a Jupyter notebook of format 4/);
    assert.match(change(jupyter, { cellId: 'x9' }), /no cell x9\. It has cells 1 to 2, with the ids intro, sum/);
    assert.match(change(jupyter, { cellId: '0' }), /no cell 0/);
    assert.match(change(jupyter, { mode: 'delete' }), /cell_id is needed to delete a cell/);
  });

  it('changes one cell of any notebook and nothing else, however it is laid out', () => {
    const cell = fc.record({ cell_type: fc.constantFrom('code', 'markdown'), metadata: fc.dictionary(fc.string(), fc.jsonValue()), source: fc.oneof(fc.string(), fc.array(fc.string())) });
    const layout = fc.constantFrom(0, 1, 2, '\t');
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), layout, fc.string(), fc.nat(), (cells, indent, source, pick) => {
        const index = pick % cells.length;
        const text = JSON.stringify({ metadata: { cells: [1] }, cells, nbformat: 4 }, undefined, indent);
        const after = JSON.parse(change(text, { cellId: String(index + 1), source }));
        const written = after.cells[index].source;
        assert.equal(Array.isArray(written) ? written.join('') : written, source.replaceAll('\r\n', '\n'));
        after.cells[index].source = cells[index]!.source;
        assert.deepEqual(after, JSON.parse(text));
        assert.equal(JSON.stringify(JSON.parse(change(text, { mode: 'delete', cellId: String(index + 1) })).cells), JSON.stringify(cells.toSpliced(index, 1)));
      }),
    );
  });
});

describe('jsonSpans', () => {
  it('find the parts of any JSON text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        const root = rootSpan(text);
        assert.equal(JSON.stringify(JSON.parse(text.slice(root.start, root.end))), JSON.stringify(value));
        if (Array.isArray(value)) assert.deepEqual(itemSpans(text, root).map((span) => JSON.parse(text.slice(span.start, span.end))), value);
        else if (typeof value === 'object' && value !== null) {
          const members = memberSpans(text, root).map(({ key, value: span }): [string, unknown] => [key, JSON.parse(text.slice(span.start, span.end))]);
          assert.deepEqual(Object.fromEntries(members), value);
        }
      }),
    );
  });
});
