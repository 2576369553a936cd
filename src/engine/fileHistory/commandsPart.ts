import type { FileState } from '../../protocol/transcript.ts';
import { sameState } from './rewindPlan.ts';

/** A write that somebody other than the command made; undefined where nobody can say what the file held. */
export interface OthersWrite {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** `after` is missing where it can't be told from what others did: going back then asks. */
export interface CommandsChange {
  readonly before: FileState;
  readonly after?: FileState;
}

/**
 * What of a file's change from `before` to `after` a command did, when others wrote to the file meanwhile, in this
 * order: what lies between their writes. Nothing, where they did it all. Pure.
 */
export function commandsPart(before: FileState, after: FileState, others: readonly OthersWrite[]): readonly CommandsChange[] {
  const parts: CommandsChange[] = [];
  const add = (from: FileState, to: FileState): void => void (sameState(from, to) || parts.push({ before: from, after: to }));
  let present = before;
  for (const write of others) {
    if (!write.before || !write.after) return sameState(before, after) ? [] : [{ before }];
    add(present, write.before);
    present = write.after;
  }
  add(present, after);
  return parts;
}
