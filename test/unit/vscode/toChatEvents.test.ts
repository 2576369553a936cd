import assert from 'node:assert/strict';
import type { HunkVerdict } from '../../../src/protocol/fileChange.ts';
import type { ChatEvent, ChatItem } from '../../../src/protocol/chatView.ts';
import type { ContentBlock } from '../../../src/protocol/contentBlocks.ts';
import type { SDKMessage, SDKResultMessage, SDKUserMessage, SessionMessage } from '../../../src/protocol/messages.ts';
import { ChatLog } from '../../../src/vscode/chatLog.ts';
import { historyToChatEvents, newChatState, toChatEvents } from '../../../src/vscode/toChatEvents.ts';
import { interruptUnfinished, setToolStatus } from '../../../src/vscode/toolItems.ts';

const describeTool = (name: string, input: { readonly [field: string]: unknown }) => ({ title: `${name} ${String(input['file_path'] ?? input['command'] ?? '')}` });
const base = { session_id: 's', parent_tool_use_id: null };

function stream(event: { readonly type: string; readonly [field: string]: unknown }): SDKMessage {
  return { ...base, type: 'stream_event', uuid: 'e', event };
}

function assistant(uuid: string, ...content: ContentBlock[]): SDKMessage & SessionMessage {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } as const;
  return { ...base, type: 'assistant', uuid, message: { ...message } };
}

function toolResult(id: string, content: string, more: Partial<SDKUserMessage> & { readonly isError?: boolean } = {}): SDKUserMessage {
  const { isError, ...rest } = more;
  return { ...base, type: 'user', uuid: `r-${id}`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }] }, ...rest };
}

const bash = (id: string, command: string): ContentBlock => ({ type: 'tool_use', id, name: 'Bash', input: { command } });

/** What a panel shows after these messages. */
function shown(messages: readonly SDKMessage[], state = newChatState(describeTool)): ChatItem[] {
  return itemsOf(messages.flatMap((message) => toChatEvents(state, message)));
}

function itemsOf(events: readonly ChatEvent[]): ChatItem[] {
  const log = new ChatLog();
  log.apply(events);
  return log.snapshot().flatMap((event) => (event.type === 'items-put' ? event.items : []));
}

const streamedText: readonly SDKMessage[] = [
  stream({ type: 'message_start', message: { id: 'msg_1' } }),
  stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }),
];

describe('toChatEvents', () => {
  it('shows text as it comes, then as it is, in the same place', () => {
    const state = newChatState(describeTool);
    const events = streamedText.flatMap((message) => toChatEvents(state, message));
    assert.deepEqual(events, [
      { type: 'items-put', items: [{ kind: 'text', id: 'msg_1:0', markdown: 'Hel', streaming: true }] },
      { type: 'text-appended', id: 'msg_1:0', text: 'lo' },
    ]);
    assert.deepEqual(toChatEvents(state, assistant('a', { type: 'text', text: 'Hello' })), [
      { type: 'items-put', items: [{ kind: 'text', id: 'msg_1:0', markdown: 'Hello', streaming: false }] },
    ]);
  });

  it('gives an item the same id live and after a reload', () => {
    const messages = [assistant('a', { type: 'thinking', thinking: 'hm', signature: 'x' }), assistant('b', { type: 'text', text: 'Hello' })];
    const live = shown([...streamedText.slice(0, 1), ...messages]);
    const reloaded = itemsOf(historyToChatEvents(newChatState(describeTool), messages));
    assert.deepEqual(live.map((item) => item.id), ['msg_1:0', 'msg_1:1']);
    assert.deepEqual(reloaded, live);
  });

  it('takes streamed text back when its attempt failed', () => {
    assert.deepEqual(shown([...streamedText, { type: 'tombstone', uuid: 't', session_id: 's', message_uuids: [] }]), []);
  });

  it('takes back completed messages that are withdrawn, and nothing else', () => {
    const items = shown([
      assistant('a', { type: 'text', text: 'first' }),
      assistant('b', { type: 'text', text: 'second' }),
      { type: 'tombstone', uuid: 't', session_id: 's', message_uuids: ['b'] },
    ]);
    assert.deepEqual(items.map((item) => item.kind === 'text' && item.markdown), ['first']);
  });

  it('follows a tool call from its name to its exit code', () => {
    const state = newChatState(describeTool);
    const last = (events: ChatEvent[]): unknown => events.map((event) => (event.type === 'items-put' ? event.items.map((item) => item.kind === 'tool' && [item.status, item.title, item.output, item.exitCode]) : event));
    toChatEvents(state, stream({ type: 'message_start', message: { id: 'msg_1' } }));
    const begun = toChatEvents(state, stream({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 'Bash', input: {} } }));
    const complete = toChatEvents(state, assistant('a', bash('c1', 'npm test')));
    const waiting = setToolStatus(state, 'c1', 'waiting');
    const output = toChatEvents(state, { ...base, type: 'progress', uuid: 'p', tool_use_id: 'c1', data: { kind: 'output', stream: 'stdout', text: '1 passed\n' } });
    const done = toChatEvents(state, toolResult('c1', 'for the model', { tool_use_result: { kind: 'shell', output: '1 passed\n', exitCode: 0, interrupted: false, durationMs: 5 } }));
    assert.deepEqual([begun, complete, waiting, output, done].map(last), [
      [[['pending', '', '', undefined]]],
      [[['running', 'Bash npm test', '', undefined]]],
      [[['waiting', 'Bash npm test', '', undefined]]],
      [{ type: 'text-appended', id: 'c1', text: '1 passed\n' }],
      [[['done', 'Bash npm test', '1 passed\n', 0]]],
    ]);
  });

  it('tells refused, interrupted and failed calls apart, also in an old session', () => {
    const texts = ['The user rejected this. Nothing was changed. They say: no', 'The user interrupted before this was decided or finished.', 'No such file.'];
    const messages = texts.flatMap((text, index) => [assistant(`a${index}`, bash(`c${index}`, 'x')), toolResult(`c${index}`, text, { isError: true })]);
    const items = itemsOf(historyToChatEvents(newChatState(describeTool), messages));
    assert.deepEqual(items.map((item) => item.kind === 'tool' && item.status), ['rejected', 'interrupted', 'failed']);
  });

  it('shows a call without a result in an old session as interrupted', () => {
    const items = itemsOf(historyToChatEvents(newChatState(describeTool), [assistant('a', bash('c1', 'sleep 9'))]));
    assert.deepEqual(items.map((item) => item.kind === 'tool' && item.status), ['interrupted']);
  });

  it('marks an edit that the user changed, with what was really written', () => {
    const change = { path: '/w/a.ts', kind: 'modify', linesAdded: 1, linesRemoved: 2, diff: '@@', userDiff: '@@ u' } as const;
    const edit: ContentBlock = { type: 'tool_use', id: 'c1', name: 'Edit', input: { file_path: '/w/a.ts' } };
    const items = shown([assistant('a', edit), toolResult('c1', 'ok', { tool_use_result: { kind: 'edit', change } })]);
    assert.deepEqual(items, [{
      kind: 'tool', id: 'c1', tool: 'Edit', title: 'Edit /w/a.ts', path: '/w/a.ts', status: 'done', output: '', diff: '@@', linesAdded: 1, linesRemoved: 2, editedByUser: true,
    }]);
  });

  it('tells what the user decided about the parts of a proposal', () => {
    const hunk = (firstLine: number, verdict: HunkVerdict['verdict'], reason?: string): HunkVerdict => ({ firstLine, lineCount: 1, verdict, ...(reason !== undefined && { reason }) });
    const verdictsOf = (hunks: readonly HunkVerdict[]): unknown => {
      const change = { path: '/w/a.ts', kind: 'modify', linesAdded: 1, linesRemoved: 2, diff: '@@', userDiff: '@@ u', hunks } as const;
      const edit: ContentBlock = { type: 'tool_use', id: 'c1', name: 'Edit', input: { file_path: '/w/a.ts' } };
      const [item] = shown([assistant('a', edit), toolResult('c1', 'ok', { tool_use_result: { kind: 'edit', change } })]);
      return item?.kind === 'tool' ? [item.verdicts, item.editedByUser] : item;
    };
    assert.deepEqual(verdictsOf([hunk(1, 'accepted'), hunk(4, 'rejected', 'four is unlucky'), hunk(7, 'accepted')]), ['2 of 3 changes accepted, 1 rejected: four is unlucky', false]);
    assert.deepEqual(verdictsOf([hunk(1, 'accepted'), hunk(4, 'edited')]), ['1 of 2 changes accepted, 1 edited by you', true]);
    assert.deepEqual(verdictsOf([hunk(1, 'edited')]), [undefined, true]);
  });

  it('says in words for people what was not done, also of old sessions', () => {
    const texts = {
      'The user rejected this. Nothing was changed. They say: not now': 'You rejected this: not now',
      'The user rejected this. Nothing was changed. Ask what they want instead, or go on without it.': 'You rejected this. Nothing was changed.',
      'Not run: the user rejected an earlier call of the same message.': 'Not done, because you rejected something before it in the same answer.',
      'Plan mode: nothing is run and nothing is changed. Present the plan with ExitPlanMode instead.': 'Not done: in the mode Plan nothing is run and nothing is changed.',
      'Rule Bash(rm:*) forbids it. Nothing was read, run or changed. Go on without it, or ask the user.': 'Rule Bash(rm:*) forbids it. Nothing was read, run or changed.',
      'exit code 1': 'exit code 1',
    };
    for (const [said, told] of Object.entries(texts)) {
      const [item] = shown([assistant('a', bash('c1', 'x')), toolResult('c1', said, { isError: true })]);
      assert.equal(item?.kind === 'tool' && item.output, told);
    }
  });

  it('shows all files of a call that changed several, each under its name', () => {
    const change = (path: string) => ({ path, kind: 'modify', linesAdded: 1, linesRemoved: 2, diff: `@@ ${path}` }) as const;
    const call: ContentBlock = { type: 'tool_use', id: 'c1', name: 'Rename', input: {} };
    const [item] = shown([assistant('a', call), toolResult('c1', 'ok', { tool_use_result: { kind: 'edits', changes: [change('/w/a.ts'), change('/w/b.ts')] } })]);
    assert.ok(item?.kind === 'tool');
    assert.deepEqual([item.status, item.diff, item.linesAdded, item.linesRemoved, item.output], ['done', 'diff Edit /w/a.ts\n@@ /w/a.ts\ndiff Edit /w/b.ts\n@@ /w/b.ts\n', 2, 4, '']);
  });

  it('shows what nobody was asked about as refused, with the reason', () => {
    const [item] = shown([assistant('a', bash('c1', 'rm x')), toolResult('c1', 'A rule denies this: Bash(rm:*).', { isError: true, tool_use_result: { kind: 'refused' } })]);
    assert.ok(item?.kind === 'tool');
    assert.deepEqual([item.status, item.output], ['refused', 'A rule denies this: Bash(rm:*).']);
  });

  it('shows what the API runs itself, with what it found, once, also after a reload', () => {
    const search: ContentBlock = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const found: ContentBlock = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: 'zzz' }, { type: 'web_search_result', url: 'https://b.example/' }] };
    const failed: ContentBlock = { type: 'web_search_tool_result', tool_use_id: 's2', content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } };
    const messages = [assistant('a', search), assistant('b', found), assistant('c', { ...search, id: 's2' }), assistant('d', failed), assistant('e', { ...search, id: 's3' })];
    const live = [stream({ type: 'message_start', message: { id: 'msg_1' } }), stream({ type: 'content_block_start', index: 0, content_block: { ...search, input: {} } }), ...messages];
    const facts = (items: readonly ChatItem[]) => items.map((item) => (item.kind === 'tool' ? [item.tool, item.status, item.output] : item.kind));
    const expected = [['WebSearch', 'done', 'A — https://a.example/\nhttps://b.example/'], ['WebSearch', 'failed', 'It failed: max uses exceeded.']];
    assert.deepEqual(facts(shown(live)), [...expected, ['WebSearch', 'running', '']]);
    assert.deepEqual(facts(itemsOf(historyToChatEvents(newChatState(describeTool), messages))), [...expected, ['WebSearch', 'interrupted', '']]);
  });

  it('shows what people said, not what we said in their name, and nothing of sub-agents', () => {
    const user = (uuid: string, more: Partial<SDKUserMessage>): SDKMessage => ({ ...base, type: 'user', uuid, message: { role: 'user', content: uuid }, timestamp: 'T', ...more });
    const items = shown([user('hello', {}), user('note', { isMeta: true }), user('nested', { parent_tool_use_id: 'c' })]);
    assert.deepEqual(items, [{ kind: 'user', id: 'hello', text: 'hello', timestamp: 'T' }]);
  });

  it('says of a turn of the demo that nobody is billed', () => {
    const of = (uuid: string, usd: number, ...models: readonly string[]): SDKMessage => ({
      type: 'result', uuid, session_id: 's', subtype: 'success', is_error: false, duration_ms: 1, duration_api_ms: 1, num_turns: 1, total_cost_usd: 0.03, turn_cost_usd: usd, turn_models: models,
      usage: { input_tokens: 10, output_tokens: 5 }, permission_denials: [], stop_reason: 'end_turn', errors: [], modelUsage: {},
    });
    const items = shown([of('demo', 0.01, 'turnstone-demo'), of('real', 0.02, 'claude-opus-5-5')]);
    assert.deepEqual(items.map((item) => item.kind === 'turn' && [item.id, item.costUsd, item.isPretend]), [['demo', 0.01, true], ['real', 0.02, undefined]]);
  });

  it('closes a turn with what this turn has cost', () => {
    const result: SDKResultMessage = {
      type: 'result', uuid: 'r', session_id: 's', subtype: 'success', is_error: false, duration_ms: 1200, duration_api_ms: 1000, num_turns: 1, total_cost_usd: 0.75, turn_cost_usd: 0.25, turn_models: ['m'],
      usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 }, modelUsage: {}, permission_denials: [], stop_reason: 'end_turn', errors: [],
    };
    const failed = { ...result, total_cost_usd: null, turn_cost_usd: null, subtype: 'error_during_execution', is_error: true } as const;
    const items = shown([result, { ...failed, uuid: 'r2', errors: ['It broke.'] }, { ...failed, uuid: 'r3', errors: ['Interrupted. Last message: user.'] }]);
    assert.deepEqual(items, [
      { kind: 'turn', id: 'r', ok: true, error: undefined, costUsd: 0.25, durationMs: 1200, inputTokens: 110, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 0 },
      { kind: 'turn', id: 'r2', ok: false, error: 'It broke.', costUsd: null, durationMs: 1200, inputTokens: 110, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 0 },
      // The user's own doing is no error.
      { kind: 'turn', id: 'r3', ok: false, error: undefined, costUsd: null, durationMs: 1200, inputTokens: 110, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 0 },
    ]);
  });

  it('leaves a call that was asked about waiting, together with those behind it, until it is passed over', () => {
    const state = newChatState(describeTool);
    const statuses = (items: readonly ChatItem[]) => items.map((item) => item.kind === 'tool' && item.status);
    const calls = [assistant('a', bash('c1', 'x')), assistant('b', bash('c2', 'y'))];
    assert.deepEqual(statuses(itemsOf(historyToChatEvents(state, calls, 'c1'))), ['waiting', 'waiting']);
    assert.deepEqual(statuses(itemsOf(toChatEvents(state, toolResult('c1', 'ok')))), ['done']);
    assert.deepEqual(statuses(itemsOf(interruptUnfinished(state))), ['interrupted']);
    const later = [...calls, toolResult('c1', 'Not decided: the session ended while the user was being asked.', { isError: true })];
    assert.deepEqual(statuses(itemsOf(historyToChatEvents(newChatState(describeTool), later))), ['interrupted', 'interrupted']);
  });

  it('adds no line of cost to a command that was answered without a request', () => {
    const result: SDKResultMessage = {
      type: 'result', uuid: 'r', session_id: 's', subtype: 'success', is_error: false, duration_ms: 1, duration_api_ms: 0, num_turns: 0, total_cost_usd: 0.5, turn_cost_usd: 0, turn_models: [],
      usage: { input_tokens: 0, output_tokens: 0 }, modelUsage: {}, permission_denials: [], stop_reason: 'end_turn', errors: [],
    };
    assert.deepEqual(shown([result]), []);
    assert.equal(shown([{ ...result, turn_cost_usd: 0.1 }]).length, 1, 'a summary has its price');
  });

  it('says quietly where older messages were summarised, and asks before a long wait', () => {
    const boundary: SDKMessage = { type: 'system', subtype: 'compact_boundary', uuid: 'b', session_id: 's', compact_metadata: { trigger: 'auto', pre_tokens: 9 } };
    assert.deepEqual(shown([boundary]), [{ kind: 'notice', id: 'b', level: 'info', text: 'Earlier conversation summarised for the model; all of it is kept in the session.' }]);
    const retry: SDKMessage = { type: 'system', subtype: 'api_retry', uuid: 'x', session_id: 's', attempt: 1, max_retries: 10, retry_delay_ms: 900_000, error_status: 429, error: 'Limit', needs_confirmation: true };
    const [event] = toChatEvents(newChatState(describeTool), retry);
    assert.equal(event?.type === 'retry-changed' && event.retry?.needsConfirmation, true);
  });

  it('counts the images of a message instead of showing them again', () => {
    const content: ContentBlock[] = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }];
    const items = shown([{ ...base, type: 'user', uuid: 'u', message: { role: 'user', content }, timestamp: 'T' }]);
    assert.deepEqual(items, [{ kind: 'user', id: 'u', text: '', timestamp: 'T', imageCount: 1 }]);
  });

  it('offers to set a key where the key was the problem, else to try again', () => {
    const error = (text: string): SDKMessage => ({ ...assistant(text, { type: 'text', text }), isApiErrorMessage: true }) as SDKMessage;
    const items = shown([error('The API key was refused (401).'), error('The model is overloaded.')]);
    assert.deepEqual(items.map((item) => item.kind === 'notice' && item.action), ['set-api-key', 'retry']);
  });

  it('ends the countdown with the first sign of life', () => {
    const state = newChatState(describeTool);
    const retry: SDKMessage = { type: 'system', subtype: 'api_retry', uuid: 'x', session_id: 's', attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: 529, error: 'Overloaded' };
    assert.equal(toChatEvents(state, retry)[0]?.type, 'retry-changed');
    assert.deepEqual(toChatEvents(state, streamedText[0]!), [{ type: 'retry-changed', retry: null }]);
    assert.deepEqual(toChatEvents(state, streamedText[1]!), []);
  });
});
