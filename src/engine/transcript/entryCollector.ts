import { parseObjects } from './readLines.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';
import { usableLine } from './usableLine.ts';

/** Beyond this many damaged lines they are counted, not listed. */
const longestNoticeList = 20;

/** Gathers what the lines of a transcript say, and which could not be used. */
export class EntryCollector {
  /** In file order. */
  readonly entries: TranscriptEntry[] = [];
  readonly #damaged: number[] = [];
  readonly #leftOut: number[] = [];
  readonly #reduced: number[] = [];
  readonly #badBytes: string[] = [];

  add(number: number, { text, hasBadBytes }: { readonly text: string; readonly hasBadBytes: boolean }): void {
    const { objects, isDamaged } = parseObjects(text);
    if (isDamaged) this.#damaged.push(number);
    else if (hasBadBytes) this.#badBytes.push(`Line ${number} holds bytes that are no text; they are shown as \uFFFD.`);
    for (const value of objects) {
      const usable = usableLine(value);
      this.entries.push({ number, value: usable.value, isDamaged: usable.lost === 'all' });
      if (usable.lost === 'all') this.#leftOut.push(number);
      if (usable.lost === 'part') this.#reduced.push(number);
    }
  }

  /** For the user. */
  notices(): string[] {
    return [
      ...this.#badBytes,
      ...listed(this.#damaged, 'could not be read and was skipped'),
      ...listed(this.#leftOut, 'is damaged and was left out'),
      ...listed(this.#reduced, 'is damaged in a part; the rest of it is here'),
    ];
  }
}

function listed(lines: readonly number[], what: string): string[] {
  const notices = lines.slice(0, longestNoticeList).map((number) => `Line ${number} ${what}.`);
  const more = lines.length - notices.length;
  return more > 0 ? [...notices, `${more} more lines: each ${what}.`] : notices;
}
