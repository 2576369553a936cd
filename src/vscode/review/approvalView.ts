import { cutText } from '../../base/text.ts';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { PermissionRequest } from '../../protocol/permissions.ts';

/** UTF-16 units; a post to the panel has a limit, and nobody reads further in a card. */
const maxPlanLength = 20_000;

/** The card for a call that waits and has no proposal to look at. */
export function approvalView(request: PermissionRequest): ApprovalView {
  const { toolUseId, toolName, title, input, reason } = request;
  if (typeof input['command'] === 'string') {
    return { id: toolUseId, kind: 'command', title: 'Run a command', detail: input['command'], reason };
  }
  if (toolName === 'ExitPlanMode' && typeof input['plan'] === 'string') {
    return { id: toolUseId, kind: 'plan', title: 'The plan', detail: cutText(input['plan'], maxPlanLength), reason };
  }
  return { id: toolUseId, kind: 'other', title: `${toolName} ${title}`, detail: JSON.stringify(input, undefined, 2), reason };
}
