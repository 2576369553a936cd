import type { MessagesRequest, WireBlock } from './apiTypes.ts';
import { blocksOf } from './apiTypes.ts';
import type { ScriptedMessage } from './scriptedMessage.ts';
import type { ScriptedServerOptions } from './scriptedServer.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';

/** A turn as JSON. A reply may be a mere text; `times: "forever"` never ends; conditions are texts to look for. */
export interface JsonTurn extends Omit<ScriptedTurn, 'when' | 'reply' | 'raw' | 'times'> {
  readonly when?: { readonly lastUserIncludes?: string; readonly systemIncludes?: string; readonly hasTools?: boolean };
  readonly reply?: string | ScriptedMessage;
  readonly raw?: string;
  readonly times?: number | 'forever';
  /** A text answer of so many characters, made of words: for benchmarks, so that the file stays small. */
  readonly textOfLength?: number;
}

/** A whole script file. */
export interface JsonScript {
  readonly turns: readonly JsonTurn[];
  readonly aside?: readonly JsonTurn[];
  readonly expectedKey?: string;
  readonly windowTokens?: number;
  readonly simulateCache?: boolean;
}

/** Reads a script file's JSON. Throws, naming the place, if it is not one. */
export function parseScriptFile(json: string): { readonly turns: ScriptedTurn[]; readonly options: ScriptedServerOptions } {
  const script = JSON.parse(json) as JsonScript;
  if (!Array.isArray(script.turns)) throw new Error('a script file is an object with a list `turns`');
  const { turns, aside, ...options } = script;
  return {
    turns: turns.map((turn, index) => scriptedTurn(turn, `turns[${index}]`)),
    options: { ...options, aside: (aside ?? []).map((turn, index) => scriptedTurn(turn, `aside[${index}]`)) },
  };
}

function scriptedTurn({ when, reply, textOfLength, times, ...rest }: JsonTurn, place: string): ScriptedTurn {
  const answers = [reply, textOfLength, rest.raw, rest.status].filter(answer => answer !== undefined);
  if (answers.length === 0) throw new Error(`${place} has none of reply, textOfLength, raw and status`);
  const text = textOfLength === undefined ? reply : words(textOfLength);
  return {
    ...rest,
    ...(when === undefined ? {} : { when: request => matches(request, when) }),
    ...(text === undefined ? {} : { reply: typeof text === 'string' ? { content: [textBlock(text)] } : text }),
    times: times === 'forever' ? Number.POSITIVE_INFINITY : times,
  };
}

function matches(request: MessagesRequest, when: NonNullable<JsonTurn['when']>): boolean {
  const lastUser = request.messages.findLast(message => message.role === 'user');
  if (when.lastUserIncludes !== undefined && !(lastUser && JSON.stringify(blocksOf(lastUser)).includes(when.lastUserIncludes))) return false;
  if (when.systemIncludes !== undefined && !JSON.stringify(request.system ?? '').includes(when.systemIncludes)) return false;
  return when.hasTools === undefined || when.hasTools === ((request.tools ?? []).length > 0);
}

function textBlock(text: string): WireBlock {
  return { type: 'text', text };
}

/** Plain words in short lines and paragraphs, so that a Markdown view has something to lay out. */
function words(length: number): string {
  const paragraph = `${'the quick brown fox jumps over the lazy dog '.repeat(8).trimEnd()}.\n\n`;
  return paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length - 1).trimEnd().padEnd(length - 1, '.') + '.';
}
