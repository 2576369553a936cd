import type * as acp from '@agentclientprotocol/sdk';
import { resolvePath } from '../base/paths.ts';
import { shownOutput } from '../base/shownOutput.ts';
import { cutTextStart } from '../base/text.ts';
import { isBlock, textOf } from '../protocol/contentBlocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ToolUseResult } from '../protocol/messages.ts';
import type { PermissionRequest } from '../protocol/permissions.ts';
import { describeTool } from '../sdk/index.ts';
import { shownChange } from './diffContents.ts';
import { fenced } from './toPrompt.ts';

/** UTF-16 units of a running command's output that are sent with each piece of it: its end. */
const liveOutputLimit = 4_000;

const kinds: { readonly [tool: string]: acp.ToolKind | undefined } = {
  Read: 'read',
  Diagnostics: 'read',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Rename: 'edit',
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  Glob: 'search',
  Grep: 'search',
  Symbols: 'search',
  Definition: 'search',
  References: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  TodoWrite: 'think',
  Task: 'think',
  ExitPlanMode: 'switch_mode',
};

/** Tools whose results are no Markdown. */
const plainKinds: ReadonlySet<acp.ToolKind> = new Set(['read', 'execute', 'search']);

/** Pure. A call as it is announced, before it was planned or asked about. */
export function announcedCall({ id, name, input }: Pick<ToolUseBlock, 'id' | 'name' | 'input'>, cwd: string): acp.ToolCall {
  const { title, path } = describeTool(name, input);
  return {
    toolCallId: id,
    title: name === 'Bash' || title === name ? title : `${name} ${title}`,
    kind: kindOf(name),
    status: 'in_progress',
    rawInput: input,
    ...(path !== undefined && { locations: [{ path: resolvePath(cwd, path) }] }),
  };
}

/** Pure. A call that waits for the user, with what it would change. */
export function waitingCall({ toolName, toolUseId, input, proposal, paths, reason }: PermissionRequest, cwd: string): acp.ToolCallUpdate {
  const content: acp.ToolCallContent[] = [];
  if (proposal) content.push({ type: 'diff', path: proposal.path, oldText: proposal.before ?? null, newText: proposal.after });
  if (reason !== undefined) content.push(textContent(reason));
  return {
    ...announcedCall({ id: toolUseId, name: toolName, input }, cwd),
    status: 'pending',
    ...(content.length > 0 && { content }),
    ...(paths !== undefined && paths.length > 0 && { locations: paths.map((path) => ({ path })) }),
  };
}

/** Pure. What a running call shows so far: the end of its output. */
export function runningCall(toolCallId: string, output: string): acp.ToolCallUpdate {
  return { toolCallId, status: 'in_progress', content: [textContent(fenced(liveTail(output)))] };
}

export function liveTail(output: string): string {
  return cutTextStart(output, liveOutputLimit);
}

/** Pure. A call and what came of it. */
export function finishedCall(block: ToolResultBlock, tool: string, result: ToolUseResult | undefined): acp.ToolCallUpdate {
  return { toolCallId: block.tool_use_id, status: hasFailed(block, result) ? 'failed' : 'completed', ...outcome(block, tool, result) };
}

/** A call that will not get a result any more. */
export function endedCall(toolCallId: string, why: string): acp.ToolCallUpdate {
  return { toolCallId, status: 'failed', content: [textContent(why)] };
}

function outcome(block: ToolResultBlock, tool: string, result: ToolUseResult | undefined): Partial<acp.ToolCallUpdate> {
  const isError = block.is_error === true;
  switch (result?.kind) {
    case 'edit':
      return isError ? { content: resultContent(block, false) } : shownChange(result.change);
    case 'edits': {
      const shown = result.changes.map(shownChange);
      const notes = isError ? resultContent(block, false) : [];
      return { content: [...shown.flatMap(({ content }) => content), ...notes], locations: shown.flatMap(({ locations }) => locations) };
    }
    case 'shell':
      return { content: result.output === '' ? [] : [textContent(fenced(shownOutput(result.output)))], rawOutput: { exitCode: result.exitCode, interrupted: result.interrupted, durationMs: result.durationMs } };
    case 'read':
      return { content: resultContent(block, true), locations: [{ path: result.path }] };
    default:
      return { content: resultContent(block, !isError && plainKinds.has(kindOf(tool))) };
  }
}

function hasFailed(block: ToolResultBlock, result: ToolUseResult | undefined): boolean {
  return block.is_error === true || result?.kind === 'refused' || (result?.kind === 'shell' && result.exitCode !== 0);
}

function resultContent({ content = '' }: ToolResultBlock, inFence: boolean): acp.ToolCallContent[] {
  const text = shownOutput(textOf(content));
  const images = typeof content === 'string' ? [] : content.filter((block) => isBlock(block, 'image'));
  return [
    ...(text === '' ? [] : [textContent(inFence ? fenced(text) : text)]),
    ...images.flatMap(({ source }): acp.ToolCallContent[] => (source.type === 'base64' ? [{ type: 'content', content: { type: 'image', mimeType: source.media_type, data: source.data } }] : [])),
  ];
}

function textContent(text: string): acp.ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function kindOf(tool: string): acp.ToolKind {
  return kinds[tool] ?? 'other';
}
