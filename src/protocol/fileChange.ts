/** One file as a tool wants it or left it. Texts are without BOM, line ends as in the file. */
export interface FileChange {
  /** Absolute, as the user knows it (links not resolved). */
  readonly path: string;
  readonly kind: 'create' | 'modify';
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** A unified diff for the card, cut to a showable size. */
  readonly diff: string;
  /** Set when the user changed the proposal before accepting it: the diff from proposal to what was accepted. */
  readonly userDiff?: string | undefined;
  /** Set when the user did more than to accept it: what was decided about each part of the proposal. */
  readonly hunks?: readonly HunkVerdict[] | undefined;
}

/** What a tool wants a file to hold, before anybody accepted it. */
export interface Proposal {
  readonly path: string;
  /** The file that will be written, when `path` is a link to it. */
  readonly targetPath: string;
  /** What the user sees now (unsaved text included); undefined for a file that does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What a waiting proposal comes to now that its file may have changed. */
export interface RebasedProposal {
  /**
   * current = the file is as `before` says; rebased = it was changed, and the proposal was merged onto that; conflict = both
   * changed the same lines, which stand between marker lines; gone = there is no such text file any more.
   */
  readonly kind: 'current' | 'rebased' | 'conflict' | 'gone';
  readonly proposal: Proposal;
}

/** What the user decided about one stretch of changed lines. */
export interface HunkVerdict {
  /** Number of its first line in the proposal, from 1, and how many; a count of 0 stands before that line. */
  readonly firstLine: number;
  readonly lineCount: number;
  readonly verdict: 'accepted' | 'rejected' | 'edited';
  /** What the user said about it. */
  readonly reason?: string | undefined;
}
