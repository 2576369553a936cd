import type { MessagesRequest } from '../support/apiTypes.ts';
import { message, text, thinking, toolUse } from '../support/scriptedMessage.ts';
import type { ScriptedMessage } from '../support/scriptedMessage.ts';
import type { ScriptedTurn } from '../support/scriptedTurn.ts';

/** Tokens of each answer: all cost the same, so that the sum says how many were counted. */
const usage = { input_tokens: 1_000, output_tokens: 100 };
/** USD of one answer: 1,000 × $2 + 100 × $10, per million. */
export const answerCostUsd = 0.003;
/** USD of what the server tells when an answer begins: its prompt, and one token. */
export const beginCostUsd = 0.00201;
export const model = 'claude-sonnet-5';

export const firstFiles = { 'kept.txt': 'The user wrote this.\n' };

/** What the agent's files hold, by the last step whose changes are there. */
export const trees = {
  untouched: { 'kept.txt': 'The user wrote this.\n' },
  made: { 'kept.txt': 'The user wrote this.\n', 'a.txt': 'one\n', 'deep/b.txt': 'one\n' },
  changed: { 'kept.txt': 'The user wrote this.\nAnd the agent this.\n', 'a.txt': 'two\n', 'deep/b.txt': 'one\n', 'deep/er/c.txt': 'new\n' },
  again: { 'kept.txt': 'The user wrote this.\n', 'a.txt': 'one\n', 'deep/b.txt': 'one\n', 'd.txt': 'three\n' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type Step =
  | { readonly kind: 'turn'; readonly name: string; readonly prompt: string }
  /** Back to before the prompt of that turn, files and conversation. */
  | { readonly kind: 'rewind'; readonly name: string; readonly to: string }
  | { readonly kind: 'undo'; readonly name: string };

/** A session in which everything happens that has to survive. */
export const steps: readonly Step[] = [
  { kind: 'turn', name: 'make', prompt: 'Please [make] the files.' },
  { kind: 'turn', name: 'change', prompt: 'Please [change] them.' },
  { kind: 'rewind', name: 'rewind', to: 'change' },
  { kind: 'undo', name: 'undo' },
  { kind: 'rewind', name: 'rewind again', to: 'change' },
  { kind: 'turn', name: 'again', prompt: 'Please do it [again].' },
  { kind: 'turn', name: 'delegate', prompt: 'Let [somebody] look.' },
  { kind: 'turn', name: 'compact', prompt: '/compact' },
  { kind: 'turn', name: 'after', prompt: 'What is [left] to do?' },
];

/** Answers by what was said last, so that it makes no difference how often a session was killed before. */
export function modelIn(workspace: string): ScriptedTurn {
  return { reply: (request) => ({ ...answerTo(request, workspace), usage }), deltaSize: 24, chunking: 'event', times: Number.POSITIVE_INFINITY };
}

/** Comes so slowly that what is shown of it is noted down on the way. */
export const slowAnswer: ScriptedTurn = {
  when: (request) => lastOf(request).includes('[left]') && !lastOf(request).includes('[go on]'),
  reply: { ...message('Nothing is left to do: all that was asked for is there, and nobody has said that they want more of it.'), usage },
  deltaSize: 8,
  paceMs: 30,
};

function lastOf(request: MessagesRequest): string {
  return JSON.stringify(request.messages.at(-1));
}

function answerTo(request: MessagesRequest, workspace: string): ScriptedMessage {
  const path = (name: string): string => `${workspace}/${name}`;
  const last = lastOf(request);
  if (last.includes('will be replaced by your summary')) return message('The user had files made, changed and changed again. Nothing is open.');
  if (last.includes('[go on]')) return message('Going on.');
  if (last.includes('[look there]')) return message([text('I look there now.'), toolUse('Read', { file_path: path('a.txt') })]);
  if (last.includes('[somebody]')) return message([text('I let somebody look.'), toolUse('Task', { description: 'Look', prompt: 'Please [look there] twice.', subagent_type: 'explore' })]);
  if (last.includes('tool_result')) return message([text('That is done. Both files are as you wanted them to be, and nothing else was touched.')]);
  if (last.includes('[make]')) return message([thinking('Two files are wanted, one of them in a folder.'), text('I make the files now, one after the other.'), toolUse('Write', { file_path: path('a.txt'), content: 'one\n' }), toolUse('Write', { file_path: path('deep/b.txt'), content: 'one\n' })]);
  if (last.includes('[change]')) {
    return message([
      toolUse('Edit', { file_path: path('a.txt'), old_string: 'one', new_string: 'two' }),
      toolUse('Write', { file_path: path('deep/er/c.txt'), content: 'new\n' }),
      toolUse('Bash', { command: 'echo "And the agent this." >> kept.txt', description: 'Add a line' }),
    ]);
  }
  if (last.includes('[again]')) return message([text('Once more.'), toolUse('Write', { file_path: path('d.txt'), content: 'three\n' })]);
  throw new Error(`nobody knows what to answer to ${last.slice(0, 300)}`);
}
