import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fenced, toPrompt } from '../../../src/acp/toPrompt.ts';

describe('toPrompt', () => {
  it('keeps words and links in one text, in their order, with blanks where a mention needs them', () => {
    const blocks = toPrompt([
      { type: 'text', text: 'Compare' },
      { type: 'resource_link', name: 'a b.ts', uri: 'file:///work/a%20b.ts#L3:9' },
      { type: 'text', text: ' with ' },
      { type: 'resource_link', name: 'page', uri: 'https://example.com/x' },
    ]);
    assert.deepEqual(blocks, [{ type: 'text', text: 'Compare @"/work/a b.ts"#L3-9 with [page](https://example.com/x)' }]);
  });

  it('keeps the lines of a link as they are, whatever follows', () => {
    const blocks = toPrompt([{ type: 'resource_link', name: 'a.ts', uri: 'file:///work/a.ts#L3' }, { type: 'text', text: '9 times' }]);
    assert.deepEqual(blocks, [{ type: 'text', text: '@"/work/a.ts"#L3 9 times' }]);
  });

  it('attaches what the editor sends whole, in a fence that its text cannot close', () => {
    const [said, content] = toPrompt([{ type: 'resource', resource: { uri: 'file:///work/a.md', text: '```\n@b.ts\n```' } }]);
    assert.deepEqual([said, content], [
      { type: 'text', text: '[a.md](file:///work/a.md)' },
      { type: 'text', text: 'Content of file:///work/a.md, as the editor has it:\n````\n```\n@b.ts\n```\n````' },
    ]);
    fc.assert(fc.property(fc.array(fc.constantFrom('`', '``', 'x', '\n')).map((parts) => parts.join('')), (text) => {
      const [fence = '', ...rest] = fenced(text).split('\n');
      assert.equal(rest.indexOf(fence), rest.length - 1);
    }));
  });

  it('refuses what is empty or cannot be sent, and says that nothing was', () => {
    assert.throws(() => toPrompt([{ type: 'text', text: ' \n' }]), /nothing was sent/);
    assert.throws(() => toPrompt([{ type: 'audio', data: '', mimeType: 'audio/wav' }]), /nothing was sent/);
    assert.throws(() => toPrompt([{ type: 'resource', resource: { uri: 'file:///a.zip', blob: 'UEs=', mimeType: 'application/zip' } }]), /a\.zip.*nothing was sent/);
  });
});
