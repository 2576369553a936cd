import type { FileSystem } from '../ports.ts';
import { parseSlash } from './slashCommand.ts';

/** A prompt that begins like a command and names none. */
export interface UnknownCommand {
  readonly name: string;
  /** For the user: what is wrong, and what may have been meant. */
  readonly text: string;
  /** The same prompt with the command that was probably meant; undefined where none is near. */
  readonly instead: string | undefined;
}

/** For hosts that have no button for it. */
export const toSendItAnyway = 'To send it as it is, put a space before it.';

/**
 * A mistyped command is told and not sent, for sending costs. Left alone is whatever may be meant as it stands: a path or a
 * file name (`/etc/hosts`, `/robots.txt`), what lies in the root folder (`/tmp is full`), and all that begins with a blank.
 */
export async function findUnknownCommand(prompt: string, names: readonly string[], files: Pick<FileSystem, 'stat'>): Promise<UnknownCommand | undefined> {
  const call = prompt.startsWith('/') ? parseSlash(prompt) : undefined;
  if (!call || call.name.includes('.') || names.includes(call.name)) return undefined;
  const isPath = await files.stat(`/${call.name}`).catch(() => undefined);
  if (isPath) return undefined;
  const near = nearestName(call.name, names);
  const instead = near === undefined ? undefined : `/${near}${prompt.slice(call.name.length + 1)}`;
  return { name: call.name, text: `There is no command /${call.name}, so nothing was sent. ${near === undefined ? '/help lists the commands.' : `Did you mean /${near}?`}`, instead };
}

/** Pure: the one name that begins so, else the one with the fewest slips of the finger; undefined where that is guesswork. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const begun = names.filter((name) => name.toLowerCase().startsWith(word));
  if (begun.length === 1 && word.length > 1) return begun[0];
  const limit = word.length < 4 ? 1 : 2;
  const near = names.map((name) => ({ name, slips: slipsBetween(word, name.toLowerCase()) })).filter(({ slips }) => slips <= limit);
  return near.sort((one, other) => one.slips - other.slips)[0]?.name;
}

/** Letters too many, missing, wrong, or swapped with their neighbour. */
function slipsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1), isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity));
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
