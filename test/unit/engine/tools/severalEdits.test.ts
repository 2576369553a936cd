import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

let bench: ToolBench;
const put = (name: string, content: string): Promise<void> => writeFile(bench.at(name), content);
const textOf = (name: string): Promise<string> => readFile(bench.at(name), 'utf8');

describe('several edits at once', () => {
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  it('are one proposal, made in order, each on what the one before left', async () => {
    await put('f.txt', 'a\r\nb\r\nb\r\n');
    await bench.say('Read', { file_path: 'f.txt' });
    const edits = [{ old_string: 'a', new_string: 'x\ny' }, { old_string: 'y\nb', new_string: 'z' }, { old_string: 'b', new_string: 'c', replace_all: true }];
    const plan = await bench.plan('MultiEdit', { file_path: 'f.txt', edits });
    assert.deepEqual(plan.proposal, { path: bench.at('f.txt'), targetPath: bench.at('f.txt'), before: 'a\r\nb\r\nb\r\n', after: 'x\r\nz\r\nc\r\n' });
    assert.match(await bench.say('MultiEdit', { file_path: 'f.txt', edits }), /^Changed f\.txt: 3 lines added, 3 removed/);
    assert.equal(await textOf('f.txt'), 'x\r\nz\r\nc\r\n');
    assert.deepEqual(bench.history, ['before f.txt', 'after f.txt']);
  });

  it('are all left out when one does not fit, and the message says which', async () => {
    await put('f.txt', 'a\nb\n');
    await bench.say('Read', { file_path: 'f.txt' });
    const said = await bench.say('MultiEdit', { file_path: 'f.txt', edits: [{ old_string: 'a', new_string: 'x' }, { old_string: 'nowhere', new_string: 'y' }] });
    assert.match(said, /^f\.txt, edit 2 of 2: .*None of the edits was made\.$/s);
    assert.equal(await textOf('f.txt'), 'a\nb\n');
    assert.deepEqual(bench.history, []);
  });

  it('need the file to have been read, and can make a new one', async () => {
    await put('f.txt', 'a\n');
    assert.match(await bench.say('MultiEdit', { file_path: 'f.txt', edits: [{ old_string: 'a', new_string: 'x' }] }), /was not read yet/);
    assert.match(await bench.say('MultiEdit', { file_path: 'none.txt', edits: [{ old_string: 'a', new_string: 'x' }] }), /does not exist/);
    await bench.say('MultiEdit', { file_path: 'new.txt', edits: [{ old_string: '', new_string: 'one two\n' }, { old_string: 'two', new_string: 'three' }] });
    assert.equal(await textOf('new.txt'), 'one three\n');
  });
});

describe('NotebookEdit', () => {
  const notebook = '{\n "cells": [\n  {\n   "cell_type": "code",\n   "id": "c1",\n   "outputs": [],\n   "source": [\n    "x = 1"\n   ]\n  }\n ],\n "nbformat": 4,\n "nbformat_minor": 5\n}';
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  it('proposes the change of one cell, by the id or number that Read shows', async () => {
    await put('n.ipynb', notebook);
    assert.match(await bench.say('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'x = 2' }), /was not read yet/);
    assert.match(await bench.say('Read', { file_path: 'n.ipynb' }), /--- cell 1: code, id c1 ---/);
    assert.equal((await bench.plan('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: '1', new_source: 'x = 2' })).proposal?.after, notebook.replace('x = 1', 'x = 2'));
    assert.match(await bench.say('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'x = 2' }), /^Changed n\.ipynb/);
    assert.equal(await textOf('n.ipynb'), notebook.replace('x = 1', 'x = 2'));
    assert.deepEqual(bench.history, ['before n.ipynb', 'after n.ipynb']);
  });

  it('says when there is no such cell, or no notebook', async () => {
    await put('n.ipynb', notebook);
    await bench.say('Read', { file_path: 'n.ipynb' });
    assert.match(await bench.say('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c7', new_source: '' }), /^n\.ipynb was not changed: it has no cell c7/);
    assert.match(await bench.say('NotebookEdit', { notebook_path: 'other.ipynb', new_source: '', edit_mode: 'delete' }), /does not exist/);
    assert.equal(await textOf('n.ipynb'), notebook);
  });
});
