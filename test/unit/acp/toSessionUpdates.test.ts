import assert from 'node:assert/strict';
import { announceCall, historyToUpdates, newUpdateState, toSessionUpdates } from '../../../src/acp/toSessionUpdates.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { RawStreamEvent, SDKAssistantMessage, SDKMessage, SDKUserMessage, ToolUseResult } from '../../../src/protocol/messages.ts';
import { textOfUpdates } from './acpClient.ts';

describe('toSessionUpdates', () => {
  it('says that calls and texts which are withdrawn do not count, whatever had come of them', () => {
    const state = newUpdateState('/work');
    toSessionUpdates(state, assistant('a1', { type: 'text', text: 'I look.' }, { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: 'a.ts' } }));
    const updates = toSessionUpdates(state, { type: 'tombstone', message_uuids: ['a1'], ...ids });
    assert.deepEqual(updates.map((update) => [update.sessionUpdate, 'status' in update ? update.status : undefined]), [['tool_call_update', 'failed'], ['agent_message_chunk', undefined]]);
    assert.match(textOfUpdates(updates), /does not count/);
    assert.deepEqual(toSessionUpdates(state, result('c1', 'late')), []);
  });

  it('sends what was streamed once, and the rest of a text that streamed in part', () => {
    const state = newUpdateState('/work');
    const all = [event({ type: 'message_start', message: { id: 'm' } }), event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One ' } }), assistant('a1', { type: 'text', text: 'One two' })];
    assert.equal(textOfUpdates(all.flatMap((message) => toSessionUpdates(state, message))), 'One two');
    assert.deepEqual(toSessionUpdates(state, event({ type: 'message_start', message: { id: 'n' } })), []);
  });

  it('tells of a sub-agent only what the user was asked about', () => {
    const state = newUpdateState('/work');
    const inner = { ...assistant('a1', { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } }), parent_tool_use_id: 'task' };
    assert.deepEqual(toSessionUpdates(state, inner), []);
    assert.equal(announceCall(state, { id: 'c1', name: 'Bash', input: { command: 'ls' } }).length, 1);
    const [done] = toSessionUpdates(state, { ...result('c1', 'a.ts'), parent_tool_use_id: 'task' });
    assert.deepEqual(done, { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: '```\na.ts\n```' } }] });
    assert.deepEqual(toSessionUpdates(state, { ...result('c2', 'unasked'), parent_tool_use_id: 'task' }), []);
  });

  it('shows a change hunk by hunk, with its places, and a new file as new', () => {
    const diff = '@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n@@ -90 +90,2 @@\n-x\n+y\n+@@ z\n… 3 more lines';
    assert.deepEqual(changeOf('modify', diff), {
      content: [
        { type: 'diff', path: '/work/a.ts', oldText: 'one\ntwo\n', newText: 'one\nTWO\n' },
        { type: 'diff', path: '/work/a.ts', oldText: 'x\n', newText: 'y\n@@ z\n' },
        { type: 'content', content: { type: 'text', text: '… 3 more lines' } },
      ],
      locations: [{ path: '/work/a.ts', line: 1 }, { path: '/work/a.ts', line: 90 }],
    });
    assert.deepEqual(changeOf('create', '@@ -0,0 +1 @@\n+new').content, [{ type: 'diff', path: '/work/a.ts', oldText: null, newText: 'new\n' }]);
  });

  it('ends a call of an old session that never got a result, and passes over what we said ourselves', () => {
    const meta: SDKUserMessage = { type: 'user', message: { role: 'user', content: 'The date is …' }, isMeta: true, parent_tool_use_id: null, ...ids };
    const updates = historyToUpdates(newUpdateState('/work'), [meta, assistant('a1', { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } })]);
    assert.deepEqual(updates.map((update) => ('status' in update ? update.status : update.sessionUpdate)), ['in_progress', 'failed']);
  });
});

const ids = { uuid: 'u', session_id: 's' };

function assistant(uuid: string, ...content: ContentBlock[]): SDKAssistantMessage {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'x', content, stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } as const;
  return { type: 'assistant', uuid, session_id: 's', parent_tool_use_id: null, message };
}

function event(raw: RawStreamEvent): SDKMessage {
  return { type: 'stream_event', event: raw, parent_tool_use_id: null, ...ids };
}

function result(id: string, text: string, view?: ToolUseResult): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] }, parent_tool_use_id: null, tool_use_result: view, ...ids };
}

function changeOf(kind: 'create' | 'modify', diff: string): { readonly content: unknown; readonly locations: unknown } {
  const state = newUpdateState('/work');
  announceCall(state, { id: 'c1', name: 'Edit', input: {} });
  const [update] = toSessionUpdates(state, result('c1', 'Changed.', { kind: 'edit', change: { path: '/work/a.ts', kind, linesAdded: 1, linesRemoved: 1, diff } }));
  assert.equal(update?.sessionUpdate, 'tool_call_update');
  return update?.sessionUpdate === 'tool_call_update' ? { content: update.content, locations: update.locations } : { content: undefined, locations: undefined };
}
