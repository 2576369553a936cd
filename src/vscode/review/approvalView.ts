import { mcpToolParts } from '../../base/mcpToolParts.ts';
import { cutText } from '../../base/text.ts';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { PermissionRequest } from '../../protocol/permissions.ts';

/** UTF-16 units; a post to the panel has a limit, and nobody reads further in a card. */
const maxDetailLength = 20_000;

/** The card for a call that waits and has no proposal to look at. */
export function approvalView(request: PermissionRequest): ApprovalView {
  const { toolUseId, toolName, title, input, reason } = request;
  if (typeof input['command'] === 'string') {
    return { id: toolUseId, kind: 'command', title: 'Run a command', detail: input['command'], reason };
  }
  if (toolName === 'ExitPlanMode' && typeof input['plan'] === 'string') {
    return { id: toolUseId, kind: 'plan', title: 'The plan', detail: cutText(input['plan'], maxDetailLength), reason };
  }
  const foreign = mcpToolParts(toolName);
  if (foreign) return { id: toolUseId, kind: 'other', title: `Use “${foreign.tool}” of the MCP server “${foreign.server}”`, detail: inputText(input), reason };
  return { id: toolUseId, kind: 'other', title: `${toolName} ${title}`, detail: JSON.stringify(input, undefined, 2), reason };
}

/** Field by field, texts as they are: what is in them is what has to be judged. */
function inputText(input: PermissionRequest['input']): string {
  const fields = Object.entries(input).map(([name, value]) => `${name}: ${typeof value === 'string' ? indented(value) : JSON.stringify(value)}`);
  const text = fields.join('\n') || '(without any input)';
  const shown = cutText(text, maxDetailLength);
  return shown.length < text.length ? `${shown}\n… and ${text.length - shown.length} characters more` : shown;
}

function indented(text: string): string {
  return text.includes('\n') ? `\n${text.replace(/^/gm, '  ')}` : text;
}
