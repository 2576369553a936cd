import type { Hunk } from '../../sdk/index.ts';

/** A hunk as it is shown now. */
export interface ShownHunk extends Hunk {
  /** The same as long as the hunk is: where it stands in the old text and what it says. */
  readonly key: string;
  readonly accepted: boolean;
}

interface Rejected {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly reason: string;
}

/** What the user has said about single hunks of one file: a hunk that is rejected is gone from the right side, one that is accepted is marked. */
export class HunkBook {
  readonly #accepted = new Set<string>();
  #rejected: Rejected[] = [];

  accept(key: string): void {
    this.#accepted.add(key);
  }

  isAccepted(key: string): boolean {
    return this.#accepted.has(key);
  }

  reject({ oldStart, oldCount }: Hunk, reason: string | undefined): void {
    if (reason !== undefined && reason.trim() !== '') this.#rejected.push({ oldStart, oldCount, reason: reason.trim() });
  }

  get reasons(): readonly string[] {
    return this.#rejected.map(({ oldStart, reason }) => `At line ${oldStart + 1}: ${reason}.`);
  }

  /** The reasons by number of the hunk that they are about. */
  numbered(hunks: readonly Hunk[]): { hunk: number; reason: string }[] {
    return this.#rejected.flatMap(({ oldStart, oldCount, reason }) => {
      const hunk = hunks.findIndex((each) => each.oldStart <= oldStart + oldCount && each.oldStart + each.oldCount >= oldStart);
      return hunk < 0 ? [] : [{ hunk, reason }];
    });
  }
}
