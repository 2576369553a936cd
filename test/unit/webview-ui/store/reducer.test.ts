import assert from 'node:assert/strict';
import type { ChatEvent, ChatItem, PanelStatus, ToolItem } from '../../../../src/protocol/chatView.ts';
import { initialState } from '../../../../webview-ui/store/panelState.ts';
import type { PanelState } from '../../../../webview-ui/store/panelState.ts';
import { reduce } from '../../../../webview-ui/store/reducer.ts';

const user: ChatItem = { kind: 'user', id: 'u', text: 'Hello', timestamp: '2026-11-30T09:00:00Z' };
const text: ChatItem = { kind: 'text', id: 'a', markdown: 'Hel', streaming: true };
const thinking: ChatItem = { kind: 'thinking', id: 'th', text: 'Hm', streaming: true };
const tool: ToolItem = { kind: 'tool', id: 't', tool: 'Bash', title: 'npm test', status: 'running', output: '> test\n' };
const status: PanelStatus = { model: 'm', permissionMode: 'plan', demo: true, needsKey: false, cost: '$0.42', contextShare: 0.4 };
const full: PanelState = { ...initialState, sessionId: 's', title: 'T', items: [user, text, thinking, tool], running: true };

describe('reduce', () => {
  const table: readonly { name: string; event: ChatEvent; changes: Partial<PanelState> }[] = [
    { name: 'takes a title', event: { type: 'title-changed', title: 'New' }, changes: { title: 'New' } },
    { name: 'puts new items at the end', event: { type: 'items-put', items: [{ ...user, id: 'u2' }] }, changes: { items: [...full.items, { ...user, id: 'u2' }] } },
    {
      name: 'replaces items in their place and appends the rest, in one event',
      event: { type: 'items-put', items: [{ ...text, streaming: false }, { ...user, id: 'u2' }, { ...tool, status: 'done' }] },
      changes: { items: [user, { ...text, streaming: false }, thinking, { ...tool, status: 'done' }, { ...user, id: 'u2' }] },
    },
    {
      name: 'keeps the last of two versions of a new item',
      event: { type: 'items-put', items: [{ ...user, id: 'u2' }, { ...user, id: 'u2', text: 'Later' }] },
      changes: { items: [...full.items, { ...user, id: 'u2', text: 'Later' }] },
    },
    { name: 'removes items', event: { type: 'items-removed', ids: ['a', 't', 'unknown'] }, changes: { items: [user, thinking] } },
    { name: 'grows text', event: { type: 'text-appended', id: 'a', text: 'lo' }, changes: { items: [user, { ...text, markdown: 'Hello' }, thinking, tool] } },
    { name: 'grows thinking', event: { type: 'text-appended', id: 'th', text: '…' }, changes: { items: [user, text, { ...thinking, text: 'Hm…' }, tool] } },
    { name: 'grows output', event: { type: 'text-appended', id: 't', text: 'ok\n' }, changes: { items: [user, text, thinking, { ...tool, output: '> test\nok\n' }] } },
    { name: 'ends the turn', event: { type: 'turn-changed', running: false }, changes: { running: false } },
    { name: 'takes the queue', event: { type: 'queue-changed', prompts: [{ id: 'q', text: 'next' }] }, changes: { queue: [{ id: 'q', text: 'next' }] } },
    {
      name: 'takes approvals',
      event: { type: 'approvals-changed', approvals: [{ id: 't', kind: 'command', title: 'Run a command', detail: 'ls' }] },
      changes: { approvals: [{ id: 't', kind: 'command', title: 'Run a command', detail: 'ls' }] },
    },
    {
      name: 'takes a retry',
      event: { type: 'retry-changed', retry: { attempt: 1, maxRetries: 3, retryAt: 5, reason: 'Busy.' } },
      changes: { retry: { attempt: 1, maxRetries: 3, retryAt: 5, reason: 'Busy.' } },
    },
    {
      name: 'takes todos',
      event: { type: 'todos-changed', todos: [{ content: 'a', activeForm: 'b', status: 'pending' }] },
      changes: { todos: [{ content: 'a', activeForm: 'b', status: 'pending' }] },
    },
    { name: 'takes what changed files', event: { type: 'changes-listed', messageIds: ['u'], toolUseIds: ['t', 't'], undoneToolUseIds: ['o', 'r'], redoableToolUseIds: ['r'] }, changes: { changed: { messageIds: new Set(['u']), toolUseIds: new Set(['t']), undone: new Set(['o', 'r']), redoable: new Set(['r']) } } },
    { name: 'takes the status', event: { type: 'status-changed', status }, changes: { status } },
    { name: 'takes the list of sessions', event: { type: 'sessions-listed', sessions: [] }, changes: { sessions: [] } },
    { name: 'counts requests for the caret', event: { type: 'focus-composer' }, changes: { focusRequests: 1 } },
  ];
  for (const { name, event, changes } of table) {
    it(name, () => assert.deepEqual(reduce(full, event), { ...full, ...changes }));
  }

  it('starts anew for another session, but keeps what belongs to the panel', () => {
    const before = { ...full, status, sessions: [], focusRequests: 3, todos: [{ content: 'a', activeForm: 'b', status: 'pending' as const }] };
    assert.deepEqual(reduce(before, { type: 'session-opened', sessionId: 's2', title: 'Other', draft: 'typed', readOnly: true }), {
      ...initialState, sessionId: 's2', title: 'Other', openedDraft: 'typed', openings: 1, readOnly: true, status, sessions: [], focusRequests: 3,
    });
  });

  it('returns the same state when nothing changed', () => {
    const nothing: readonly ChatEvent[] = [
      { type: 'text-appended', id: 'unknown', text: 'x' },
      { type: 'text-appended', id: 'u', text: 'x' },
      { type: 'turn-changed', running: true },
    ];
    for (const event of nothing) assert.equal(reduce(full, event), full);
  });

  it('keeps the identity of items that an event does not concern, and changes nothing in place', () => {
    const next = reduce(Object.freeze({ ...full, items: Object.freeze([...full.items]) }), { type: 'text-appended', id: 'a', text: 'lo' });
    assert.deepEqual(next.items.map((item, index) => item === full.items[index]), [true, false, true, true]);
  });

  it('keeps the end of an output that grows for ever, from a line start', () => {
    let state: PanelState = { ...initialState, items: [tool] };
    for (let line = 0; line < 60_000; line++) state = reduce(state, { type: 'text-appended', id: 't', text: `line ${line}\n` });
    const [item] = state.items;
    assert.ok(item?.kind === 'tool');
    assert.ok(item.output.length <= 200_000, `${item.output.length} characters`);
    assert.match(item.output, /^line \d+\n/);
    assert.ok(item.output.endsWith('line 59999\n'));
  });

  it('throws for an event that it does not know', () => {
    assert.throws(() => reduce(full, { type: 'unheard-of' } as never), /Unexpected event/);
  });
});
