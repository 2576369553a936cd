import type { ApprovalView } from '../../protocol/chatView.ts';
import type { PendingPermission } from '../../sdk/index.ts';
import type { DescribeTool } from '../toolItems.ts';
import { approvalView } from './approvalView.ts';

const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** The card for a call that was being asked about when the session ended. Nothing runs while it is shown. */
export function leftOpenView({ toolName, toolUseId, input }: PendingPermission, describe: DescribeTool): ApprovalView {
  const { title } = describe(toolName, input);
  const reason = 'This was waiting for your decision when the session ended. Say something else, and it counts as not decided.';
  const view = approvalView({ toolName, toolUseId, input, title, reason });
  return { ...view, ...(editTools.has(toolName) && { kind: 'edit', title: `${toolName} ${title}`, detail: title }), isLeftOpen: true };
}
