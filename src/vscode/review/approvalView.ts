import * as vscode from 'vscode';
import { cutText } from '../../base/text.ts';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { PermissionRequest } from '../../protocol/permissions.ts';

const outdated = 'The file has changed since this was proposed. Accepting writes nothing: the model reads the file again.';

/** UTF-16 units; a post to the panel has a limit, and nobody reads further in a card. */
const maxPlanLength = 20_000;

/** The card for a call that waits. */
export function approvalView(request: PermissionRequest, isOutdated: boolean): ApprovalView {
  const { toolUseId, toolName, title, input, proposal } = request;
  const reason = isOutdated ? outdated : request.reason;
  if (proposal) {
    const verb = proposal.before === undefined ? 'Create' : 'Edit';
    return { id: toolUseId, kind: 'edit', title: `${verb} ${title}`, detail: vscode.workspace.asRelativePath(proposal.path), reason };
  }
  if (typeof input['command'] === 'string') {
    return { id: toolUseId, kind: 'command', title: 'Run a command', detail: input['command'], reason };
  }
  if (toolName === 'ExitPlanMode' && typeof input['plan'] === 'string') {
    return { id: toolUseId, kind: 'plan', title: 'The plan', detail: cutText(input['plan'], maxPlanLength), reason };
  }
  return { id: toolUseId, kind: 'other', title: `${toolName} ${title}`, detail: JSON.stringify(input, undefined, 2), reason };
}
