import * as vscode from 'vscode';
import { errorText } from '../base/errors.ts';
import type { ChatEvent, ChatItem } from '../protocol/chatView.ts';
import type { AgentChange } from '../protocol/rewind.ts';
import type { Session } from '../sdk/index.ts';
import { historyToChatEvents } from './toChatEvents.ts';
import type { ChatState } from './toChatEvents.ts';

/** A session as it is when it is opened: everything said so far, and what had to be repaired. */
export function openedEvents(session: Session, chat: ChatState, draft: string): ChatEvent[] {
  const notices = session.notices.map((text, index): ChatItem => ({ kind: 'notice', id: `opened-${index}`, level: 'warning', text }));
  return [
    { type: 'session-opened', sessionId: session.sessionId, title: session.title, draft, readOnly: session.isReadOnly, ...(session.isForeign && { isForeign: true }) },
    ...historyToChatEvents(chat, session.shownMessages, session.pendingPermission?.toolUseId),
    ...(notices.length > 0 ? [{ type: 'items-put', items: notices } as const] : []),
    { type: 'todos-changed', todos: session.todos },
    changesEvent(session),
  ];
}

/** What can be undone one by one. */
export function changesEvent(session: Pick<Session, 'changes'>): ChatEvent {
  const changes = session.changes();
  const present = changes.filter(({ isUndone }) => !isUndone);
  const callsOf = (some: readonly AgentChange[]): string[] => [...new Set(some.flatMap(({ toolUseId }) => toolUseId ?? []))];
  return { type: 'changes-listed', messageIds: [...new Set(present.map(({ messageId }) => messageId))], toolUseIds: callsOf(present), undoneToolUseIds: callsOf(changes.filter(({ isUndone }) => isUndone)), redoableToolUseIds: callsOf(changes.filter(({ canRedo }) => canRedo === true)) };
}

export async function mayStopTurn(): Promise<boolean> {
  const stop = 'Stop It';
  const detail = 'What has been said and done so far is kept in its session.';
  return (await vscode.window.showWarningMessage('A turn is still running. Stop it?', { modal: true, detail }, stop)) === stop;
}

export function notOpened(resume: string | undefined, error: unknown): ChatItem {
  const text = resume === undefined ? errorText(error) : `The session could not be opened: ${errorText(error)} Its file was left as it is.`;
  return { kind: 'notice', id: `not-opened-${resume ?? 'new'}`, level: 'error', text, action: 'open-log' };
}
