import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

describe('Glob and Grep', () => {
  let bench: ToolBench;
  before(async () => {
    bench = await openToolBench();
    await mkdir(bench.at('src'));
    await writeFile(bench.at('src/cart.ts'), 'one\ntotal\nthree\n');
    await writeFile(bench.at('top.ts'), 'TOTAL\n');
  });
  after(() => bench.dispose());

  it('give paths as the other tools take them', async () => {
    assert.equal(await bench.say('Glob', { pattern: 'src/**/*.ts' }), 'src/cart.ts');
    assert.equal(await bench.say('Glob', { pattern: '*.md' }), 'No files found.');
    assert.equal(await bench.say('Grep', { pattern: 'total' }), 'src/cart.ts');
    assert.equal(await bench.say('Grep', { pattern: 'total', output_mode: 'content', '-C': 1, path: 'src' }), 'src/cart.ts-1-one\nsrc/cart.ts:2:total\nsrc/cart.ts-3-three');
    assert.equal(await bench.say('Grep', { pattern: 'total', '-i': true, output_mode: 'count' }), 'src/cart.ts:1\ntop.ts:1');
    assert.equal(await bench.say('Grep', { pattern: 'nothing' }), 'No matches found.');
  });

  it('tell the folder that a pattern really searches, so that it can be asked about', async () => {
    const pathsOf = async (pattern: string): Promise<readonly string[]> => (await bench.plan('Glob', { pattern, path: 'src' })).paths;
    assert.deepEqual(await pathsOf('*.ts'), [bench.at('src')]);
    assert.deepEqual(await pathsOf('../../*.ts'), [bench.at('..')]);
    assert.deepEqual(await pathsOf('/etc/*.conf'), ['/etc']);
    assert.equal(await bench.say('Glob', { pattern: '../*.ts', path: 'src' }), 'top.ts');
  });

  it('stop at the limit and say so', async () => {
    assert.match(await bench.say('Grep', { pattern: 'o|O', head_limit: 1, output_mode: 'content' }), /^src\/cart\.ts:1:one\n\(The first 1; there are more/);
  });

  it('say what is wrong', async () => {
    assert.match(await bench.say('Grep', { pattern: '(' }), /search failed|regular expression/);
    assert.match(await bench.say('Grep', { pattern: 'x', path: 'none' }), /none does not exist/);
    assert.match(await bench.say('Glob', { pattern: 'x', path: 'top.ts' }), /no folder/);
  });
});
