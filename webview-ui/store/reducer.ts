import { assertNever } from '../../src/base/assertNever.ts';
import { cutTextStart } from '../../src/base/text.ts';
import type { ChatEvent, ChatItem } from '../../src/protocol/chatView.ts';
import { initialState } from './panelState.ts';
import type { PanelState } from './panelState.ts';

/** Pure: the next state after one event. Returns the same object when nothing changed; unchanged items keep their identity. */
export function reduce(state: PanelState, event: ChatEvent): PanelState {
  switch (event.type) {
    case 'session-opened':
      return openSession(state, event);
    case 'title-changed':
      return { ...state, title: event.title };
    case 'items-put':
      return { ...state, items: putItems(state.items, event.items) };
    case 'items-removed':
      return { ...state, items: removeItems(state.items, event.ids) };
    case 'text-appended': {
      const items = appendText(state.items, event.id, event.text);
      return items === state.items ? state : { ...state, items };
    }
    case 'changes-listed':
      return { ...state, changed: { messageIds: new Set(event.messageIds), toolUseIds: new Set(event.toolUseIds), undone: new Set(event.undoneToolUseIds), redoable: new Set(event.redoableToolUseIds) } };
    case 'turn-changed':
      return state.running === event.running ? state : { ...state, running: event.running };
    case 'queue-changed':
      return { ...state, queue: event.prompts };
    case 'approvals-changed':
      return { ...state, approvals: event.approvals };
    case 'questions-changed':
      return { ...state, questions: event.questions };
    case 'completions-listed':
      return { ...state, completions: { request: event.request, rows: event.completions } };
    case 'prompt-returned':
      return { ...state, returned: { text: event.text, reason: event.reason, instead: event.instead } };
    case 'draft-withdrawn':
      return { ...state, withdrawn: { text: event.text } };
    case 'rule-checked':
      return { ...state, ruleCheck: { id: event.id, rule: event.rule, check: event.check } };
    case 'retry-changed':
      return { ...state, retry: event.retry };
    case 'todos-changed':
      return { ...state, todos: event.todos };
    case 'status-changed':
      return { ...state, status: event.status };
    case 'sessions-listed':
      return { ...state, sessions: event.isMore ? [...(state.sessions ?? []), ...event.sessions] : event.sessions };
    case 'sessions-found':
      return { ...state, found: addFound(state.found, event) };
    case 'focus-composer':
      return { ...state, focusRequests: state.focusRequests + 1 };
    default:
      return assertNever(event, 'event');
  }
}

function openSession(state: PanelState, event: Extract<ChatEvent, { type: 'session-opened' }>): PanelState {
  return {
    ...initialState,
    sessionId: event.sessionId,
    title: event.title,
    readOnly: event.readOnly,
    isForeign: event.isForeign === true,
    openedDraft: event.draft,
    openings: state.openings + 1,
    // These belong to the panel, not to the session that is left.
    status: state.status,
    sessions: state.sessions,
    found: state.found,
    completions: state.completions,
    focusRequests: state.focusRequests,
  };
}

/** A later search begins anew; what comes late of an earlier one is nobody's business any more. */
function addFound(found: PanelState['found'], { request, matches, isDone }: Extract<ChatEvent, { type: 'sessions-found' }>): PanelState['found'] {
  if (request < found.request) return found;
  return { request, matches: request === found.request ? [...found.matches, ...matches] : matches, isDone };
}

function putItems(items: readonly ChatItem[], changes: readonly ChatItem[]): readonly ChatItem[] {
  const next = [...items];
  const [only] = changes;
  if (only && changes.length === 1) {
    putOne(next, only, lastIndexOfId(next, only.id));
    return next;
  }
  const positions = new Map(next.map((item, index) => [item.id, index]));
  for (const change of changes) {
    positions.set(change.id, putOne(next, change, positions.get(change.id) ?? -1));
  }
  return next;
}

function putOne(target: ChatItem[], item: ChatItem, position: number): number {
  if (position < 0) return target.push(item) - 1;
  target[position] = item;
  return position;
}

function removeItems(items: readonly ChatItem[], ids: readonly string[]): readonly ChatItem[] {
  const gone = new Set(ids);
  return items.filter((item) => !gone.has(item.id));
}

function appendText(items: readonly ChatItem[], id: string, text: string): readonly ChatItem[] {
  const position = lastIndexOfId(items, id);
  const item = items[position];
  const grown = item && withMoreText(item, text);
  if (!grown) return items;
  const next = [...items];
  next[position] = grown;
  return next;
}

function withMoreText(item: ChatItem, text: string): ChatItem | undefined {
  switch (item.kind) {
    case 'text':
      return { ...item, markdown: item.markdown + text };
    case 'thinking':
      return { ...item, text: item.text + text };
    case 'tool':
      return { ...item, output: keepEnd(item.output + text) };
    case 'user':
    case 'notice':
    case 'turn':
      return undefined;
    default:
      return assertNever(item, 'item');
  }
}

/** Characters of output that the panel holds per tool call; a command that prints for hours must not fill the memory. */
const outputLimit = 200_000;
const outputKept = 100_000;

function keepEnd(output: string): string {
  if (output.length <= outputLimit) return output;
  const cut = output.indexOf('\n', output.length - outputKept);
  return cut < 0 ? cutTextStart(output, outputKept) : output.slice(cut + 1);
}

/** From the end, because what changes is nearly always among the last. */
function lastIndexOfId(items: readonly ChatItem[], id: string): number {
  for (let index = items.length - 1; index >= 0; index--) {
    if (items[index]?.id === id) return index;
  }
  return -1;
}
