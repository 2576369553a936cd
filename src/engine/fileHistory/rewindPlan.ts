import { pathNames } from '../../base/paths.ts';
import type { FileState, RewindLine, SnapshotLine } from '../../protocol/transcript.ts';
import { parentFolder } from './fileStates.ts';

/** One change of a path by the agent or by a rewind. */
export interface FileEvent {
  readonly path: string;
  /** Orders all events of a session. */
  readonly sequence: number;
  /** The user message of the turn; for a rewind, its uuid. */
  readonly owner: string;
  readonly before: FileState;
  /** Undefined when the process ended before it could be noted. */
  readonly after: FileState | undefined;
  /** The call that did it; undefined for a rewind. */
  readonly toolUseId?: string | undefined;
  /** A rewind did it, not the agent. */
  readonly isRewind: boolean;
}

/** What is known about a path since some moment. */
export interface PathHistory {
  readonly path: string;
  /** What it was at that moment. */
  readonly to: FileState;
  /** How the agent left it; undefined when that was not noted. */
  readonly leftAs: FileState | undefined;
  /** Between two of the agent's writes somebody else changed it. */
  readonly changedBetween: boolean;
  /** From what to what it was changed, oldest first; writes that follow each other are one. */
  readonly changes: readonly { readonly before: FileState; readonly after: FileState | undefined }[];
}

/**
 * All changes in the order in which they happened, whatever branch they happened on: files have one past only.
 * Hence a path's state at a moment is the `before` of its first change after it.
 */
export function fileEvents(snapshots: readonly SnapshotLine[], rewinds: readonly RewindLine[]): FileEvent[] {
  const lines = [...snapshots, ...rewinds].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  const events: Mutable<FileEvent>[] = [];
  const latest = new Map<string, Mutable<FileEvent>>();
  const add = (event: Mutable<FileEvent>): void => {
    events.push(event);
    latest.set(event.path, event);
  };
  for (const line of lines) {
    const sequence = line.sequence ?? 0;
    if (line.type === 'rewind') {
      // A folder in the place of a file comes before what is in it.
      const files = line.files.toSorted((one, other) => pathNames(one.path).length - pathNames(other.path).length);
      for (const { path, from, to } of files) add({ path, sequence, owner: line.uuid, before: from, after: to, isRewind: true });
      continue;
    }
    for (const { path, before, after } of line.files) {
      if (before) add({ path, sequence, owner: line.messageId, before, after: undefined, toolUseId: line.toolUseId, isRewind: line.rewindId !== undefined });
      const event = latest.get(path);
      if (after && event) event.after = after;
    }
  }
  return events;
}

/** The paths changed from `sequence` on, oldest change first. */
export function historiesSince(events: readonly FileEvent[], sequence: number): PathHistory[] {
  return historiesOf(events.filter((event) => event.sequence >= sequence));
}

/** The paths that these events changed, oldest change first. Events of others in between count like changes by others. */
export function historiesOf(events: readonly FileEvent[]): PathHistory[] {
  const histories = new Map<string, PathHistory>();
  for (const event of events) {
    const earlier = histories.get(event.path);
    const isGap = earlier?.leftAs !== undefined && !isAsLeft(earlier.leftAs, event.before);
    histories.set(event.path, {
      path: event.path,
      to: earlier?.to ?? event.before,
      leftAs: event.after,
      changedBetween: (earlier?.changedBetween ?? false) || isGap,
      changes: withChange(earlier?.changes ?? [], event),
    });
    // Where the agent made a folder for a file, it has left one, whatever was there before.
    for (const folder of event.before.kind === 'absent' && event.after?.kind !== 'absent' ? (event.before.missingFolders ?? []) : []) {
      const above = histories.get(folder);
      if (above) histories.set(folder, { ...above, leftAs: { kind: 'folder' } });
    }
  }
  const isMissing = missingAtFirst(events);
  return [...histories.values()].map((history) => withFoldersOfThen(history, isMissing));
}

/** Which of the folders on the way to these paths were missing when the first of the events that tell happened. */
function missingAtFirst(events: readonly FileEvent[]): ReadonlyMap<string, boolean> {
  const isMissing = new Map<string, boolean>();
  const tell = (folder: string, missing: boolean): void => void (isMissing.has(folder) || isMissing.set(folder, missing));
  for (const { path, before } of events) {
    const missing = before.kind === 'absent' ? (before.missingFolders ?? []) : [];
    for (const folder of foldersAbove(path)) tell(folder, missing.includes(folder));
    tell(path, before.kind !== 'folder');
  }
  return isMissing;
}

/** A path's first change says what its folders were then, which may be later than the moment gone back to. */
function withFoldersOfThen(history: PathHistory, isMissing: ReadonlyMap<string, boolean>): PathHistory {
  if (history.to.kind !== 'absent') return history;
  // Something was changed in it before it went and something else came in its place.
  if (isMissing.get(history.path) === false) return { ...history, to: { kind: 'folder' } };
  return { ...history, to: { kind: 'absent', missingFolders: foldersAbove(history.path).filter((folder) => isMissing.get(folder)) } };
}

/** Outermost first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = parentFolder(path); folder !== parentFolder(folder); folder = parentFolder(folder)) folders.unshift(folder);
  return folders;
}

function withChange(changes: PathHistory['changes'], { before, after }: FileEvent): PathHistory['changes'] {
  const last = changes.at(-1);
  return last?.after && sameState(last.after, before) ? [...changes.slice(0, -1), { before: last.before, after }] : [...changes, { before, after }];
}

/**
 * Where a message stands among the events: at its snapshot. One that has none (the process ended first) changed
 * nothing, so the next one on the branch that has a snapshot stands for it.
 */
export function sequenceOfMessage(snapshots: readonly SnapshotLine[], branch: readonly string[], messageId: string): number {
  const starts = new Map<string, number>();
  for (const line of snapshots) {
    if (!line.rewindId && !starts.has(line.messageId)) starts.set(line.messageId, line.sequence ?? 0);
  }
  const known = branch.slice(branch.indexOf(messageId)).find((id) => starts.has(id));
  return known === undefined ? Number.POSITIVE_INFINITY : starts.get(known)!;
}

export type FileDecision =
  | { readonly kind: 'same' }
  /** The file is absent then and now, but its folders differ: empty ones go, or come back when a rewind is undone. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'notCovered'; readonly reason: string }
  | { readonly kind: 'change'; readonly action: 'restore' | 'recreate' | 'delete'; readonly changedSince: boolean };

/** What going back means for one path, given what is there now. `isUnsaved`: an editor holds changes that are not on disk. */
export function decideFile(history: PathHistory, present: FileState, isUnsaved: boolean): FileDecision {
  if (history.to.kind === 'uncovered') return { kind: 'notCovered', reason: history.to.reason };
  if (sameState(history.to, present) && !isUnsaved) return { kind: foldersDiffer(history, present) ? 'folders' : 'same' };
  if (present.kind === 'uncovered') return { kind: 'notCovered', reason: `what is there now can't be kept: ${present.reason}` };
  const isFoldersPlace = present.kind === 'folder' && history.leftAs?.kind !== 'folder';
  // Nothing was there: folders that files need are none of its business.
  if (isFoldersPlace && history.to.kind === 'absent') return { kind: 'same' };
  if (isFoldersPlace && history.to.kind !== 'folder') return { kind: 'notCovered', reason: "what is there now can't be kept: a folder is there" };
  return {
    kind: 'change',
    action: history.to.kind === 'absent' ? 'delete' : present.kind === 'absent' ? 'recreate' : 'restore',
    changedSince: isUnsaved || history.changedBetween || history.leftAs === undefined || !isAsLeft(history.leftAs, present),
  };
}

/** A folder goes with what is in it, which nobody need have noted. */
function isAsLeft(leftAs: FileState, found: FileState): boolean {
  return sameState(leftAs, found) || (leftAs.kind === 'folder' && found.kind === 'absent');
}

/** Folders that the user took away don't come back; those that we took away do. */
function foldersDiffer({ to, leftAs }: PathHistory, present: FileState): boolean {
  if (to.kind !== 'absent' || present.kind !== 'absent') return false;
  const [then, now] = [to.missingFolders ?? [], present.missingFolders ?? []];
  if (then.some((folder) => !now.includes(folder))) return true;
  const areOurs = leftAs?.kind === 'absent' && leftAs.missingFolders?.join('\n') === now.join('\n');
  return areOurs && now.some((folder) => !then.includes(folder));
}

/** Whether the path itself is the same; what is known of its folders does not count. */
export function sameState(one: FileState, other: FileState): boolean {
  switch (one.kind) {
    case 'absent':
      return other.kind === 'absent';
    case 'file':
      return other.kind === 'file' && one.hash === other.hash && one.mode === other.mode;
    case 'link':
      return other.kind === 'link' && one.target === other.target;
    case 'folder':
      return other.kind === 'folder';
    case 'uncovered':
      return false;
  }
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };
