import assert from 'node:assert/strict';
import { baseName, displayPath, extensionOf, parentPath, resolvePath } from '../../../../src/engine/tools/paths.ts';

describe('paths', () => {
  it('resolves against the working folder', () => {
    assert.equal(resolvePath('/w/app', 'src/../a.ts'), '/w/app/a.ts');
    assert.equal(resolvePath('/w/app', '/etc//./hosts'), '/etc/hosts');
    assert.equal(resolvePath('/w', '../../../x'), '/x');
    assert.equal(resolvePath('/w', 'a\\b'), '/w/a\\b');
    assert.equal(resolvePath('C:\\w', 'src/a.ts'), 'C:\\w\\src\\a.ts');
    assert.equal(resolvePath('/w', 'C:/x/../y'), 'C:\\y');
  });

  it('takes paths apart', () => {
    assert.deepEqual([parentPath('/a/b'), parentPath('/a'), parentPath('C:\\a'), parentPath('a')], ['/a', '/', 'C:\\', '.']);
    assert.deepEqual([baseName('/a/b.ts'), baseName('C:\\a\\b.ts')], ['b.ts', 'b.ts']);
    assert.deepEqual([extensionOf('/a/B.PNG'), extensionOf('/a/.env'), extensionOf('/a.b/c')], ['.png', '', '']);
  });

  it('shows a path inside the working folder short, any other whole', () => {
    assert.equal(displayPath('/w', '/w/src/a.ts'), 'src/a.ts');
    assert.equal(displayPath('/w', '/wide/a.ts'), '/wide/a.ts');
    assert.equal(displayPath('/w', '/w'), '.');
  });
});
