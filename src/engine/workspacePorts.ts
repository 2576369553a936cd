/**
 * What the file history needs to know of the workspace: how its files stand, what changes them, and what git keeps of
 * them. Part of `ports.ts`.
 */

/** A file, link or folder as a walk of the workspace found it. */
export interface TreeEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes; of a folder the number of its entries. */
  readonly size: number;
  /** As in `FileStat`; 0 for a folder. */
  readonly mode: number;
  /** Milliseconds since 1970, with fractions; 0 for a folder whose content is walked. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  /** Where a link points. */
  readonly target?: string | undefined;
  /** Set where rules leave it out: the outermost path that they name. What it holds is not kept. */
  readonly ignoredAt?: string | undefined;
}

/** A path that is not as it was. Undefined = nothing is there. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

export interface TreeScanRequest {
  /** To be looked at although rules leave them out. */
  readonly extraPaths: ReadonlySet<string>;
  /** Milliseconds after which it ends with what it has. */
  readonly timeBudgetMs: number;
  /** Only these, what lies beside them, and what is below those that are folders. Undefined: everything. */
  readonly only?: readonly string[] | undefined;
}

export interface TreeScan {
  readonly changes: readonly TreeChange[];
  /** Folders that hold a `.git`, and the roots that lie inside a repository. */
  readonly repositories: readonly string[];
  /** Folders that were not looked at, and why. Of what is in them the entries stay as they were. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** Walks the workspace and says how every file stands there, without reading one. Remembers it from one scan to the next. */
export interface TreeScanner {
  /** By absolute path. Nothing inside `.git` but what HEAD is, nothing behind a link. Of a file that did not change the same object as before. */
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** What changed since the last scan; at first that is everything. */
  scan(request: TreeScanRequest): Promise<TreeScan>;
  /** Looks at one path: how it stands now is no change for the next scan. A new entry; undefined when nothing is there, or a folder. */
  note(path: string): TreeEntry | undefined;
  /** {@link note} for a file that rules leave out and that is kept all the same. */
  adopt(path: string): TreeEntry | undefined;
}

/** What watchers tell of the workspace. They may be late, and may miss something. */
export interface TreeNews {
  /** The paths told of since the last call; undefined when that can't be all: too many, or parts of the workspace are not watched. */
  take(): readonly string[] | undefined;
}

/** What a file held at one moment: its bytes, or that nothing was there, or that nobody can say. */
export type ContentThen = Uint8Array | 'absent' | 'unknown';

/** Something that the user did to a file in the editor: saved it, or deleted, moved or made it in the explorer. */
export interface UserWrite {
  /** Absolute. A folder stands for all that is in it. */
  readonly path: string;
  /** When it was done. Milliseconds since 1970. */
  readonly at: number;
  /** Right before and right after it. */
  readonly before: ContentThen;
  readonly after: ContentThen;
}

/** What the user does to files while commands run: the one evidence that a change is not the command's. */
export interface UserWrites {
  /** From now on all is noted, until `stop`. */
  follow(): {
    /** What was done since the last call. Of a save that is going on, what it leaves is unknown. */
    take(): readonly UserWrite[];
    stop(): void;
  };
}

/** What git keeps of a working folder. Reads only: no index is refreshed, no lock taken, no filter run. */
export interface GitContents {
  /**
   * The tracked files below `folder`: the object that holds exactly what the file holds, or undefined where it was
   * changed or git keeps it in another form. Undefined when there is no git, no repository, or no time.
   */
  trackedFiles(folder: string): Promise<ReadonlyMap<string, string | undefined> | undefined>;
  /** The objects that are still there. */
  read(folder: string, objects: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}
