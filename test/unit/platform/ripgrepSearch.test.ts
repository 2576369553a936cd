import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { isAborted, isTurnstoneError } from '../../../src/base/errors.ts';
import type { GrepRequest, Search } from '../../../src/engine/ports.ts';
import { packagedRipgrep } from '../../../src/platform/packagedRipgrep.ts';
import { ripgrepCandidates } from '../../../src/platform/ripgrepCandidates.ts';
import { createRipgrepSearch } from '../../../src/platform/ripgrepSearch.ts';

const tree: { readonly [path: string]: string } = {
  '.gitignore': 'dist/\n*.log\n',
  '.git/config': 'total\n',
  '.hidden/a.ts': 'const total = 1;\n',
  'dist/out.js': 'total\n',
  'debug.log': 'total\n',
  'src/cart.ts': 'one\ntotal(1)\nthree\nfour\nfive\nTotal\n',
  'src/deep/er.tsx': 'nothing\r\ntotal\r\n',
  'src/.gitignore': 'secret.ts\n',
  'src/secret.ts': 'total\n',
  'img.bin': 'total\0\n',
};

const never = new AbortController().signal;

for (const [name, search] of [
  ['ripgrep', createRipgrepSearch([rgPath])],
  ['the ripgrep of the package', createRipgrepSearch([], '')],
  ['the walk without ripgrep', createRipgrepSearch([], '', async () => undefined)],
] as const) {
  describe(`search with ${name}`, () => searchTests(search));
}

describe('packagedRipgrep', () => {
  it('finds what npm has installed', async () => assert.equal(await packagedRipgrep(), rgPath));
});

function searchTests(search: Search): void {
  let root: string;

  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-search-')));
    let time = 1_700_000_000;
    for (const [path, text] of Object.entries(tree)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      await utimes(join(root, path), time, time);
      time += 60;
    }
  });
  after(() => rm(root, { recursive: true, force: true }));

  const glob = async (pattern: string, limit = 100): Promise<string[]> => (await search.glob({ pattern, path: root, limit }, never)).paths.map((path) => path.slice(root.length + 1));
  const grep = async (request: Partial<GrepRequest> & { limit?: number }): Promise<string[]> => {
    const whole = { pattern: 'total', path: root, outputMode: 'content', ignoreCase: false, multiline: false, lineNumbers: true, before: 0, after: 0, limit: 100, ...request } as const;
    return (await search.grep(whole, never)).lines.map((line) => line.replaceAll(`${root}/`, ''));
  };

  it('finds files newest first, without ignored ones', async () => {
    assert.deepEqual(await glob('*.ts'), ['src/cart.ts', '.hidden/a.ts']);
    assert.deepEqual(await glob('**/*.{ts,tsx}'), ['src/deep/er.tsx', 'src/cart.ts', '.hidden/a.ts']);
    assert.deepEqual(await glob('src/*.ts'), ['src/cart.ts']);
    assert.deepEqual(await glob('*.log'), []);
    assert.deepEqual(await glob('nothing*'), []);
  });

  it('says when there are more files than asked for', async () => {
    const found = await search.glob({ pattern: '**/*', path: root, limit: 2 }, never);
    assert.deepEqual([found.paths.length, found.truncated], [2, true]);
  });

  it('finds lines with their numbers', async () => {
    assert.deepEqual(await grep({}), ['.hidden/a.ts:1:const total = 1;', 'src/cart.ts:2:total(1)', 'src/deep/er.tsx:2:total']);
  });

  it('shows lines around a hit', async () => {
    assert.deepEqual(await grep({ path: join(root, 'src/cart.ts'), before: 1, after: 1, ignoreCase: true }), [
      'src/cart.ts-1-one', 'src/cart.ts:2:total(1)', 'src/cart.ts-3-three', '--', 'src/cart.ts-5-five', 'src/cart.ts:6:Total',
    ]);
  });

  it('filters by glob and type, and counts', async () => {
    assert.deepEqual(await grep({ glob: '*.tsx', outputMode: 'files_with_matches' }), ['src/deep/er.tsx']);
    assert.deepEqual(await grep({ glob: 'src/deep/**', outputMode: 'files_with_matches' }), ['src/deep/er.tsx']);
    assert.deepEqual(await grep({ type: 'ts', outputMode: 'count', ignoreCase: true }), ['.hidden/a.ts:1', 'src/cart.ts:2', 'src/deep/er.tsx:1']);
  });

  it('matches over line breaks when asked to', async () => {
    assert.deepEqual(await grep({ pattern: 'three.four', multiline: true }), ['src/cart.ts:3:three', 'src/cart.ts:4:four']);
    assert.deepEqual(await grep({ pattern: 'three.four' }), []);
  });

  it('stops at its limit', async () => {
    const found = await search.grep({ pattern: 'o', path: root, outputMode: 'content', ignoreCase: false, multiline: false, lineNumbers: false, before: 0, after: 0, limit: 1 }, never);
    assert.deepEqual([found.lines.length, found.truncated], [1, true]);
  });

  it('says what is wrong with a pattern and with a type', async () => {
    await assert.rejects(grep({ pattern: '(' }), (error) => isTurnstoneError(error) && error.code === 'invalid_input');
    await assert.rejects(grep({ type: 'no-such-type' }), (error) => isTurnstoneError(error) && /no-such-type/.test(error.message));
  });

  it('ends when it is interrupted', async () => {
    await assert.rejects(search.glob({ pattern: '*', path: root, limit: 1 }, AbortSignal.abort()), isAborted);
  });
}

describe('ripgrepCandidates', () => {
  it('names both packages in both places', () => {
    assert.deepEqual(ripgrepCandidates('/app', 'linux', 'x64'), [
      '/app/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules/@vscode/ripgrep/bin/rg',
      '/app/node_modules.asar.unpacked/@vscode/ripgrep/bin/rg',
    ]);
  });
});
