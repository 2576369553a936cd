import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { FileState } from '../../protocol/transcript.ts';
import type { Digest, FileSystem, GitContents, TreeChange, TreeEntry, TreeNews, TreeScanner } from '../ports.ts';
import { heldForMs } from './blobStore.ts';
import type { BlobStore } from './blobStore.ts';
import { parentFolder } from './fileStates.ts';

export interface StatIndexOptions {
  readonly roots: readonly string[];
  readonly scanner: TreeScanner;
  /** Without it every look goes over everything. */
  readonly news?: TreeNews | undefined;
  readonly git: GitContents;
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly blobs: BlobStore;
  readonly log: Log;
  /** Of files whose content must not be kept: the rule that says so. */
  readonly whyDenied?: ((path: string) => string | undefined) | undefined;
}

/** Where the content of a file can be had when the file itself is gone; counts for this very entry only. */
type Source = { readonly entry: TreeEntry } & (
  | { readonly kind: 'blob'; readonly hash: string }
  | { readonly kind: 'git'; readonly folder: string; readonly object: string }
  | { readonly kind: 'none'; readonly reason: string; readonly retry: boolean }
);

type Tracked = ReturnType<GitContents['trackedFiles']>;

/** Bytes. Larger files are not copied; those that git holds need no copy. */
const largestCopy = 5 * 1024 * 1024;
/** Bytes copied, and milliseconds spent on it, before one command. What is left is for the next one. */
const copyBudget = 200 * 1024 * 1024;
const copyBudgetMs = 2_000;
const scanBudgetMs = 2_000;
const copiesAtOnce = 8;
/** From so many files of unknown content on, asking git costs less than copying. */
const worthAskingGit = 50;
const maxRepositories = 50;
/** For so long after everything was looked at, the news are enough. Milliseconds. */
const newsCountForMs = 60_000;
/** Tracked files that rules leave out: looked at one by one. */
const maxExtraPaths = 5_000;
/** Two changes nearer than this may carry the same time; file systems tick in up to 10 ms. */
const sameTickMs = 20;
/** Of objects asked of git at once. */
const gitBatchBytes = 64 * 1024 * 1024;

/**
 * How every file of the workspace stood when it was last looked at, and where its content of then can be had. An
 * unchanged file costs one look at its times and size.
 */
export class StatIndex {
  readonly #options: StatIndexOptions;
  readonly #sources = new Map<string, Source>();
  readonly #extraPaths = new Set<string>();
  #skipped: ReadonlyMap<string, string> = new Map();
  #repositories: readonly string[] = [];
  /** Changed so shortly before they were looked at that a further change may not show. */
  #tooFresh: readonly string[] = [];
  /** Files whose content was not looked at since they changed, or could not be kept. */
  readonly #unknown = new Set<string>();
  #hasAskedGit = false;
  /** When a look at everything began. Milliseconds since 1970. */
  #allSeenAt = 0;
  #isNewsDoubted = false;
  #heldAt = Date.now();
  /** What git said about the roots while the first walk went on, and when it was asked. */
  #early: { readonly tracked: ReadonlyMap<string, Tracked>; readonly askedAt: number } | undefined;

  constructor(options: StatIndexOptions) {
    this.#options = options;
  }

  /** Folders of the workspace that were not looked at, and why. */
  get skipped(): ReadonlyMap<string, string> {
    return new Map([...this.#skipped].filter(([path]) => this.#entryOf(path)?.ignoredAt === undefined));
  }

  /**
   * Looks at the workspace anew and gives what changed since the last time. What these changes were before can be asked
   * for until the next call. The first time nothing counts as changed. With `trustsNews` only what was told of is looked
   * at, where that can be relied on. `isAhead`: nobody waits for it yet. `only`: nothing but what lies beside these paths.
   */
  async refresh({ trustsNews = false, isAhead = false, only }: { readonly trustsNews?: boolean; readonly isAhead?: boolean; readonly only?: readonly string[] | undefined } = {}): Promise<readonly TreeChange[]> {
    const { scanner, roots, news } = this.#options;
    const [earlierSkipped, tooFresh, startedAt, isFirst] = [this.#skipped, this.#tooFresh, Date.now(), scanner.entries.size === 0];
    if (isFirst) this.#early = { tracked: new Map(roots.map((root) => [root, this.#trackedFiles(root)])), askedAt: startedAt };
    // Taken before the walk: what comes in while it goes on may be about what it has passed already.
    const told = only ? undefined : news?.take();
    const isEnough = trustsNews && told && !isFirst && !this.#isNewsDoubted && earlierSkipped.size === 0 && startedAt - this.#allSeenAt < newsCountForMs;
    const timeBudgetMs = isFirst && !isAhead ? scanBudgetMs : scanBudgetMs * 2;
    const some = only ?? (isEnough ? told : undefined);
    const scan = await scanner.scan({ extraPaths: this.#extraPaths, timeBudgetMs, only: some && [...some, ...tooFresh] });
    if (!some) this.#allSeenAt = startedAt;
    const rewritten = await this.#compareContents(tooFresh, scan.changes);
    this.#skipped = only ? new Map([...earlierSkipped, ...scan.skipped]) : scan.skipped;
    this.#repositories = scan.repositories;
    for (const { path, after } of scan.changes) if (after) this.#unknown.add(path);
    // One that did not change and is fresh now was fresh the last time, too.
    const freshAgain = scan.changes.flatMap(({ path, after }) => (isFresh(after, startedAt) ? [path] : []));
    this.#tooFresh = [...freshAgain, ...tooFresh.filter((path) => isFresh(this.#entryOf(path), startedAt))];
    return isFirst ? [] : [...scan.changes.filter(({ path, before }) => before || !isWithin(path, earlierSkipped)), ...rewritten];
  }

  /** Something changed that should have been told of, and was not: from now on every look goes over everything. */
  doubtNews(): void {
    if (this.#options.news && !this.#isNewsDoubted) this.#options.log.info('The watchers of the workspace missed a change. From now on all of it is looked at before a command.');
    this.#isNewsDoubted = true;
  }

  /** Makes sure, as far as the budgets allow, that the content of every file can be had after it was changed. */
  async capture(): Promise<void> {
    if (Date.now() - this.#heldAt > heldForMs / 2) this.#distrustCopies();
    let pending = this.#pending();
    if (pending.length > worthAskingGit || !this.#hasAskedGit) {
      await this.#askGit(new Set(pending));
      pending = this.#pending();
    }
    pending = pending.filter((path) => !this.#markDenied(path));
    pending.sort((one, other) => this.#entryOf(other)!.mtimeMs - this.#entryOf(one)!.mtimeMs);
    const endsAt = performance.now() + copyBudgetMs;
    let [next, bytes] = [0, 0];
    const copy = async (): Promise<void> => {
      while (next < pending.length) {
        const path = pending[next++]!;
        const entry = this.#entryOf(path)!;
        const isOver = performance.now() > endsAt || bytes + entry.size > copyBudget;
        if (isOver && entry.size <= largestCopy) {
          this.#sources.set(path, { entry, kind: 'none', reason: 'there was no time to keep it before the command ran', retry: true });
          continue;
        }
        bytes += entry.size <= largestCopy ? entry.size : 0;
        this.#sources.set(path, await this.#copied(path, entry));
      }
    };
    await Promise.all(Array.from({ length: copiesAtOnce }, copy));
    const copied = pending.flatMap((path) => this.#sources.get(path) ?? []).flatMap((source) => (source.kind === 'blob' ? [source.hash] : []));
    if (copied.length > 0) await this.#options.blobs.hold(copied);
  }

  /** After so long a time, copies that no transcript names may have been cleaned away. */
  #distrustCopies(): void {
    this.#options.blobs.forgetSeen();
    this.#sources.clear();
    for (const path of this.#options.scanner.entries.keys()) this.#unknown.add(path);
    this.#heldAt = Date.now();
  }

  /** Whether a rule says that the content of `path` must not be kept. */
  isDenied(path: string): boolean {
    return this.#options.whyDenied?.(path) !== undefined;
  }

  /** What the changed paths were before, by path; `all` that changed with them. Never rejects: what can't be had is `uncovered`. */
  async statesBefore(changes: readonly TreeChange[], all: readonly TreeChange[]): Promise<Map<string, FileState>> {
    await this.#fetchFromGit(changes);
    const earlier = new Map(all.map(({ path, before }) => [path, before]));
    const wasFolder = (path: string): boolean => (earlier.has(path) ? earlier.get(path) : this.#entryOf(path))?.kind === 'folder';
    return new Map(changes.map(({ path, before }) => [path, this.#stateBefore(path, before, wasFolder)]));
  }

  /** A tool or a rewind of ours has written `path`: that is no change by anybody else. `hash`: its content is kept there. */
  note(path: string, hash: string | undefined): void {
    const entry = this.#options.scanner.note(path);
    if (!entry) return;
    this.#tooFresh = [...this.#tooFresh, path];
    if (hash !== undefined) this.#sources.set(path, { entry, kind: 'blob', hash });
    else this.#unknown.add(path);
  }

  #entryOf(path: string): TreeEntry | undefined {
    return this.#options.scanner.entries.get(path);
  }

  #markDenied(path: string): boolean {
    if (!this.isDenied(path)) return false;
    this.#sources.set(path, { entry: this.#entryOf(path)!, kind: 'none', reason: 'a permission rule denies reading it, so it was not kept', retry: true });
    return true;
  }

  #pending(): string[] {
    const pending: string[] = [];
    for (const path of this.#unknown) {
      const entry = this.#entryOf(path);
      const source = this.#sources.get(path);
      const isKnown = !entry || !isKept(entry) || (source?.entry === entry && !(source.kind === 'none' && source.retry));
      if (isKnown) this.#unknown.delete(path);
      else pending.push(path);
    }
    return pending;
  }

  async #askGit(pending: ReadonlySet<string>): Promise<void> {
    this.#hasAskedGit = true;
    const early = this.#early;
    this.#early = undefined;
    for (const folder of this.#repositories.slice(0, maxRepositories)) {
      const tracked = await (early?.tracked.get(folder) ?? this.#trackedFiles(folder));
      for (const [path, object] of tracked ?? []) {
        let entry = this.#entryOf(path);
        // Git's list is read as UTF-8: of another name not even the path is known.
        if (path.includes('\uFFFD')) continue;
        if ((!entry || entry.ignoredAt !== undefined) && this.#extraPaths.size < maxExtraPaths) {
          this.#extraPaths.add(path);
          entry = this.#options.scanner.adopt(path);
          this.#unknown.add(path);
        }
        if (entry && object !== undefined && isKept(entry) && (pending.has(path) || this.#extraPaths.has(path)) && !this.isDenied(path) && !isFresh(entry, early?.askedAt ?? Number.POSITIVE_INFINITY)) this.#sources.set(path, { entry, kind: 'git', folder, object });
      }
    }
  }

  /** Without an answer, everything is copied. */
  #trackedFiles(folder: string): Tracked {
    return this.#options.git.trackedFiles(folder).catch((thrown: unknown) => {
      this.#options.log.info(`git could not be asked about ${folder}: ${errorText(thrown)}`);
      return undefined;
    });
  }

  async #copied(path: string, entry: TreeEntry): Promise<Source> {
    if (entry.size > largestCopy) return { entry, kind: 'none', reason: 'it is larger than 5 MB, and git does not keep it', retry: false };
    try {
      const bytes = await this.#options.files.readFile(path);
      return { entry, kind: 'blob', hash: await this.#options.blobs.put(bytes, { durable: false }) };
    } catch (thrown) {
      this.#options.log.info(`${path} could not be kept before a command: ${errorText(thrown)}`);
      return { entry, kind: 'none', reason: 'it could not be read and kept before the command ran', retry: true };
    }
  }

  /** From here on these contents are in our own store: what git holds may be cleaned away, and other sessions share ours. */
  async #fetchFromGit(changes: readonly TreeChange[]): Promise<void> {
    const batches = new Map<string, { folder: string; bytes: number; sources: [string, Source & { kind: 'git' }][] }[]>();
    for (const { path, before } of changes) {
      const source = this.#sources.get(path);
      if (!before || source?.entry !== before || source.kind !== 'git') continue;
      const own = batches.get(source.folder) ?? [];
      batches.set(source.folder, own);
      if (own.length === 0 || own.at(-1)!.bytes > gitBatchBytes) own.push({ folder: source.folder, bytes: 0, sources: [] });
      own.at(-1)!.bytes += before.size;
      own.at(-1)!.sources.push([path, source]);
    }
    for (const { folder, sources } of [...batches.values()].flat()) {
      const contents = await this.#options.git.read(folder, sources.map(([, source]) => source.object)).catch(() => new Map<string, Uint8Array>());
      for (const [path, { entry, object }] of sources) {
        const bytes = contents.get(object);
        // Another size: git keeps it in another form than the file had.
        const isIt = bytes !== undefined && bytes.length === entry.size;
        const hash = isIt ? await this.#options.blobs.put(bytes, { durable: false }).catch(() => undefined) : undefined;
        this.#sources.set(path, hash !== undefined ? { entry, kind: 'blob', hash } : { entry, kind: 'none', reason: 'git no longer holds what it was', retry: false });
      }
    }
  }

  #stateBefore(path: string, before: TreeEntry | undefined, wasFolder: (path: string) => boolean): FileState {
    if (!before) return { kind: 'absent', missingFolders: this.#missingFolders(path, wasFolder) };
    if (before.kind === 'folder') return { kind: 'folder' };
    if (before.kind === 'link' && before.target !== undefined) return { kind: 'link', target: before.target };
    if (before.kind !== 'file') return { kind: 'uncovered', reason: 'it was no plain file' };
    const source = this.#sources.get(path);
    if (source?.entry !== before) return { kind: 'uncovered', reason: 'it was not kept before the command ran' };
    if (source.kind === 'blob') return { kind: 'file', hash: source.hash, mode: before.mode, size: before.size };
    return { kind: 'uncovered', reason: source.kind === 'none' ? source.reason : 'git could not be asked for what it was' };
  }

  /** Of the folders above a path, those that did not exist, outermost first. */
  #missingFolders(path: string, wasFolder: (path: string) => boolean): string[] {
    const missing: string[] = [];
    for (let folder = parentFolder(path); !wasFolder(folder) && !this.#options.roots.includes(folder); folder = parentFolder(folder)) {
      missing.unshift(folder);
      if (parentFolder(folder) === folder) break;
    }
    return missing;
  }

  /** Of files that changed so shortly before the last look that a further change does not show: those that did. */
  async #compareContents(paths: readonly string[], changes: readonly TreeChange[]): Promise<TreeChange[]> {
    const shown = new Set(changes.map(({ path }) => path));
    const rewritten: TreeChange[] = [];
    for (const path of new Set(paths)) {
      const before = this.#entryOf(path);
      const source = this.#sources.get(path);
      if (!before || shown.has(path) || source?.entry !== before || source.kind !== 'blob') continue;
      const bytes = await this.#options.files.readFile(path).catch(() => undefined);
      if (!bytes || this.#options.digest.sha256(bytes) === source.hash) continue;
      rewritten.push({ path, before, after: this.#options.scanner.note(path) });
      this.#unknown.add(path);
    }
    return rewritten;
  }
}

function isWithin(path: string, folders: ReadonlyMap<string, string>): boolean {
  if (folders.size === 0) return false;
  for (let current = path; ; current = parentFolder(current)) {
    if (folders.has(current)) return true;
    if (parentFolder(current) === current) return false;
  }
}

function isFresh(entry: TreeEntry | undefined, now: number): boolean {
  return entry !== undefined && isKept(entry) && Math.max(entry.mtimeMs, entry.ctimeMs) > now - sameTickMs;
}

function isKept(entry: TreeEntry): boolean {
  return entry.kind === 'file' && entry.ignoredAt === undefined;
}
