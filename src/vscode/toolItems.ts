import { shownOutput } from '../base/shownOutput.ts';
import { cutText } from '../base/text.ts';
import { textOf } from '../protocol/contentBlocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ChatEvent, ToolItem, ToolStatus } from '../protocol/chatView.ts';
import type { FileChange } from '../protocol/fileChange.ts';
import type { ToolUseResult } from '../protocol/messages.ts';
import { toldToPeople, verdictsText } from './outcomeTexts.ts';
import type { ServerResult } from './serverTools.ts';

/** UTF-16 units that are shown while a command still prints; the panel folds them. Then the end comes with the result. */
const liveOutputLimit = 200_000;

/** One line about a tool call for its card. */
export type DescribeTool = (name: string, input: { readonly [field: string]: unknown }) => { readonly title: string; readonly path?: string | undefined };

export interface ToolItems {
  readonly describe: DescribeTool;
  /** Calls without a result yet. */
  readonly tools: Map<string, ToolItem>;
}

export function startTool(state: ToolItems, block: Pick<ToolUseBlock, 'id' | 'name' | 'input'>): ChatEvent[] {
  const { title, path } = state.describe(block.name, block.input);
  return put(state, { kind: 'tool', id: block.id, tool: block.name, title, path, status: 'running', output: '' });
}

/** The call now waits for the user, or goes on. */
export function setToolStatus(state: ToolItems, id: string, status: ToolStatus): ChatEvent[] {
  const tool = state.tools.get(id);
  return tool && tool.status !== status ? put(state, { ...tool, status }) : [];
}

/** For a tool that runs only once at a time. */
export function setStatusOfTool(state: ToolItems, tool: string, status: ToolStatus): ChatEvent[] {
  const running = [...state.tools.values()].find((item) => item.tool === tool);
  return running ? setToolStatus(state, running.id, status) : [];
}

/** Nothing runs any more: what has no result gets none in this turn. */
export function interruptUnfinished(state: ToolItems): ChatEvent[] {
  const items = [...state.tools.values()].map((tool): ToolItem => ({ ...tool, status: 'interrupted' }));
  state.tools.clear();
  return items.length > 0 ? [{ type: 'items-put', items }] : [];
}

/** Output as it comes. What does not fit is shown when the result is there. */
export function appendOutput(state: ToolItems, id: string, text: string): ChatEvent[] {
  const tool = state.tools.get(id);
  const room = liveOutputLimit - (tool?.output.length ?? 0);
  if (!tool || text === '' || room <= 0) return [];
  const shown = cutText(text, room);
  state.tools.set(id, { ...tool, output: tool.output + shown });
  return [{ type: 'text-appended', id, text: shown }];
}

export function finishTool(state: ToolItems, block: ToolResultBlock, result: ToolUseResult | undefined): ChatEvent[] {
  const tool = state.tools.get(block.tool_use_id);
  if (!tool) return [];
  state.tools.delete(tool.id);
  const failed = block.is_error === true;
  const status: ToolStatus = failed ? failureOf(block) : 'done';
  const said = textOf(block.content ?? '');
  const answer = shownOutput(failed ? toldToPeople(said) : said);
  const finished: ToolItem = { ...tool, status, output: answer, ...viewOf(result, failed ? answer : '', state.describe) };
  const events: ChatEvent[] = [{ type: 'items-put', items: [finished] }];
  return result?.kind === 'todos' ? [...events, { type: 'todos-changed', todos: result.todos }] : events;
}

/** A tool that the API ran itself. */
export function finishServerTool(state: ToolItems, { id, failed, text }: ServerResult): ChatEvent[] {
  const tool = state.tools.get(id);
  if (!tool) return [];
  state.tools.delete(id);
  return [{ type: 'items-put', items: [{ ...tool, status: failed ? 'failed' : 'done', output: shownOutput(text) }] }];
}

/** What the tool itself hands to the view is better than its text for the model. */
function viewOf(result: ToolUseResult | undefined, failure: string, describe: DescribeTool): Partial<ToolItem> {
  switch (result?.kind) {
    case 'edit': {
      const { path, diff, linesAdded, linesRemoved, userDiff, hunks } = result.change;
      const verdicts = hunks && verdictsText(hunks);
      return { path, diff, linesAdded, linesRemoved, editedByUser: userDiff !== undefined && (hunks?.some(({ verdict }) => verdict === 'edited') ?? true), ...(verdicts !== undefined && { verdicts }), output: failure };
    }
    case 'edits':
      return { ...joinedChanges(result.changes, describe), output: failure };
    case 'refused':
      return { status: 'refused' };
    case 'shell':
      return { output: shownOutput(result.output), exitCode: result.exitCode, ...shellStatus(result) };
    case 'read':
      return { path: result.path };
    default:
      return {};
  }
}

/** One diff of several files, each under its name. */
function joinedChanges(changes: readonly FileChange[], describe: DescribeTool): Partial<ToolItem> {
  const sum = (count: (change: FileChange) => number): number => changes.reduce((total, change) => total + count(change), 0);
  return {
    diff: changes.map(({ path, diff }) => `diff ${describe('Edit', { file_path: path }).title}\n${diff.trimEnd()}\n`).join(''),
    linesAdded: sum((change) => change.linesAdded),
    linesRemoved: sum((change) => change.linesRemoved),
    editedByUser: changes.some(({ userDiff }) => userDiff !== undefined),
  };
}

function shellStatus(result: Extract<ToolUseResult, { kind: 'shell' }>): { status?: ToolStatus } {
  if (result.interrupted) return { status: 'interrupted' };
  return result.exitCode === 0 ? {} : { status: 'failed' };
}

/** The engine says in its own words, which are the same in old sessions, that a call was not decided, refused or cut off. */
function failureOf(block: ToolResultBlock): ToolStatus {
  const text = textOf(block.content ?? '');
  if (text.startsWith('The user interrupted') || text.startsWith('Not decided:')) return 'interrupted';
  return text.startsWith('The user rejected') || text.startsWith('Not run: the user rejected') ? 'rejected' : 'failed';
}

function put(state: ToolItems, tool: ToolItem): ChatEvent[] {
  state.tools.set(tool.id, tool);
  return [{ type: 'items-put', items: [tool] }];
}
