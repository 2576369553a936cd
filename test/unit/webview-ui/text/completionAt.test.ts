import assert from 'node:assert/strict';
import { complete, completionAt } from '../../../../webview-ui/text/completionAt.ts';

describe('completionAt', () => {
  /** `|` is the caret. */
  const at = (marked: string) => completionAt(marked.replace('|', ''), marked.indexOf('|'));
  const table: readonly (readonly [marked: string, found: ReturnType<typeof at>])[] = [
    ['/|', { kind: 'command', prefix: '', start: 0 }],
    ['/gsd:qu|', { kind: 'command', prefix: 'gsd:qu', start: 0 }],
    ['/clear |', undefined],
    ['see /cl|', undefined],
    ['/usr/b|', undefined],
    ['@|', { kind: 'file', prefix: '', start: 0 }],
    ['see (@src/c| it', { kind: 'file', prefix: 'src/c', start: 5 }],
    ['see @"my no|', { kind: 'file', prefix: 'my no', start: 4 }],
    ['@a.ts @b|', { kind: 'file', prefix: 'b', start: 6 }],
    ['me@example|', undefined],
    [`@${'x'.repeat(201)}|`, undefined],
  ];
  for (const [marked, found] of table) it(JSON.stringify(marked.slice(0, 30)), () => assert.deepEqual(at(marked), found));

  it('a choice takes the place of what was typed, with one blank behind it', () => {
    assert.deepEqual(complete('see @ca please', 7, { start: 4 }, '@src/cart.ts '), { text: 'see @src/cart.ts please', caret: 16 });
    assert.deepEqual(complete('/c', 2, { start: 0 }, '/clear'), { text: '/clear', caret: 6 });
  });
});
