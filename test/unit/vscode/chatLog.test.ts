import assert from 'node:assert/strict';
import type { ChatEvent } from '../../../src/protocol/chatView.ts';
import { ChatLog } from '../../../src/vscode/chatLog.ts';

const opened: ChatEvent = { type: 'session-opened', sessionId: 's', title: 'T', draft: '', readOnly: false };

describe('ChatLog', () => {
  it('brings a late panel to the present state', () => {
    const log = new ChatLog();
    log.apply([
      opened,
      { type: 'items-put', items: [{ kind: 'text', id: 'a', markdown: 'x', streaming: true }, { kind: 'notice', id: 'n', level: 'info', text: 'gone' }] },
      { type: 'text-appended', id: 'a', text: 'y' },
      { type: 'items-removed', ids: ['n'] },
      { type: 'changes-listed', messageIds: [], toolUseIds: ['t'], undoneToolUseIds: [], redoableToolUseIds: [] },
      { type: 'turn-changed', running: true },
      { type: 'turn-changed', running: false },
      { type: 'title-changed', title: 'U' },
      { type: 'focus-composer' },
    ]);
    log.setDraft('half a sent');
    assert.deepEqual(log.snapshot(), [
      { ...opened, title: 'U', draft: 'half a sent' },
      { type: 'items-put', items: [{ kind: 'text', id: 'a', markdown: 'xy', streaming: true }] },
      { type: 'changes-listed', messageIds: [], toolUseIds: ['t'], undoneToolUseIds: [], redoableToolUseIds: [] },
      { type: 'turn-changed', running: false },
    ]);
  });

  it('forgets the session before when another is opened', () => {
    const log = new ChatLog();
    log.apply([opened, { type: 'items-put', items: [{ kind: 'user', id: 'u', text: 'hi', timestamp: '' }] }, { type: 'todos-changed', todos: [] }, { type: 'changes-listed', messageIds: ['u'], toolUseIds: [], undoneToolUseIds: [], redoableToolUseIds: [] }]);
    log.apply([{ ...opened, sessionId: 'other' }]);
    assert.deepEqual(log.snapshot(), [{ ...opened, sessionId: 'other' }]);
  });
});
