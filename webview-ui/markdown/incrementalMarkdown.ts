import { lexer } from 'marked';
import type { Token } from 'marked';

/**
 * Markdown that still grows. Blocks that nothing can change any more are lexed once and kept; only the tail is lexed again.
 * Immutable; `groups` keep their identity once full, so that a view can skip them.
 */
export interface GrowingMarkdown {
  readonly groups: readonly (readonly Token[])[];
  /** What may still change, with LF line ends. */
  readonly tail: string;
  /** A carriage return came last: half of a line end, perhaps. */
  readonly heldReturn: boolean;
}

export const emptyMarkdown: GrowingMarkdown = { groups: [], tail: '', heldReturn: false };

/**
 * Pure: the state after `chunk`. At every split `blocksOf` equals a full lex of the text so far, except for links whose
 * definition stands in another block (`[text][name]`): lex the whole once it is complete.
 */
export function appendMarkdown(state: GrowingMarkdown, chunk: string): GrowingMarkdown {
  if (chunk === '') return state;
  const raw = state.heldReturn ? `\r${chunk}` : chunk;
  const heldReturn = raw.endsWith('\r');
  const text = (heldReturn ? raw.slice(0, -1) : raw).replace(/\r\n?/g, '\n');
  const tail = state.tail + text;
  if (!text.includes('\n')) return { groups: state.groups, tail, heldReturn };
  const closed = closedTokens(tail);
  const length = closed.reduce((sum, token) => sum + token.raw.length, 0);
  return { groups: addToGroups(state.groups, closed), tail: tail.slice(length), heldReturn };
}

/** Pure: the blocks of the tail as they look now. */
export function tailTokens(state: GrowingMarkdown): readonly Token[] {
  return lexMarkdown(state.heldReturn ? `${state.tail}\n` : state.tail);
}

/** Pure: all blocks so far. */
export function blocksOf(state: GrowingMarkdown): readonly Token[] {
  return [...state.groups.flat(), ...tailTokens(state)];
}

export function lexMarkdown(text: string): readonly Token[] {
  return text === '' ? [] : [...lexer(text)];
}

/** What ends so plainly that the lexer reads what follows as it would at the start of a text. */
const plainEnds = new Set(['space', 'heading', 'hr', 'code']);

/**
 * The blocks of the complete lines but the last real one and what follows it: a blank line does not close a list, and a
 * line that is still being written may turn out to belong to the block above. Nor is a paragraph cut from a block that
 * follows without a blank line, because the two are read together.
 */
function closedTokens(tail: string): readonly Token[] {
  const tokens = lexMarkdown(tail.slice(0, tail.lastIndexOf('\n') + 1));
  const lastBlock = tokens.findLastIndex((token) => token.type !== 'space');
  const end = tokens.slice(0, Math.max(0, lastBlock)).findLastIndex((token) => plainEnds.has(token.type));
  return tokens.slice(0, end + 1);
}

const groupSize = 24;

function addToGroups(groups: GrowingMarkdown['groups'], tokens: readonly Token[]): GrowingMarkdown['groups'] {
  if (tokens.length === 0) return groups;
  const next = [...groups];
  for (const token of tokens) {
    const last = next.at(-1);
    if (last && last.length < groupSize) next[next.length - 1] = [...last, token];
    else next.push([token]);
  }
  return next;
}
