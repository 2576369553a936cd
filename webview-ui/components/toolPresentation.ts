import { mcpToolParts } from '../../src/base/mcpToolParts.ts';
import type { ToolItem, ToolStatus } from '../../src/protocol/chatView.ts';

export interface ToolLook {
  readonly icon: string;
  /** Before the title: "Edit src/cart.ts". */
  readonly verb: string;
}

const looks: Readonly<Record<string, ToolLook>> = {
  Read: { icon: 'file', verb: 'Read' },
  Write: { icon: 'new-file', verb: 'Write' },
  Edit: { icon: 'edit', verb: 'Edit' },
  Glob: { icon: 'files', verb: 'Find' },
  Grep: { icon: 'search', verb: 'Search' },
  Bash: { icon: 'terminal', verb: 'Run' },
  MultiEdit: { icon: 'edit', verb: 'Edit' },
  NotebookEdit: { icon: 'notebook', verb: 'Edit' },
  AskUser: { icon: 'question', verb: 'Ask' },
  ExitPlanMode: { icon: 'list-ordered', verb: 'Plan' },
  WebFetch: { icon: 'globe', verb: 'Fetch' },
  WebSearch: { icon: 'globe', verb: 'Search the web' },
  Rename: { icon: 'symbol-field', verb: 'Rename' },
  TodoWrite: { icon: 'checklist', verb: 'Plan' },
};

/** Pure: a tool's icon and verb; tools of MCP servers go by both names, unknown ones by theirs. */
export function toolLook(tool: string): ToolLook {
  const foreign = mcpToolParts(tool);
  if (foreign) return { icon: 'plug', verb: `${foreign.server}: ${foreign.tool}` };
  return (Object.hasOwn(looks, tool) ? looks[tool] : undefined) ?? { icon: 'tools', verb: tool };
}

export interface StatusLook {
  readonly icon: string;
  readonly word: string;
  readonly spin: boolean;
}

const statusLooks: Readonly<Record<ToolStatus, StatusLook>> = {
  pending: { icon: 'loading', word: 'Preparing', spin: true },
  waiting: { icon: 'question', word: 'Waiting for you', spin: false },
  running: { icon: 'loading', word: 'Running', spin: true },
  done: { icon: 'check', word: 'Done', spin: false },
  failed: { icon: 'error', word: 'Failed', spin: false },
  rejected: { icon: 'circle-slash', word: 'Rejected', spin: false },
  refused: { icon: 'circle-slash', word: 'Not allowed', spin: false },
  interrupted: { icon: 'debug-stop', word: 'Stopped', spin: false },
};

export function statusLook(status: ToolStatus): StatusLook {
  return statusLooks[status];
}

/** Pure: whether a card shows its details before the user chose: changes and commands do, what was only read does not. */
export function unfoldedByDefault(item: ToolItem, reviewed: boolean): boolean {
  if (reviewed || item.status === 'pending' || item.status === 'waiting') return false;
  if (item.status === 'failed' || item.status === 'refused') return true;
  return item.diff !== undefined || item.tool === 'Bash';
}
