import type { JsonObject } from '../../base/json.ts';
import { withParallelCalls } from './parallelCalls.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';
import { isCompactBoundary, isConversationLine } from './usableLine.ts';

export interface ActiveBranch {
  /** From the first line to the leaf, across compactions; also lines that are no messages. */
  readonly entries: readonly TranscriptEntry[];
  readonly leafUuid: string | null;
  /** Numbers of lines whose parent is missing; the line before was taken for it, so that nothing is cut off. */
  readonly bridged: readonly number[];
  /** Uuid of the first line that was wanted and is not here, up to the last compaction on the branch: it may stand in a part of the file that was not read. */
  readonly missing: string | undefined;
  /** What a compaction on the branch followed is not here. */
  readonly isCut: boolean;
}

/**
 * The branch that a resumed session goes on with. Its leaf is where the last rewind went, unless something was said
 * after it: then it is the last thing said. Only lines of the conversation are leaves, never those of sub-agents, and
 * none that is damaged or of a type that is not known: these are walked through, so that they cut nothing off.
 */
export function activeBranch(entries: readonly TranscriptEntry[]): ActiveBranch {
  const index = indexOf(entries);
  const path: TranscriptEntry[] = [];
  const bridged: number[] = [];
  const seen = new Set<TranscriptEntry>();
  const leaf = leafOf(entries, index);
  let missing = leaf.missing;
  let isBeforeCompaction = false;
  let isCut = false;
  let current = leaf.entry;
  while (current && !seen.has(current)) {
    seen.add(current);
    if (!current.isDamaged) path.push(current);
    isBeforeCompaction ||= !current.isDamaged && isCompactBoundary(current.value);
    const parent = parentOf(current.value);
    const next = parent === undefined ? undefined : index.byUuid.get(parent);
    if (next || (parent === undefined && isStart(current))) {
      current = next;
      continue;
    }
    if (!isBeforeCompaction) missing ??= parent;
    // Its line is damaged. What stands before is what it most likely followed; to stop here would lose all of that.
    isCut = parent !== undefined && 'logicalParentUuid' in current.value;
    current = isCut ? undefined : index.before.get(current);
    const joined = path.at(-1);
    if (current && joined) bridged.push(joined.number);
  }
  path.reverse();
  const leafUuid = (path.at(-1)?.value['uuid'] as string | undefined) ?? null;
  return { entries: withParallelCalls(path, index.leafCandidates), leafUuid, bridged, missing, isCut };
}

/**
 * What the model still sees: after the last compaction boundary only the boundary and what follows, with the segment
 * that the boundary preserved put back behind its anchor, and before it the request that was being worked on.
 */
export function afterCompaction(branch: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const at = branch.findLastIndex((entry) => isCompactBoundary(entry.value));
  if (at === -1) return branch;
  const rest = branch.slice(at);
  const segment = preservedSegment(branch[at]!.value);
  const head = branch.findIndex((entry) => entry.value['uuid'] === segment?.headUuid);
  const tail = branch.findIndex((entry) => entry.value['uuid'] === segment?.tailUuid);
  if (!segment || head === -1 || tail < head || tail >= at) return rest;
  const anchor = Math.max(0, rest.findIndex((entry) => entry.value['uuid'] === segment.anchorUuid));
  const request = branch.slice(0, head).filter((entry) => entry.value['uuid'] === segment.requestUuid);
  // A compaction in the midst of the segment is part of the file, not of what was preserved.
  const preserved = branch.slice(head, tail + 1).filter((entry) => !isCompactBoundary(entry.value));
  return [...rest.slice(0, anchor + 1), ...request, ...preserved, ...rest.slice(anchor + 1)];
}

/** The compaction that counts, and the first message that it preserved, if that is not on the branch. */
export function lastCompaction(branch: readonly TranscriptEntry[]): { readonly boundary: TranscriptEntry; readonly missingHead: string | undefined } | undefined {
  const boundary = branch.findLast((entry) => isCompactBoundary(entry.value));
  if (!boundary) return undefined;
  const head = preservedSegment(boundary.value)?.headUuid;
  const isHere = typeof head !== 'string' || branch.some((entry) => entry.value['uuid'] === head);
  return { boundary, missingHead: isHere ? undefined : head };
}

/** Part of the conversation's tree: it has a uuid and says what it follows, if only that it follows nothing. */
export function isChained(line: JsonObject): boolean {
  return typeof line['uuid'] === 'string' && (typeof line['parentUuid'] === 'string' || line['parentUuid'] === null);
}

/** Uuids of messages that were withdrawn. */
export function tombstonedUuids(entries: readonly TranscriptEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ value }) => (value['type'] === 'tombstone' && Array.isArray(value['messageUuids']) ? (value['messageUuids'] as string[]) : [])));
}

interface TreeIndex {
  readonly byUuid: ReadonlyMap<string, TranscriptEntry>;
  /** The line that could be the leaf and stands before a line in the file. */
  readonly before: ReadonlyMap<TranscriptEntry, TranscriptEntry>;
  readonly canBeLeaf: (entry: TranscriptEntry) => boolean;
  /** All lines that could be leaves, in file order, each uuid once. */
  readonly leafCandidates: readonly TranscriptEntry[];
}

function indexOf(entries: readonly TranscriptEntry[]): TreeIndex {
  const byUuid = new Map<string, TranscriptEntry>();
  const before = new Map<TranscriptEntry, TranscriptEntry>();
  // The transcript of a sub-agent consists of side lines only.
  const isSaid = (entry: TranscriptEntry): boolean => !entry.isDamaged && isChained(entry.value) && isConversationLine(entry.value);
  const sideOnly = !entries.some((entry) => isSaid(entry) && entry.value['isSidechain'] !== true);
  const canBeLeaf = (entry: TranscriptEntry): boolean => isSaid(entry) && (sideOnly || entry.value['isSidechain'] !== true);
  const leafCandidates: TranscriptEntry[] = [];
  for (const entry of entries) {
    const { uuid } = entry.value;
    if (typeof uuid !== 'string' || !(entry.isDamaged || isChained(entry.value))) continue;
    // The same line twice is a write that was repeated after a failure; the first one counts.
    if (byUuid.has(uuid)) continue;
    byUuid.set(uuid, entry);
    const previous = leafCandidates.at(-1);
    if (previous) before.set(entry, previous);
    if (canBeLeaf(entry)) leafCandidates.push(entry);
  }
  return { byUuid, before, canBeLeaf, leafCandidates };
}

/** `missing`: where the last rewind went, if that is not here. */
function leafOf(entries: readonly TranscriptEntry[], index: TreeIndex): { readonly entry: TranscriptEntry | undefined; readonly missing?: string | undefined } {
  let missing: string | undefined;
  for (const entry of entries.toReversed()) {
    if (index.canBeLeaf(entry)) return { entry: index.byUuid.get(entry.value['uuid'] as string), missing };
    if (entry.isDamaged || entry.value['type'] !== 'rewind' || entry.value['scope'] === 'files') continue;
    const leafUuid = entry.value['leafUuid'];
    if (leafUuid === null) return { entry: undefined, missing };
    const leaf = typeof leafUuid === 'string' ? index.byUuid.get(leafUuid) : undefined;
    if (leaf) return { entry: leaf, missing };
    if (typeof leafUuid === 'string') missing ??= leafUuid;
  }
  return { entry: undefined, missing };
}

/** A conversation begins with what somebody says; answers, results, notes and whatever else has nothing before it are damaged. */
function isStart({ value, isDamaged }: TranscriptEntry): boolean {
  const content = (value['message'] as JsonObject | undefined)?.['content'];
  const hasResult = Array.isArray(content) && content.some((block) => (block as JsonObject | null)?.['type'] === 'tool_result');
  return !isDamaged && value['type'] === 'user' && value['isMeta'] !== true && !hasResult;
}

/** Undefined at the start of a conversation. A boundary says what it follows in `logicalParentUuid`. */
function parentOf(line: JsonObject): string | undefined {
  const parent = line['parentUuid'] ?? line['logicalParentUuid'];
  return typeof parent === 'string' ? parent : undefined;
}

interface PreservedSegmentFields {
  readonly headUuid: unknown;
  readonly tailUuid: unknown;
  readonly anchorUuid: unknown;
  readonly requestUuid?: unknown;
}

function preservedSegment(line: JsonObject): PreservedSegmentFields | undefined {
  const metadata = line['compactMetadata'] as JsonObject | undefined;
  return metadata?.['preservedSegment'] as PreservedSegmentFields | undefined;
}
