import assert from 'node:assert/strict';
import { draftAfterOpening, joinDrafts, withoutDraft } from '../../../../webview-ui/store/draft.ts';

describe('draftAfterOpening', () => {
  const table = [
    { name: 'another session brings its own draft', typed: { sessionId: 'a', text: 'mine' }, opened: { sessionId: 'b', text: 'theirs' }, draft: 'theirs' },
    { name: 'nothing typed: the host\'s', typed: { sessionId: 'a', text: ' ' }, opened: { sessionId: 'a', text: 'kept' }, draft: 'kept' },
    { name: 'the host has nothing: what was typed stays', typed: { sessionId: 'a', text: 'mine' }, opened: { sessionId: 'a', text: '' }, draft: 'mine' },
    { name: 'the host is a moment behind', typed: { sessionId: 'a', text: 'mine and more' }, opened: { sessionId: 'a', text: 'mine' }, draft: 'mine and more' },
    { name: 'the host knows more', typed: { sessionId: 'a', text: 'mine' }, opened: { sessionId: 'a', text: 'all of mine' }, draft: 'all of mine' },
    { name: 'a rewound prompt goes before what is being typed', typed: { sessionId: 'a', text: 'mine' }, opened: { sessionId: 'a', text: 'rewound\n' }, draft: 'rewound\n\nmine' },
  ];
  for (const { name, typed, opened, draft } of table) {
    it(name, () => assert.equal(draftAfterOpening(typed, opened), draft));
  }
});

describe('joinDrafts', () => {
  it('drops nothing but blank text', () => {
    assert.deepEqual([joinDrafts('a', ''), joinDrafts('', 'b'), joinDrafts('a', 'b')], ['a', 'b', 'a\n\nb']);
  });
});

describe('withoutDraft', () => {
  it('takes out what joinDrafts put first, and leaves what was changed', () => {
    for (const second of ['', 'mine', 'mine\n\nand more']) assert.equal(withoutDraft(joinDrafts('first\n', second), 'first\n'), second);
    for (const text of ['', 'mine', 'first, changed', 'first\nmine']) assert.equal(withoutDraft(text, 'first'), text);
  });
});
