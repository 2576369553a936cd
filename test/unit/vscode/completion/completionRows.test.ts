import assert from 'node:assert/strict';
import { commandRows, fileGlob, fileRows } from '../../../../src/vscode/completion/completionRows.ts';

describe('completion rows', () => {
  it('list commands that begin so before those that have it further in', () => {
    const commands = [
      { name: 'gsd:clean', description: 'tidy', source: 'project' },
      { name: 'clear', description: 'start anew', source: 'built-in' },
      { name: 'compact', description: 'summarise', argumentHint: '[focus]', source: 'built-in' },
    ] as const;
    assert.deepEqual(commandRows(commands, 'C').map(({ insert, label }) => [insert, label]), [['/clear', '/clear'], ['/compact ', '/compact [focus]'], ['/gsd:clean', '/gsd:clean']]);
    assert.deepEqual(commandRows(commands, 'nothing'), []);
  });

  it('list files by name before those that only have it in their path, at most fifty', () => {
    assert.deepEqual(fileRows(['cart/readme.md', 'src/a-cart.ts', 'src/cart.ts', 'src/cart.ts'], 'Cart').map(({ detail }) => detail), ['src/cart.ts', 'src/a-cart.ts', 'cart/readme.md']);
    assert.deepEqual(fileRows(['z/open.ts', 'a.ts'], '').map(({ label }) => label), ['open.ts', 'a.ts']);
    assert.equal(fileRows(Array.from({ length: 80 }, (_, index) => `f${index}.ts`), 'f').length, 50);
  });

  it('put names into quotes where they would be read otherwise', () => {
    assert.deepEqual(fileRows(['src/cart.ts', 'my notes.md', 'what?'], '').map(({ insert }) => insert), ['@src/cart.ts ', '@"my notes.md" ', '@"what?" ']);
  });

  it('find files in any case, and take no letter of a name for a pattern', () => {
    assert.equal(fileGlob('Ca1'), '**/*[cC][aA]1*');
    assert.equal(fileGlob('./src/c'), '**/*[sS][rR][cC]/*[cC]*');
    assert.equal(fileGlob('a*[b]'), '**/*[aA]??[bB]?*');
    assert.equal(fileGlob(''), '**/**');
  });
});
