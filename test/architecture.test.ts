import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLayers, layerOf, packageOf } from './architecture/checkLayers.ts';
import { maximumLines, soleImporters } from './architecture/layers.ts';
import { findCycles, importsOf, listFiles, readSourceFiles, type SourceFile } from './architecture/projectFiles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const product = readSourceFiles(root, ['src', 'webview-ui']);
const allSources = listFiles(root, ['src', 'webview-ui', 'test', 'scripts', 'bench'], ['.ts', '.tsx', '.mjs', '.cjs', '.css']);

describe('architecture', () => {
  it('has files to look at', () => {
    assert.ok(product.length > 0);
    assert.ok(product.some(({ imports }) => imports.length > 0));
  });

  it('lets every file import only from below its layer, and only the packages of its layer', () => {
    assert.deepEqual(checkLayers(product), []);
  });

  it('has no circles of imports', () => {
    assert.deepEqual(findCycles(product), []);
  });

  for (const [name, layer] of Object.entries(soleImporters)) {
    it(`lets at most one file import ${name}`, () => {
      const importers = product.filter(({ imports }) => imports.some(({ specifier }) => packageOf(specifier) === name));
      assert.ok(importers.length <= 1, importers.map((file) => file.path).join(', '));
      assert.ok(importers.every((file) => layerOf(file.path)?.name === layer));
    });
  }

  it(`keeps every file under ${maximumLines} lines`, () => {
    const long = allSources.map((file) => ({ file, lines: read(file).split('\n').length - 1 })).filter(({ lines }) => lines > maximumLines);
    assert.deepEqual(long, []);
  });

  it('writes no path of this machine into a file', () => {
    const documents = listFiles(root, ['docs', 'media', '.ci'], ['.md', '.json', '.svg', 'run']);
    // The home of root is the same everywhere, so tests may use it as an example.
    const homes = os.userInfo().uid === 0 ? [] : [os.homedir() + path.sep];
    const ownPaths = [root, ...homes, `${path.posix.sep}tmp${path.posix.sep}`];
    const found = [...allSources, ...documents, ...fs.readdirSync(root).filter((name) => /\.(md|mjs|json)$/.test(name))].flatMap((file) =>
      ownPaths.filter((own) => containsPath(read(file), own)).map((own) => `${file} contains ${own}`),
    );
    assert.deepEqual(found, []);
  });

  it('runs every test file of the extension host', () => {
    const index = read('test/host/index.ts');
    const forgotten = listFiles(root, ['test/host'], ['.test.ts']).filter((file) => !index.includes(`import('./${path.posix.relative('test/host', file)}')`));
    assert.deepEqual(forgotten, []);
  });
});

describe('the rules of the architecture', () => {
  it('notice an import that goes up, a foreign package and a file outside of the layers', () => {
    const problems = checkLayers([
      source('src/engine/query.ts', "import fs from 'node:fs';\nimport { activate } from '../vscode/extension.ts';\n"),
      source('src/vscode/extension.ts', "import { query } from '../engine/query.ts';\nconst late = await import('zod');\n"),
      source('src/stray.ts', ''),
    ]);
    assert.deepEqual(problems, [
      'src/engine/query.ts imports the package node:fs, which engine may not.',
      'src/engine/query.ts imports src/vscode/extension.ts, but engine may not know vscode.',
      'src/vscode/extension.ts imports src/engine/query.ts, but vscode may not know engine.',
      'src/vscode/extension.ts imports the package zod, which vscode may not.',
      'src/stray.ts is in no layer.',
    ]);
  });

  it('open the engine to the platform through one file', () => {
    const file = source('src/platform/shell.ts', "import type { Shell } from '../engine/ports.ts';\nimport { query } from '../engine/query.ts';\n");
    assert.deepEqual(checkLayers([file]), ['src/platform/shell.ts imports src/engine/query.ts, but platform may not know engine.']);
  });

  it('tell types from values', () => {
    const text = [
      "import type { A } from '../src/protocol/a.ts';",
      "import { b } from '../src/protocol/b.ts';",
      "import type {\n  C,\n} from '../src/protocol/c.ts';",
      "export type { D } from '../src/protocol/d.ts';",
      "const e = import('../src/protocol/e.ts');",
    ].join('\n');
    const found = importsOf('webview-ui/main.tsx', text).map(({ file, typeOnly }) => `${file} ${typeOnly}`);
    assert.deepEqual(found.sort(), [
      'src/protocol/a.ts true', 'src/protocol/b.ts false', 'src/protocol/c.ts true', 'src/protocol/d.ts true', 'src/protocol/e.ts false',
    ]);
    assert.deepEqual(checkLayers([source('webview-ui/main.tsx', text)]).length, 2);
  });

  it('find a circle', () => {
    const circle = [source('src/base/a.ts', "import './b.ts';"), source('src/base/b.ts', "import './c.ts';"), source('src/base/c.ts', "import './a.ts';")];
    assert.deepEqual(findCycles(circle), [['src/base/a.ts', 'src/base/b.ts', 'src/base/c.ts', 'src/base/a.ts']]);
  });
});

function source(file: string, text: string): SourceFile {
  return { path: file, text, imports: importsOf(file, text) };
}

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8');
}

/** Inside of a longer, relative path the same letters are no path of a machine. */
function containsPath(text: string, own: string): boolean {
  return text.split(own).slice(0, -1).some((before) => !/[\w.*~}-]$/.test(before));
}
