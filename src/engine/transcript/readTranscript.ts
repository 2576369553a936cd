import type { FileSystem } from '../ports.ts';
import { indexedLine } from './indexedLine.ts';
import { withPartialAnswers } from './partialEntries.ts';
import { parseObjects, readLines } from './readLines.ts';
import { findBoundaryStart, findStartFor, findTailStart } from './tailStart.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';
import { activeBranch, afterCompaction, type ActiveBranch } from './transcriptTree.ts';
import { usableLine } from './usableLine.ts';

/** Below this size it makes no difference how a file is read. Bytes. */
const worthIndexing = 1024 * 1024;
/** Beyond this many damaged lines they are counted, not listed. */
const longestNoticeList = 20;

export interface ReadTranscript {
  readonly entries: readonly TranscriptEntry[];
  readonly branch: ActiveBranch;
  /** Lines that could not be used, for the user. */
  readonly notices: readonly string[];
  readonly endsWithNewline: boolean;
  /** Bytes at the beginning of the file that were not read. */
  readonly skippedBytes: number;
}

export interface ReadRequest {
  /** Of the file. Bytes. */
  readonly size: number;
  /**
   * `view`: messages that a compaction replaced are not parsed, since nobody sees them, and of a very large file not even
   * read. `branch`: the same, but all that is read is parsed. `all`: everything is read and parsed, however large.
   */
  readonly need: 'view' | 'branch' | 'all';
  /** From which size on that is done, in bytes; for tests. */
  readonly sizes?: { readonly indexed: number; readonly skipped?: number | undefined } | undefined;
}

/** Reads a transcript and finds the conversation in it. Never rejects for what is in the file. */
export async function readTranscript(files: FileSystem, path: string, { size, need, sizes = { indexed: worthIndexing } }: ReadRequest): Promise<ReadTranscript> {
  let from = need === 'all' ? 0 : await findTailStart(files, path, size, sizes.skipped);
  let parseFrom = need === 'view' && from === 0 && size > sizes.indexed ? await findBoundaryStart(files, path, size) : from;
  for (;;) {
    const { entries: all, ...read } = await readFrom(files, path, from, parseFrom);
    const entries = withPartialAnswers(all);
    const branch = activeBranch(entries);
    // The conversation went back to before that compaction.
    if (afterCompaction(branch.entries).some((entry) => entry.isIndexed)) {
      parseFrom = 0;
      continue;
    }
    const earlier = from > 0 && branch.missing !== undefined ? await findStartFor(files, path, branch.missing, from) : undefined;
    if (earlier === undefined) return { entries, branch, ...read, skippedBytes: from };
    from = parseFrom = earlier;
  }
}

interface ReadLines {
  readonly entries: readonly TranscriptEntry[];
  readonly notices: readonly string[];
  readonly endsWithNewline: boolean;
}

/** Lines before `parseFrom` are indexed where that is enough. Both are offsets in bytes. */
async function readFrom(files: FileSystem, path: string, from: number, parseFrom: number): Promise<ReadLines> {
  const entries: TranscriptEntry[] = [];
  const damaged: number[] = [];
  const leftOut: number[] = [];
  const reduced: number[] = [];
  const notices: string[] = [];
  const lines = readLines(files, path, from);
  for (;;) {
    const next = await lines.next();
    if (next.done) return { entries, notices: [...notices, ...listed(damaged, 'could not be read and was skipped'), ...listed(leftOut, 'is damaged and was left out'), ...listed(reduced, 'is damaged in a part; the rest of it is here')], endsWithNewline: next.value.endsWithNewline };
    const { number, offset } = next.value;
    const indexed = offset < parseFrom ? indexedLine(next.value.latin1) : undefined;
    if (indexed) entries.push({ number, value: indexed, isIndexed: true });
    if (indexed !== undefined) continue;
    const { text, hasBadBytes } = next.value;
    const { objects, isDamaged } = parseObjects(text);
    if (isDamaged) damaged.push(number);
    else if (hasBadBytes) notices.push(`Line ${number} holds bytes that are no text; they are shown as \uFFFD.`);
    for (const value of objects) {
      const usable = usableLine(value);
      entries.push({ number, value: usable.value, isDamaged: usable.lost === 'all' });
      if (usable.lost === 'all') leftOut.push(number);
      if (usable.lost === 'part') reduced.push(number);
    }
  }
}

function listed(lines: readonly number[], what: string): string[] {
  const notices = lines.slice(0, longestNoticeList).map((number) => `Line ${number} ${what}.`);
  const more = lines.length - notices.length;
  return more > 0 ? [...notices, `${more} more lines: each ${what}.`] : notices;
}
