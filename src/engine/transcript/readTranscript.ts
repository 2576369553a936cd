import type { FileSystem } from '../ports.ts';
import { EntryCollector } from './entryCollector.ts';
import { indexLines } from './indexLines.ts';
import { withPartialAnswers } from './partialEntries.ts';
import { readLines } from './readLines.ts';
import { findBoundaryStart, findStartFor, findTailStart } from './tailStart.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';
import { activeBranch, afterCompaction, lastCompaction, type ActiveBranch } from './transcriptTree.ts';

/** Below this size it makes no difference how a file is read. Bytes. */
const worthIndexing = 1024 * 1024;

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
    const { entries: all, indexedLines, ...read } = await readFrom(files, path, from, parseFrom);
    const entries = withPartialAnswers(all);
    const branch = activeBranch(entries);
    const compaction = lastCompaction(branch.entries);
    const missing = branch.missing ?? compaction?.missingHead;
    // The conversation went back to before that compaction, or to somewhere within what was indexed as one.
    const isElsewhere = missing !== undefined || branch.isCut || branch.bridged.length > 0 || (compaction?.boundary.number ?? 0) <= indexedLines || afterCompaction(branch.entries).some((entry) => entry.isIndexed);
    if (parseFrom > from && isElsewhere) {
      parseFrom = from;
      continue;
    }
    const earlier = from > 0 && missing !== undefined ? await findStartFor(files, path, missing, from) : undefined;
    if (earlier === undefined) return { entries, branch, ...read, skippedBytes: from };
    from = parseFrom = earlier;
  }
}

interface ReadLines {
  readonly entries: readonly TranscriptEntry[];
  readonly notices: readonly string[];
  readonly endsWithNewline: boolean;
  readonly indexedLines: number;
}

/** Lines before `parseFrom` are indexed where that is enough. Both are offsets in bytes; one of them is 0, or they are the same. */
async function readFrom(files: FileSystem, path: string, from: number, parseFrom: number): Promise<ReadLines> {
  const collector = new EntryCollector();
  const indexedLines = from === 0 ? await indexLines(files, path, parseFrom, collector) : 0;
  const lines = readLines(files, path, Math.max(from, parseFrom));
  for (;;) {
    const next = await lines.next();
    if (next.done) return { entries: collector.entries, notices: collector.notices(), endsWithNewline: next.value.endsWithNewline, indexedLines };
    collector.add(indexedLines + next.value.number, next.value);
  }
}
