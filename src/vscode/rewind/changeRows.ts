import { toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { ToolUseBlock } from '../../protocol/contentBlocks.ts';
import type { AgentChange, UndoSelection } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import type { DescribeTool } from '../toolItems.ts';
import { oneLine } from './rewindPicks.ts';

export interface ChangeRow {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: UndoSelection;
  readonly isHeading: boolean;
}

export interface ChangeRowsOptions {
  readonly describe: DescribeTool;
  readonly openFile: string | undefined;
  /** Shortens a path. */
  readonly name: (path: string) => string;
}

/** What can be undone: the open file's changes, then by message, newest first, each with its calls. */
export function changeRows(session: Pick<Session, 'changes' | 'rewindTargets' | 'messages'>, { describe, openFile, name }: ChangeRowsOptions): ChangeRow[] {
  const changes = session.changes().filter(({ isUndone }) => !isUndone);
  const prompts = new Map(session.rewindTargets().map(({ messageId, text }) => [messageId, oneLine(text)]));
  const calls = new Map(session.messages.flatMap((message) => (message.type === 'assistant' ? toolUsesOf(message.message.content).map((call) => [call.id, call] as const) : [])));
  const rows: ChangeRow[] = [];
  if (openFile !== undefined && changes.some(({ paths }) => paths.includes(openFile))) {
    rows.push({ label: `All changes to ${name(openFile)}`, description: 'the file in the editor', value: { path: openFile }, isHeading: false });
  }
  for (const [messageId, own] of byMessage(changes)) {
    const paths = new Set(own.flatMap((change) => change.paths));
    rows.push({ label: prompts.get(messageId) ?? 'A message that is no longer part of the conversation', value: {}, isHeading: true });
    rows.push({ label: 'All changes of this message', detail: [...paths].map(name).join(', '), value: { messageId }, isHeading: false });
    for (const change of own) {
      if (change.toolUseId !== undefined && own.length > 1) rows.push(callRow(change, calls.get(change.toolUseId), { describe, name }));
    }
  }
  return rows;
}

function callRow({ toolUseId, paths }: AgentChange, call: ToolUseBlock | undefined, { describe, name }: Pick<ChangeRowsOptions, 'describe' | 'name'>): ChangeRow {
  const what = call ? `${call.name} ${describe(call.name, call.input).title}` : 'A call';
  return { label: what, detail: paths.map(name).join(', '), value: { toolUseId }, isHeading: false };
}

function byMessage(changes: readonly AgentChange[]): Map<string, AgentChange[]> {
  const messages = new Map<string, AgentChange[]>();
  for (const change of changes) messages.set(change.messageId, [...(messages.get(change.messageId) ?? []), change]);
  return messages;
}
