import assert from 'node:assert/strict';
import { shouldInterrupt, shouldSend } from '../../../../webview-ui/text/shouldSend.ts';
import type { KeyPress } from '../../../../webview-ui/text/shouldSend.ts';

const enter: KeyPress = { key: 'Enter', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, keyCode: 13, repeat: false };

describe('shouldSend', () => {
  const table: readonly { name: string; event: Partial<KeyPress>; sends: boolean }[] = [
    { name: 'Enter', event: {}, sends: true },
    { name: 'Ctrl+Enter', event: { ctrlKey: true }, sends: true },
    { name: 'Cmd+Enter', event: { metaKey: true }, sends: true },
    { name: 'Shift+Enter', event: { shiftKey: true }, sends: false },
    { name: 'Alt+Enter', event: { altKey: true }, sends: false },
    { name: 'Enter that picks a word of an input method', event: { isComposing: true }, sends: false },
    { name: 'Enter that only the key code gives away as composition', event: { keyCode: 229 }, sends: false },
    { name: 'Enter held down', event: { repeat: true }, sends: false },
    { name: 'another key', event: { key: 'a', keyCode: 65 }, sends: false },
  ];
  for (const { name, event, sends } of table) {
    it(`${name}: ${sends ? 'sends' : 'does not send'}`, () => assert.equal(shouldSend({ ...enter, ...event }), sends));
  }
});

describe('shouldInterrupt', () => {
  it('is for Escape, not for the Escape that closes the list of an input method', () => {
    const escape = { key: 'Escape', isComposing: false, keyCode: 27 };
    assert.deepEqual([escape, { ...escape, isComposing: true }, { ...escape, keyCode: 229 }, { ...escape, key: 'Enter' }].map(shouldInterrupt), [true, false, false, false]);
  });
});
