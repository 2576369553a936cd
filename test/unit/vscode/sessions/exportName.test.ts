import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exportName } from '../../../../src/vscode/sessions/exportName.ts';

describe('exportName', () => {
  it('keeps what can be read of a title', () => {
    assert.deepEqual(['Rename total: sum?', '../../etc/passwd', '...', '', 'Größe in 日本', ' a\n/b '].map(exportName), ['Rename total sum.md', 'etc passwd.md', 'session.md', 'session.md', 'Größe in 日本.md', 'a b.md']);
  });

  it('is a name that every system takes, whatever the title', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (title) => assert.match(exportName(title), /^(?![. ])[^\\/:*?"<>|\p{Cc}]{1,64}\.md$/u)));
  });
});
