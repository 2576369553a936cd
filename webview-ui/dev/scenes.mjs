// What the panel is shown doing: for each scene the events that the host would send.
const status = { model: 'claude-sonnet-5-5', permissionMode: 'default', demo: false, needsKey: false, cost: '$0.42', contextShare: 0.38 };
const opened = { type: 'session-opened', sessionId: 's1', title: 'Rename total to sum', draft: '', readOnly: false };
const at = '2026-11-30T09:12:00.000Z';

const diff = `--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1,12 +1,12 @@
 import type { Item } from './item.ts';
 
-/** Adds up the prices. */
-export function total(items: readonly Item[]): number {
-  let total = 0;
+/** The sum of all prices, in cents. */
+export function sum(items: readonly Item[]): number {
+  let sum = 0;
   for (const item of items) {
-    total += item.price * item.quantity;
+    sum += item.price * item.quantity;
   }
-  return total;
+  return sum;
 }
@@ -40,3 +40,4 @@
 export function isEmpty(cart: Cart): boolean {
   return cart.items.length === 0;
+  // A cart without items costs nothing, whatever the discount that was given to the customer says.
 }
`;

const answer = `I renamed \`total\` to \`sum\` in **src/cart.ts** and its two callers; the tests pass.

What changed:

1. \`sum()\` keeps its signature, so nothing outside the package notices.
2. The local variable has the function's name no longer shadowed.

\`\`\`ts
// Prices are in cents: no rounding until they are shown.
export function sum(items: readonly Item[]): number {
  return items.reduce((all, item) => all + item.price * item.quantity, 0);
}
\`\`\`

| File | Before | After |
|---|---|--:|
| \`cart.ts\` | total | 3 |
| \`cart.test.ts\` | total | 2 |

- [x] renamed
- [ ] documentation, see [the guide](https://example.com/guide)

> The name *sum* also exists in \`stats.ts\`; it is another module, so both can stay.`;

const testOutput = `> cart@1.0.0 test
> node --test

\u001b[32m✔\u001b[0m adds up prices (1.2ms)
\u001b[32m✔\u001b[0m counts quantities (0.3ms)
\u001b[31m✖\u001b[0m gives the discount once (2.1ms)
  AssertionError: 80 !== 90
      at cart.test.ts:31:10`;

const user = (id, text) => ({ kind: 'user', id, text, timestamp: at });
const tool = (id, name, title, more) => ({ kind: 'tool', id, tool: name, title, status: 'done', output: '', path: name === 'Bash' ? undefined : `/shop/${title}`, ...more });

const conversation = [
  user('u1', 'Rename `total` to `sum` in cart.ts and run the tests'),
  { kind: 'thinking', id: 'th1', text: 'The file first, then its callers.', streaming: false },
  { kind: 'text', id: 'a0', markdown: "I'll read the file and see who calls it.", streaming: false },
  tool('t1', 'Read', 'src/cart.ts', { output: '1\timport …' }),
  tool('t2', 'Grep', 'total\\(', { output: 'src/cart.ts:4\nsrc/checkout.ts:11', path: undefined }),
  tool('t3', 'Edit', 'src/cart.ts', { diff, linesAdded: 6, linesRemoved: 5, editedByUser: true }),
  tool('t4', 'Bash', 'npm test', { status: 'failed', output: testOutput, exitCode: 1 }),
  { kind: 'text', id: 'a1', markdown: answer, streaming: false },
  { kind: 'turn', id: 'r1', ok: true, costUsd: 0.012, durationMs: 4210, inputTokens: 1214, outputTokens: 310, cacheReadTokens: 980, cacheWriteTokens: 200 },
];

const todos = [
  { content: 'Read the file', activeForm: 'Reading the file', status: 'completed' },
  { content: 'Rename the function', activeForm: 'Renaming the function', status: 'in_progress' },
  { content: 'Run the tests', activeForm: 'Running the tests', status: 'pending' },
];

const base = [opened, { type: 'status-changed', status }];

const sessions = {
  type: 'sessions-listed',
  sessions: [
    { sessionId: 's1', title: 'Rename total to sum', modified: new Date(Date.now() - 60_000).toISOString(), messageCount: 12, pinned: true },
    { sessionId: 's2', title: 'Why does the discount test fail on Mondays, and only there?', modified: new Date(Date.now() - 5 * 3_600_000).toISOString(), messageCount: 41 },
    { sessionId: 's3', title: 'Explain the checkout', modified: new Date(Date.now() - 30 * 3_600_000).toISOString(), messageCount: null },
    { sessionId: 's4', title: 'Port the price rules to cents', modified: new Date(Date.now() - 50 * 3_600_000).toISOString(), messageCount: 87, source: 'claude-code' },
  ],
};

/** A file of a change set, with one hunk accepted already. */
const proposed = (path) => ({ path, isNew: false, state: 'current', linesAdded: 3, linesRemoved: 1, hunks: [
  { key: 'a', accepted: true, diff: '@@ -1,2 +1,4 @@\n export function total(items) {\n-  return items.length;\n+  let sum = 0;\n+  for (const item of items) sum += item.price;' },
  { key: 'b', accepted: false, diff: '@@ -9,1 +11,2 @@\n }\n+export const rate = 0.1;' },
] });

const command = (name, detail, hint) => ({ insert: `/${name}${hint ? ' ' : ''}`, label: `/${name}${hint ? ` ${hint}` : ''}`, detail });

/** What the host lists behind a slash. */
export const commands = [
  command('clear', 'start a new conversation; the old one is kept and can be brought back'),
  command('compact', 'replace old messages by a summary', '[what to keep in view]'),
  command('model', 'show the model, or use another from the next request on', '[name]'),
  command('effort', 'how much the model shall put into its answers', '[low|medium|high|max|auto]'),
  command('cost', 'what this session has cost so far, and what for'),
  command('permissions', 'show the permission mode, or use another', '[ask|accept-edits|plan]'),
];

export const scenes = {
  welcome: [{ ...opened, title: '' }, { type: 'status-changed', status: { ...status, cost: '$0.00', contextShare: 0 } }],
  demo: [{ ...opened, title: '' }, { type: 'status-changed', status: { ...status, demo: true, model: 'turnstone-demo', cost: '$0.00', contextShare: 0 } }],
  key: [{ ...opened, title: '' }, { type: 'status-changed', status: { ...status, needsKey: true, cost: '$0.00', contextShare: 0 } }],
  conversation: [...base, { type: 'items-put', items: conversation }],
  undo: [...base, { type: 'items-put', items: [conversation[0], ...conversation.slice(3, 6), tool('t5', 'Bash', 'npm version minor')] }, { type: 'changes-listed', messageIds: ['u1'], toolUseIds: ['t5'], undoneToolUseIds: ['t3'], redoableToolUseIds: ['t3'] }],
  start: [...base, { type: 'items-put', items: conversation.slice(0, 7) }],
  approval: [
    ...base,
    { type: 'items-put', items: [...conversation.slice(0, 5), tool('t3', 'Edit', 'src/cart.ts', { status: 'waiting', diff, linesAdded: 6, linesRemoved: 5 })] },
    { type: 'turn-changed', running: true },
    { type: 'todos-changed', todos },
    { type: 'approvals-changed', approvals: [{ id: 't3', kind: 'edit', title: 'Edit src/cart.ts', detail: 'src/cart.ts', files: [{ ...proposed('src/cart.ts'), state: 'rebased', note: 'The file has changed meanwhile; the proposal was merged onto it.' }] }, { id: 'x', kind: 'command', title: 'Run a command', detail: 'npm test' }] },
  ],
  'change-set': [
    ...base,
    { type: 'items-put', items: [...conversation.slice(0, 5), tool('t3', 'Edit', 'src/cart.ts', { status: 'waiting' })] },
    { type: 'turn-changed', running: true },
    { type: 'approvals-changed', approvals: [{ id: 's', kind: 'edit', title: 'Change 4 files', detail: '', calls: ['t3'], files: [proposed('src/cart.ts'), { ...proposed('src/checkout/discounts/percentages.ts'), state: 'conflict', note: 'Both changed the same lines. Resolve them on the right side of the diff, then accept.' }, { ...proposed('src/money.ts'), decision: 'allow' }, { ...proposed('test/money.test.ts'), isNew: true }] }] },
  ],
  command: [
    ...base,
    { type: 'items-put', items: [...conversation.slice(0, 6), tool('t4', 'Bash', 'npm test -- --watch=false', { status: 'waiting' })] },
    { type: 'turn-changed', running: true },
    { type: 'approvals-changed', approvals: [{ id: 't4', kind: 'command', title: 'Run a command', detail: 'npm test -- --watch=false && rm -rf dist', reason: 'Removes files outside the source folder.' }] },
    { type: 'queue-changed', prompts: [{ id: 'q1', text: 'Then write the changelog entry, please, with the version' }] },
  ],
  held: [
    ...base,
    { type: 'items-put', items: conversation.slice(0, 4) },
    { type: 'queue-changed', prompts: [{ id: 'q1', text: 'Then write the changelog entry, please, with the version' }, { id: 'q2', text: 'And run the tests' }] },
  ],
  commands: [...base, { type: 'items-put', items: conversation }],
  returned: [...base, { type: 'items-put', items: conversation }, { type: 'prompt-returned', text: '/cots', reason: 'There is no command /cots, so nothing was sent. Did you mean /cost?', instead: '/cost' }],
  'always-allow': [
    ...base,
    { type: 'items-put', items: [...conversation.slice(0, 6), tool('t4', 'Bash', 'npm test -- --watch=false', { status: 'waiting' })] },
    { type: 'turn-changed', running: true },
    { type: 'approvals-changed', approvals: [{ id: 't4', kind: 'command', title: 'Run a command', detail: 'npm test -- --watch=false', suggestedRule: 'Bash(npm test:*)' }] },
    { type: 'rule-checked', id: 't4', rule: 'Bash(npm test:*)', check: { covers: 'npm test by itself and with any arguments, but no other command beside it.', fits: true } },
  ],
  'always-wrong': [
    ...base,
    { type: 'turn-changed', running: true },
    { type: 'approvals-changed', approvals: [{ id: 't4', kind: 'command', title: 'Run a command', detail: 'npm test -- --watch=false', suggestedRule: 'Bash(npm test:*' }] },
    { type: 'rule-checked', id: 't4', rule: 'Bash(npm test:*', check: { problem: '"Bash(npm test:*" is no rule. A rule is a tool\'s name, with what it covers in brackets: Bash(npm test:*), Edit(src/**), Read(./.env).', fits: false } },
  ],
  running: [
    ...base,
    { type: 'items-put', items: [user('u1', 'Run the tests'), { kind: 'thinking', id: 'th', text: 'Run them.', streaming: true }, tool('t4', 'Bash', 'npm test', { status: 'running', output: testOutput }), { kind: 'text', id: 'a2', markdown: 'One test fails. The discount is taken **twice**:\n\n```ts\nconst price = discount(disc', streaming: true }] },
    { type: 'turn-changed', running: true },
    { type: 'todos-changed', todos },
    { type: 'retry-changed', retry: { attempt: 2, maxRetries: 10, retryAt: Date.now() + 90_000, reason: 'The model is overloaded.' } },
  ],
  questions: [
    ...base,
    { type: 'items-put', items: [user('u1', 'Add a discount'), tool('q', 'AskUser', 'How is the discount given?', { status: 'waiting', path: undefined })] },
    { type: 'turn-changed', running: true },
    { type: 'questions-changed', questions: { id: 'q', questions: [
      { question: 'How is the discount given?', header: 'Discount', multiSelect: false, options: [{ label: 'Per item', description: 'Each row has a discount of its own.' }, { label: 'Per cart', description: 'It is taken from the sum; rounding happens once.' }] },
      { question: 'Which tests shall I write?', header: 'Tests', multiSelect: true, options: [{ label: 'Unit', description: 'For the sum.' }, { label: 'Checkout', description: 'The whole way, slower.' }] },
    ] } },
  ],
  plan: [
    ...base,
    { type: 'items-put', items: [user('u1', 'Plan the rename'), tool('p', 'ExitPlanMode', 'The plan', { status: 'waiting', path: undefined })] },
    { type: 'turn-changed', running: true },
    { type: 'approvals-changed', approvals: [{ id: 'p', kind: 'plan', title: 'The plan', detail: '## Rename `total` to `sum`\n\n1. Rename the function in **src/cart.ts**.\n2. Change its two callers.\n3. Run `npm test`.\n\n```ts\nexport function sum(items: readonly Item[]): number\n```' }] },
  ],
  'left-open': [
    ...base,
    { type: 'items-put', items: [user('u1', 'Rename it'), tool('t3', 'Edit', 'src/cart.ts', { status: 'waiting' })] },
    { type: 'approvals-changed', approvals: [{ id: 't3', kind: 'edit', title: 'Change 3 files', detail: 'src/cart.ts (out of date: the file has changed since)\nsrc/money.ts\nsrc/tax.ts (new file)', isLeftOpen: true, reason: 'This was waiting for your decision when the session ended. Say something else, and it counts as not decided.' }] },
  ],
  'long-wait': [
    ...base,
    { type: 'items-put', items: [{ ...user('u1', 'Go on'), imageCount: 2 }] },
    { type: 'turn-changed', running: true },
    { type: 'retry-changed', retry: { attempt: 1, maxRetries: 10, retryAt: Date.now() + 45 * 60_000, reason: 'The rate limit is reached.', needsConfirmation: true } },
  ],
  notices: [
    ...base,
    { type: 'items-put', items: [
      user('u1', 'Go on'),
      { kind: 'notice', id: 'n1', level: 'info', text: 'The last line of the transcript was cut off; that line was left out.' },
      { kind: 'notice', id: 'n2', level: 'warning', text: 'The disk is full. The session goes on in memory and is written when there is room.', action: 'open-log' },
      { kind: 'notice', id: 'n3', level: 'error', text: 'The key was refused by the server (401). Nothing was sent twice, your message is kept.', action: 'set-api-key' },
      tool('t9', 'Write', 'src/new.ts', { status: 'rejected', output: 'Rejected: name it cartSum.ts' }),
      tool('t8', 'Bash', 'sleep 100', { status: 'interrupted' }),
      { kind: 'turn', id: 'r2', ok: false, error: 'The server could not be reached. Your message is kept; try again when the connection is back.', costUsd: null, durationMs: 65_000, inputTokens: 120_400, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ] },
  ],
  sessions: [
    ...base,
    { type: 'items-put', items: conversation },
    sessions,
  ],
  'sessions-search': [...base, { type: 'items-put', items: conversation }, sessions],
  foreign: [{ ...opened, readOnly: true, isForeign: true }, { type: 'status-changed', status }, { type: 'items-put', items: conversation }],
};
