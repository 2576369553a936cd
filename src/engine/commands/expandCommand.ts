import { maskCode } from '../text/maskCode.ts';
import { splitArguments } from './slashCommand.ts';

/** A piece of a command's text, arguments filled in. */
export type CommandPiece =
  | { readonly type: 'text'; readonly text: string }
  /** A command line whose output belongs here. */
  | { readonly type: 'shell'; readonly command: string };

/**
 * A command's text with its arguments: `$ARGUMENTS` (or `{{args}}`) is all of them, `$1` the first. What an argument
 * holds is taken as it is and never looked at again. Arguments that no blank takes are put at the end. Command lines
 * are written !`so`, at the start of a word and outside fences.
 */
export function expandCommand(body: string, args: string): readonly CommandPiece[] {
  const pieces: CommandPiece[] = [];
  const say = (text: string): void => {
    if (text !== '') pieces.push({ type: 'text', text });
  };
  let done = 0;
  for (const { start, end, command } of shellLines(body)) {
    say(fill(body.slice(done, start), args));
    pieces.push({ type: 'shell', command: fill(command, args) });
    done = end;
  }
  const rest = fill(body.slice(done), args);
  say(args !== '' && !blanks.test(body) ? `${rest.trimEnd()}\n\nArguments: ${args}\n` : rest);
  return pieces;
}

const blanks = /\$ARGUMENTS\b|\{\{\s*args\s*\}\}|\$[1-9]\d?(?!\d)/;

function fill(text: string, args: string): string {
  const words = splitArguments(args);
  return text.replace(new RegExp(blanks, 'g'), (blank) => (/^\$\d/.test(blank) ? (words[Number(blank.slice(1)) - 1] ?? '') : args));
}

/** A span is only one outside of fences; `maskCode` blanks the span itself, which is how it is told from a fence. */
function shellLines(body: string): { start: number; end: number; command: string }[] {
  const outside = maskCode(body.replace(/!`[^`\n]+`/g, (span) => `!${'x'.repeat(span.length - 1)}`));
  return [...body.matchAll(/(?<=^|\s)!`([^`\n]+)`/g)]
    .filter((match) => outside[match.index] === '!')
    .map((match) => ({ start: match.index, end: match.index + match[0].length, command: match[1]! }));
}
