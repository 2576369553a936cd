import type { ApprovalView, ChatItem, Completion, PanelStatus, QuestionsView, RetryView, SessionMatch, SessionSummary } from '../../src/protocol/chatView.ts';
import type { RuleCheck } from '../../src/protocol/permissionRules.ts';
import type { Todo } from '../../src/protocol/messages.ts';

/** Everything that the panel shows and that the host knows. What the user is typing lives beside it. */
export interface PanelState {
  /** null until the host has opened a session. */
  readonly sessionId: string | null;
  readonly title: string;
  /** It can be read here, not continued. */
  readonly readOnly: boolean;
  /** It is so because another program wrote it. */
  readonly isForeign: boolean;
  /** The draft that came with the session; `openings` counts how often one came, so that the same text can come twice. */
  readonly openedDraft: string;
  readonly openings: number;
  readonly items: readonly ChatItem[];
  /** Prompts and calls that changed files. */
  readonly changed: { readonly messageIds: ReadonlySet<string>; readonly toolUseIds: ReadonlySet<string>; readonly undone: ReadonlySet<string>; readonly redoable: ReadonlySet<string> };
  readonly running: boolean;
  readonly queue: readonly QueuedPrompt[];
  readonly approvals: readonly ApprovalView[];
  readonly questions: QuestionsView | null;
  readonly retry: RetryView | null;
  readonly todos: readonly Todo[];
  readonly status: PanelStatus | null;
  /** null until the list was asked for. */
  readonly sessions: readonly SessionSummary[] | null;
  /** What the latest search in the sessions has found so far. */
  readonly found: { readonly request: number; readonly matches: readonly SessionMatch[]; readonly isDone: boolean };
  /** The latest list for what was being typed, and the request it answers. */
  readonly completions: { readonly request: number; readonly rows: readonly Completion[] };
  /** A prompt that came back unsent, until another one comes. */
  readonly returned: ReturnedPrompt | null;
  /** What went from the composer last, because it stands in the conversation again. */
  readonly withdrawn: { readonly text: string } | null;
  /** What the rule that was typed last would do. */
  readonly ruleCheck: { readonly id: string; readonly rule: string; readonly check: RuleCheck } | null;
  /** How often the host has asked for the caret. */
  readonly focusRequests: number;
}

export interface ReturnedPrompt {
  readonly text: string;
  readonly reason: string;
  /** The prompt as it was probably meant. */
  readonly instead?: string | undefined;
}

export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  readonly imageCount?: number | undefined;
}

export const initialState: PanelState = {
  sessionId: null,
  title: '',
  readOnly: false,
  isForeign: false,
  openedDraft: '',
  openings: 0,
  items: [],
  changed: { messageIds: new Set(), toolUseIds: new Set(), undone: new Set(), redoable: new Set() },
  running: false,
  queue: [],
  approvals: [],
  questions: null,
  retry: null,
  todos: [],
  status: null,
  sessions: null,
  found: { request: 0, matches: [], isDone: true },
  completions: { request: 0, rows: [] },
  returned: null,
  withdrawn: null,
  ruleCheck: null,
  focusRequests: 0,
};
