import assert from 'node:assert/strict';
import { baseName, displayPath, isInside, parentPath, pathNames, resolvePath } from '../../../src/base/paths.ts';

describe('paths', () => {
  it('of Windows are parted by both slashes; elsewhere a backslash is a letter', () => {
    assert.deepEqual(pathNames('C:\\a/b\\.git'), ['C:', 'a', 'b', '.git']);
    assert.deepEqual(pathNames('/a\\b/.git'), ['a\\b', '.git']);
    assert.deepEqual([parentPath('/w/back\\slash'), parentPath('C:\\w\\x'), parentPath('/a'), parentPath('C:\\')], ['/w', 'C:\\w', '/', 'C:\\']);
    assert.deepEqual([baseName('/w/back\\slash'), baseName('C:\\w\\x')], ['back\\slash', 'x']);
    assert.equal(resolvePath('/w', 'back\\..\\slash'), '/w/back\\..\\slash');
  });

  it('know what lies in a folder, whatever the folder is called', () => {
    assert.deepEqual([isInside('/w', '/w/a'), isInside('/w', '/w2/a'), isInside('/', '/a'), isInside('C:\\', 'C:\\a'), isInside('C:\\w', 'C:\\w\\a')], [true, false, true, true, true]);
    assert.deepEqual([isInside('/w\\', '/w\\evil'), isInside('/w\\', '/w\\/a'), isInside('/w', '/w\\a')], [false, true, false]);
    assert.deepEqual([displayPath('/', '/\\a'), displayPath('/w', '/w/\\a'), displayPath('C:\\w', 'C:\\w\\a'), displayPath('/w', '/v/a')], ['\\a', '\\a', 'a', '/v/a']);
  });
});
