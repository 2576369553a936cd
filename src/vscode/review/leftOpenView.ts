import * as vscode from 'vscode';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { PendingFile, PendingPermission } from '../../sdk/index.ts';
import type { DescribeTool } from '../toolItems.ts';
import { approvalView } from './approvalView.ts';

const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

const words: Readonly<Record<PendingFile['state'], string>> = { current: '', new: ' (new file)', changed: ' (out of date: the file has changed since)', gone: ' (out of date: the file is gone)' };

/** The card for calls that were being asked about when the session ended; `files`: how theirs stand, once that is known. Nothing runs while it is shown. */
export function leftOpenView(pending: PendingPermission, files: readonly PendingFile[], describe: DescribeTool): ApprovalView {
  const { toolName, toolUseId, input, waiting } = pending;
  const { title } = describe(toolName, input);
  const reason = 'This was waiting for your decision when the session ended. Say something else, and it counts as not decided.';
  const view = approvalView({ toolName, toolUseId, input, title, reason });
  if (!editTools.has(toolName)) return { ...view, isLeftOpen: true };
  const titles = new Set(waiting.filter((call) => editTools.has(call.toolName)).map((call) => describe(call.toolName, call.input).title));
  const looked = files.map(({ path, state }) => `${vscode.workspace.asRelativePath(path)}${words[state]}`);
  const lines = looked.length > 0 ? looked : [...titles];
  return { ...view, kind: 'edit', title: lines.length > 1 ? `Change ${lines.length} files` : `${toolName} ${title}`, detail: lines.join('\n'), isLeftOpen: true };
}
